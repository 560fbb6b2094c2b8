"""Start virtual phones: ``python -m virtual_phone --port 15555 --phones 2``."""

from __future__ import annotations

import argparse
import asyncio
import logging
import re
import signal
import sys

from virtual_phone.android import Profile
from virtual_phone.rack import place_many, with_recording

_SIZE = re.compile(r"(\d{3,4})x(\d{3,4})")


def _size(text: str) -> tuple[int, int]:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not WIDTHxHEIGHT, for example 1080x2400")
    return int(match[1]), int(match[2])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m virtual_phone", description=__doc__)
    parser.add_argument("--port", type=int, default=15555, help="first port to try")
    parser.add_argument("--phones", type=int, default=1, help="how many phones to start")
    parser.add_argument("--locale", choices=("zh-CN", "en-US"), default="zh-CN")
    parser.add_argument("--size", type=_size, default=(1080, 2400), metavar="WIDTHxHEIGHT")
    parser.add_argument("--model", default="Pixel 7")
    parser.add_argument("--seed", type=int, default=0, help="what faults of chance begin with")
    parser.add_argument("--modern", action="store_true", help="hide the focus as Android 13 does")
    parser.add_argument("--recorded", default="", metavar="FOLDER", help="show a recorded app")
    return parser.parse_args()


async def _run(arguments: argparse.Namespace) -> None:
    width, height = arguments.size
    profile = Profile(
        model=arguments.model,
        width=width,
        height=height,
        locale=arguments.locale,
        seed=arguments.seed,
        modern=arguments.modern,
    )
    if arguments.recorded:
        profile = with_recording(profile, arguments.recorded)
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


def main() -> None:
    """Run until SIGTERM or Ctrl-C."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    asyncio.run(_run(_arguments()))


if __name__ == "__main__":
    main()
