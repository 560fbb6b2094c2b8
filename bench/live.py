"""What viewers of one phone cost, and what a tap with the picture after it costs.

Viewers read the live view as the MCP server sends it. A tap and a fresh picture go to a virtual
phone in a process of its own, once over our kept streams and once by a new client a step, which
is how most scripts drive a phone.
"""

import asyncio
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

from bench.figure import Figure, median_of
from bench.picture import as_raw, photographs
from core.devices.base import Observation, Size
from core.devices.frames import view
from core.devices.image import LIVE_LONGEST, LIVE_QUALITY, MODEL_LONGEST, picture
from core.devices.live import Live
from mcp_server import live_stream
from virtual_phone.adb_server import AdbServer, free_port

FRAMES = 20
VIEWERS = 32
ROUNDS = 3
GOAL_VIEWER = 0.05
#: The same number of encodes whoever looks; a frame that two viewers straddle may be made twice.
GOAL_ENCODES = 1.05
STEPS = 8
GOAL_STEP = 0.5
ROW = (540, 500)
SIZE = Size(1080, 2400)
SETTINGS = "com.android.settings"


class Painting:
    """A phone whose picture changes at each look."""

    serial = "bench"

    def __init__(self, raws: list[bytes]) -> None:
        self.raws = raws
        self.looks = 0

    def live_frame(self) -> bytes:
        """Give the next of three pictures."""
        self.looks += 1
        return self.raws[self.looks % len(self.raws)]

    def turned(self) -> tuple[Size, int]:
        """Give the size."""
        return SIZE, 0

    def observe(self) -> Observation:
        """Refuse: no picture here is black."""
        raise AssertionError("no picture here is black")


def figures() -> Iterator[Figure]:
    """Measure viewers first, then steps."""
    raws = [as_raw(photographs(SIZE.width, SIZE.height, seed)) for seed in range(3)]
    encode = median_of(ROUNDS, lambda: _encoding(raws))
    one = [_watched(raws, 1) for _ in range(ROUNDS)]
    many = [_watched(raws, VIEWERS) for _ in range(ROUNDS)]
    extra = (_middle(cpu for cpu, _ in many) - _middle(cpu for cpu, _ in one)) / (VIEWERS - 1)
    yield Figure("live.extra_viewer_a_frame", max(0.0, extra), "ms", encode, GOAL_VIEWER)
    encodes = _middle(made for _, made in many)
    alone = _middle(made for _, made in one)
    yield Figure(f"live.encodes_{VIEWERS}_viewers", encodes, "a frame", alone, GOAL_ENCODES)
    yield from _steps()


def _encoding(raws: list[bytes]) -> float:
    begun = time.process_time()
    for raw in raws:
        picture(raw, LIVE_LONGEST, LIVE_QUALITY)
    return (time.process_time() - begun) / len(raws) * 1000


def _watched(raws: list[bytes], viewers: int) -> tuple[float, float]:
    """Return the processor time a frame in milliseconds, and the encodes a frame."""
    live = Live(Painting(raws))

    async def look() -> None:
        seen = 0
        async for part in live_stream.parts(live, view(15)):
            seen += len(part) > 100  # the first is only the boundary
            if seen == FRAMES:
                return

    async def all_look() -> None:
        await asyncio.gather(*(look() for _ in range(viewers)))

    begun = time.process_time()
    asyncio.run(all_look())
    spent = time.process_time() - begun
    frame = live.frame
    live.close()
    number = frame.number if frame else FRAMES
    return spent / FRAMES * 1000, live.encodes / max(1, number)


def _middle(values: Iterator[float]) -> float:
    return sorted(values)[ROUNDS // 2]


def _steps() -> Iterator[Figure]:
    with _phone() as (port, address):
        os.environ["ANDROID_ADB_SERVER_PORT"] = str(port)  # read where adbutils is imported
        ours, theirs = (_in_a_process(way, address) for way in ("kept", "new"))
    yield Figure("live.tap_and_frame", ours[0], "ms", theirs[0], GOAL_STEP)
    yield Figure("live.device_calls_a_step", ours[1], "calls", theirs[1], GOAL_STEP)


@contextmanager
def _phone() -> Iterator[tuple[int, str]]:
    """Run a virtual phone and an adb server of our own; yield the server's port and the phone."""
    command = [sys.executable, "-m", "virtual_phone", "--port", str(free_port())]
    phone = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    server = AdbServer(free_port())
    try:
        assert phone.stdout is not None
        address = phone.stdout.readline().split()[1]
        server.connect(address)
        yield server.port, address
    finally:
        server.close()
        phone.terminate()
        phone.wait(10)


def _in_a_process(way: str, address: str) -> tuple[float, float]:
    """Measure one way where nothing of the other is kept: milliseconds and calls a step."""
    here, there = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_measure, args=(there, way, address))
    process.start()
    there.close()
    try:
        found: tuple[float, float] = here.recv()
    finally:
        process.join(60)
    return found


def _measure(pipe: Connection, way: str, address: str) -> None:
    step, reset = _kept(address) if way == "kept" else _new(address)
    calls = _Calls()
    times = []
    step()
    reset()
    for _ in range(STEPS):
        calls.counting = True
        begun = time.perf_counter()
        step()
        times.append(time.perf_counter() - begun)
        calls.counting = False
        reset()
    # a new client opens a stream for each call; on a kept one the requests are the calls
    made = calls.streams if way == "new" else calls.streams + calls.requests
    pipe.send((sorted(times)[STEPS // 2] * 1000, made / STEPS))


class _Calls:
    """Counts what this process asks of the adb server and over HTTP."""

    def __init__(self) -> None:
        self.counting = False
        self.streams = 0
        self.requests = 0
        sys.addaudithook(self._heard)

    def _heard(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.counting:
            return
        if event == "socket.connect":
            self.streams += 1
        elif event == "http.client.send" and bytes(args[1][:4]) in (b"POST", b"GET "):
            self.requests += 1


def _kept(address: str) -> tuple[Any, Any]:
    from core.devices.adb import Adb
    from core.devices.android import AndroidPhone

    phone = AndroidPhone(Adb().link(address))
    phone.start()
    phone.open_app(SETTINGS)

    def step() -> None:
        phone.tap(ROW)
        phone.screenshot(MODEL_LONGEST)

    return step, lambda: phone.press_key("back")


def _new(address: str) -> tuple[Any, Any]:
    import uiautomator2

    uiautomator2.connect(address).app_start(SETTINGS)

    def step() -> None:
        phone = uiautomator2.connect(address)
        phone.click(*ROW)
        shot = phone.screenshot()
        shot.thumbnail((MODEL_LONGEST, MODEL_LONGEST))
        with open(os.devnull, "wb") as out:
            shot.save(out, "JPEG", quality=80)

    return step, lambda: uiautomator2.connect(address).press("back")
