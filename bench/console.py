"""How quick the console's answers stay while 200 pages watch one run and 16 live pictures run.

The whole product as real processes, the model a policy server that talks for some seconds. The
viewers are sockets in a process of their own; every one of them must get every event, in order.
The same requests are timed with nobody watching and under that load.
"""

import asyncio
import multiprocessing
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2

from bench.figure import Figure
from tests.policy_model import PolicyModel, Reply, Request
from tests.stack import Stack, follow
from virtual_phone.adb_server import AdbServer, free_port
from virtual_phone.testing import VirtualRack

VIEWERS = 200
PICTURES = 16
PHONES = 5
WORDS = 400
TALK_S = 25
TIMED = 80
PAUSE_S = 0.05  # so that the requests meet the viewers at many moments
PATHS = ("/api/agent/conversations", "/api/agent/runs", "/api/devices", "/api/agent/config")
GOAL = 5.0
END_S = 90.0

Address = tuple[int, str]
Seen = list[int]
OPEN: list[asyncio.StreamWriter] = []  # one that is let go closes its connection


def figures() -> Iterator[Figure]:
    """Time requests without viewers, then with all of them."""
    os.environ["ANDROID_ADB_SERVER_PORT"] = str(port := free_port())
    server = AdbServer(port)
    with TemporaryDirectory() as folder, VirtualRack(phones=PHONES) as rack:
        addresses = [phone.address for phone in rack.phones]
        for address in addresses:
            server.connect(address)
        stack = Stack(Path(folder) / "data", addresses, port).start()
        try:
            with PolicyModel(_talk) as model, stack.client() as client:
                _choose(client, model.url)
                yield from _measured(stack, client)
        finally:
            stack.stop()
            server.close()


def _talk(request: Request) -> Reply:
    return Reply(content="word " * WORDS, trickle_s=TALK_S / WORDS)


def _choose(client: httpx2.Client, url: str) -> None:
    settings = {"agent_api_base": url, "agent_model": "policy", "agent_api_key": "bench"}
    client.put("/api/agent/config", json=settings).raise_for_status()


def _measured(stack: Stack, client: httpx2.Client) -> Iterator[Figure]:
    _median_ms(client)  # warm
    idle = _median_ms(client)
    phones = [item["serial"] for item in client.get("/api/devices").json()["items"]]
    started = client.post("/api/agent/run", json={"prompt": "talk", "serial": phones[0]})
    run_id = started.raise_for_status().json()["run_id"]
    address = (stack.web_port, client.headers["Authorization"])
    with _viewers(address, run_id, phones[1:]) as ends:
        loaded = _median_ms(client)
        seen, frames = ends.recv()
    log = [event_id for event_id, _, _ in follow(client, run_id)]
    whole = sum(each == log for each in seen)
    yield Figure(f"console.json_{VIEWERS}_viewers", loaded, "ms", idle, GOAL)
    yield Figure("console.events_of_each_viewer", len(log), "events")
    yield Figure("console.frames_of_each_picture", statistics.median(frames), "frames")
    if whole != VIEWERS:
        raise AssertionError(f"{VIEWERS - whole} viewers missed some of {len(log)} events")
    if min(frames) == 0:
        raise AssertionError("a live picture showed nothing")


def _median_ms(client: httpx2.Client) -> float:
    spent = []
    for at in range(TIMED):
        begun = time.perf_counter()
        client.get(PATHS[at % len(PATHS)]).raise_for_status()
        spent.append((time.perf_counter() - begun) * 1000)
        time.sleep(PAUSE_S)
    return statistics.median(spent)


@contextmanager
def _viewers(address: Address, run_id: str, phones: Sequence[str]) -> Iterator[Connection]:
    """Have everyone look, in a process of its own, until the run has ended for all."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_look_all, args=(theirs, address, run_id, phones)
    )
    process.start()
    try:
        ours.recv()  # everyone is there
        yield ours
    finally:
        process.join(5)
        process.kill()


def _look_all(ends: Connection, address: Address, run_id: str, phones: Sequence[str]) -> None:
    asyncio.run(_look(ends, address, run_id, phones))


async def _look(ends: Connection, address: Address, run_id: str, phones: Sequence[str]) -> None:
    connected = asyncio.Barrier(VIEWERS + PICTURES + 1)
    over = asyncio.Event()
    paths = [f"/api/devices/{phones[at % len(phones)]}/live?fps=5" for at in range(PICTURES)]
    pictures = [asyncio.create_task(_watch(address, path, connected, over)) for path in paths]
    readers = [asyncio.create_task(_read(address, run_id, connected)) for _ in range(VIEWERS)]
    await connected.wait()
    ends.send(True)
    seen = await asyncio.wait_for(asyncio.gather(*readers), END_S)
    over.set()
    ends.send((seen, await asyncio.gather(*pictures)))


async def _read(address: Address, run_id: str, connected: asyncio.Barrier) -> Seen:
    """Read a run's events to their end and give their ids."""
    reader = await _get(address, f"/api/agent/stream?run_id={run_id}")
    await connected.wait()
    seen: Seen = []
    async for line in reader:
        if line.startswith(b"id: "):
            seen.append(int(line[4:]))
    return seen


async def _watch(
    address: Address, path: str, connected: asyncio.Barrier, over: asyncio.Event
) -> int:
    """Look at a live picture until all is over and count its frames."""
    reader = await _get(address, path)
    await connected.wait()
    ended = asyncio.create_task(over.wait())
    frames = 0
    while not over.is_set():
        read = asyncio.create_task(reader.read(1 << 16))
        await asyncio.wait({read, ended}, return_when=asyncio.FIRST_COMPLETED)
        frames += read.result().count(b"image/jpeg") if read.done() else 0
        read.cancel()
    return frames


async def _get(address: Address, path: str) -> asyncio.StreamReader:
    """Send a request and give what comes after the answer's head."""
    port, authorization = address
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {authorization}\r\n\r\n"
    writer.write(head.encode())
    await writer.drain()
    status = await reader.readline()
    if b" 200 " not in status:
        raise AssertionError(f"{path}: {status!r}")
    OPEN.append(writer)
    return reader
