"""Streams: SSE from the event logs, MJPEG from the MCP server; each in a thread of its own.

A WSGI server learns that a page has closed only when a write fails, so each stream looks at its
socket once a second; and it serves a fixed number of streams, so that requests find a thread.
"""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import takewhile
from typing import Any

from flask import Response, request

from core.devices.frames import view
from core.errors import ConsoleError, StreamsFull
from core.runs import store
from core.runs.log import Entry
from core.words import Lang
from web.console import Console, console
from web.errors import reader_lang
from web.schemas.base import LAST_ID

SLICE_S = 1.0
HEARTBEAT_S = 10.0
PAGE = 2_000
HEARTBEAT = b": keep-alive\n\n"
# a page does not see comments, and takes silence for a dead line
BEAT = b"event: beat\ndata: 1\n\n"
OPENING = b"retry: 2000\n\n"
STATES = {
    "runs": "snapshot",
    "devices": "items",
    "storage": "state",
    "memory": "learned",
    "tasks": "snapshot",
}
FAMILIES = {"task_run": "snapshot"}
NO_CACHE = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def run_stream(run_id: str, last_event_id: str | None) -> Response:
    """Follow one run: backlog first, then live, until its end.

    Raises:
        NotFound: There is no such run.
    """
    here = console()
    store.get(here.instance.db, run_id)
    cursor = _number(last_event_id or "")
    if cursor and _is_end(here, run_id, cursor):
        return Response(status=204)
    return _sse(lambda gone: _follow_run(here, run_id, cursor, gone))


def events_stream(topics: list[str], cursor: str | None) -> Response:
    """Follow several topics in one stream; see `Cursors` for the form of the ids."""
    here, lang = console(), reader_lang()
    states = {topic: lang for topic in topics if _event_of(topic)}
    runs = [topic.removeprefix("run:") for topic in topics if topic.startswith("run:")]
    return _sse(lambda gone: _follow_topics(here, runs, states, parse_cursor(cursor), gone))


def live_stream(serial: str) -> Response:
    """Pass the MCP server's MJPEG of one phone on; ``?fps=`` and ``?max=`` say how much of it."""
    here = console()
    asked = request.args
    wanted = view(asked.get("fps", type=int), asked.get("max", type=int), reader_lang())
    held = ExitStack()
    if not here.live_places.acquire(blocking=False):
        raise StreamsFull
    held.callback(here.live_places.release)
    try:
        kind, parts = held.enter_context(here.phones.live(serial, wanted))
    except ConsoleError:
        held.close()
        raise
    gone = watch_socket()
    frames = takewhile(lambda _: not gone() and not here.stopping.is_set(), parts)
    response = Response(frames, content_type=kind, headers=NO_CACHE)
    response.call_on_close(held.close)
    return response


def steps_of(run_id: str) -> list[dict[str, Any]]:
    """Return the payloads of a run's finished steps, in order."""
    entries = console().logs.read(run_id, 0)
    return [json.loads(entry.data) for entry in entries if entry.name == "step"]


def page_of(run_id: str, cursor: int) -> dict[str, Any]:
    """Return a page of a run's events after one, with neighbouring deltas of a kind joined."""
    entries = console().logs.read(run_id, cursor)
    items: list[dict[str, Any]] = []
    for entry in entries[:PAGE]:
        data = json.loads(entry.data)
        last = items[-1] if items else None
        if last and last["event"] == entry.name == "delta" and last["data"]["kind"] == data["kind"]:
            last["id"], last["data"]["text"] = entry.id, last["data"]["text"] + data["text"]
        else:
            items.append({"id": entry.id, "event": entry.name, "data": data})
    return {"items": items, "next": entries[PAGE - 1].id if len(entries) > PAGE else None}


