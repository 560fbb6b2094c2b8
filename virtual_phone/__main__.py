"""Start virtual phones: ``python -m virtual_phone --port 15555 --phones 2``.

Two jobs for devices that are there already: ``record SERIAL FOLDER`` and ``probe SERIAL``.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import re
import signal
import sys
from pathlib import Path

from virtual_phone.dumps import RecordingError
from virtual_phone.profile import Profile
from virtual_phone.rack import place_many, with_recording

_SIZE = re.compile(r"(\d{3,4})x(\d{3,4})")


def _size(text: str) -> tuple[int, int]:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not WIDTHxHEIGHT, for example 1080x2400")
    return int(match[1]), int(match[2])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m virtual_phone", description=__doc__)
    _add_phone_options(parser)
    jobs = parser.add_subparsers(dest="job", metavar="record | probe")
    recording = jobs.add_parser("record", help="record an app from a device into a folder")
    recording.add_argument("serial")
    recording.add_argument("folder", type=Path)
    probing = jobs.add_parser("probe", help="save how a device differs from this phone")
    probing.add_argument("serial")
    probing.add_argument("--out", type=Path, help="the profile; SERIAL.json by default")
    return parser.parse_args()


def _add_phone_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=15555, help="first port to try")
    parser.add_argument("--phones", type=int, default=1, help="how many phones to start")
    parser.add_argument("--locale", choices=("zh-CN", "en-US"), default="zh-CN")
    parser.add_argument("--size", type=_size, default=(1080, 2400), metavar="WIDTHxHEIGHT")
    parser.add_argument("--model", default="Pixel 7")
    parser.add_argument("--seed", type=int, default=0, help="what faults of chance begin with")
    parser.add_argument("--modern", action="store_true", help="hide the focus as Android 13 does")
    parser.add_argument("--recorded", default="", metavar="FOLDER", help="show a recorded app")


def _profile(arguments: argparse.Namespace) -> Profile:
    width, height = arguments.size
    profile = Profile(
        model=arguments.model,
        width=width,
        height=height,
        locale=arguments.locale,
        seed=arguments.seed,
        modern=arguments.modern,
    )
    return with_recording(profile, arguments.recorded) if arguments.recorded else profile


async def _run(arguments: argparse.Namespace, profile: Profile) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    phones = await place_many(profile, arguments.port, arguments.phones)
    for placed in phones:
        sys.stdout.write(f"ready {placed.address} {placed.phone.profile.serialno}\n")
    sys.stdout.flush()
    await stop.wait()
    for placed in phones:
        await placed.daemon.close()


def _probe(serial: str, out: Path | None) -> None:
    from virtual_phone.probe import probe  # the adb clients are slow to import

    path = out or Path(re.sub(r"[^\w.-]", "_", serial) + ".json")
    profile = probe(serial, path)
    checks, differs = len(profile["checks"]), profile["differs"]
    sys.stdout.write(f"{checks - len(differs)} of {checks} as expected; saved in {path}\n")
    for name in differs:
        sys.stdout.write(f"differs: {name}\n")


def _record(serial: str, folder: Path) -> None:
    from virtual_phone.record import record  # the adb clients are slow to import

    record(serial, folder, sys.stdin)


def main() -> None:
    """Run phones until SIGTERM or Ctrl-C, or do one job with a device that is there already."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    arguments = _arguments()
    try:
        if arguments.job == "record":
            _record(arguments.serial, arguments.folder)
        elif arguments.job == "probe":
            _probe(arguments.serial, arguments.out)
        else:
            asyncio.run(_run(arguments, _profile(arguments)))
    except RecordingError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