def _sse(body: Callable[[Callable[[], bool]], Iterator[bytes]]) -> Response:
    here = console()
    if not here.sse_places.acquire(blocking=False):
        raise StreamsFull
    response = Response(body(watch_socket()), mimetype="text/event-stream", headers=NO_CACHE)
    response.call_on_close(here.sse_places.release)
    return response


def _follow_run(
    here: Console, run_id: str, cursor: int, gone: Callable[[], bool]
) -> Iterator[bytes]:
    yield OPENING
    for waited in _turns(here, gone):
        entries = here.logs.read(run_id, cursor)
        for entry in entries:
            yield f"id: {entry.id}\nevent: {entry.name}\ndata: {entry.data}\n\n".encode()
            cursor = entry.id
            if entry.terminal:
                return
        if waited and not entries:
            yield HEARTBEAT


def _follow_topics(
    here: Console,
    runs: list[str],
    states: dict[str, Lang],
    cursors: dict[str, int],
    gone: Callable[[], bool],
) -> Iterator[bytes]:
    shown: dict[str, str] = {}
    yield OPENING
    for waited in _turns(here, gone):
        sent = False
        for run_id in runs:
            for entry in here.logs.read(run_id, cursors.get(run_id, 0)):
                cursors[run_id] = entry.id
                yield _message(f"run:{run_id}", entry.name, entry.data, cursors, entry)
                sent = True
        for topic, lang in states.items():
            now = here.board.text(topic, lang)
            if now is not None and now != shown.get(topic):
                shown[topic] = now
                yield _message(topic, _event_of(topic), now, cursors)
                sent = True
        if waited and not sent:
            yield BEAT


def _event_of(topic: str) -> str:
    """Give the name under which a topic's state is sent; empty when it is no such topic."""
    return STATES.get(topic) or FAMILIES.get(topic.partition(":")[0], "")


def _turns(here: Console, gone: Callable[[], bool]) -> Iterator[bool]:
    """Yield whenever there may be news; True when it is time to show a sign of life.

    The bell rings for every log of the process, so news elsewhere is no sign of life here.
    """
    seen, shown_at = here.logs.bell.count(), time.monotonic()
    yield False
    while not here.stopping.is_set() and not gone():
        seen = here.logs.bell.wait(seen, SLICE_S)
        due = time.monotonic() - shown_at >= HEARTBEAT_S
        if due:
            shown_at = time.monotonic()
        yield due


def _is_end(here: Console, run_id: str, cursor: int) -> bool:
    before = [entry for entry in here.logs.read(run_id, cursor - 1) if entry.id == cursor]
    return bool(before) and before[0].terminal


def parse_cursor(text: str | None) -> dict[str, int]:
    """Read a position, ``run:id`` pairs as in ``a1b2:17,c3d4:9``; what is odd is left out."""
    pairs = (pair.rpartition(":") for pair in (text or "").split(","))
    return {run_id: _number(last) for run_id, _, last in pairs if run_id and last.isdecimal()}


def _number(text: str) -> int:
    """Read the id of an event, 0 for what is none; one beyond all ids waits at the last."""
    if not text.isdecimal():
        return 0
    return int(text) if len(text) < len(str(LAST_ID)) else LAST_ID


def _message(
    topic: str, event: str, data: str, cursors: dict[str, int], entry: Entry | None = None
) -> bytes:
    position = ",".join(f"{run_id}:{last}" for run_id, last in cursors.items())
    number = f'"id":{entry.id},' if entry else ""
    body = f'{{"topic":{_json(topic)},"event":{_json(event)},{number}"data":{data}}}'
    return f"id: {position}\ndata: {body}\n\n".encode()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def watch_socket() -> Callable[[], bool]:
    """Return a function that says whether the page has closed; a server without socket: never."""
    peer = request.environ.get("gunicorn.socket") or request.environ.get("werkzeug.socket")
    if not isinstance(peer, socket.socket):
        return threading.Event().is_set

    def gone() -> bool:
        try:
            return peer.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    return gone
