"""What the console's pages cost with a year of work in the database, against an empty one.

Both consoles answer in this process, without a network between; every listing that a route
gives is asked for by the same client.
"""

import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import insert

from bench.figure import Figure
from core.clock import utc_now
from core.config import Config
from core.db import Database
from core.models import (
    Artifact,
    AuditEntry,
    Conversation,
    ConversationMessage,
    Device,
    MessageIn,
    MessageOut,
    Question,
    Run,
    RunEvent,
    Task,
    TaskGroup,
    TaskRun,
)
from core.people import users
from core.tasks.schema import TaskSpec
from web.app import console_of, create_app

RUNS, EVENTS = 2_000, 100_000
GOAL = 5.0
ROUNDS = 15
TASK = TaskSpec(name="打开设置", steps=[{"type": "open_app", "app": "设置"}])
PASSWORD = "correct horse battery"
#: What asks a phone or a model, has no end, or adds up everything that is kept.
NO_PAGES = re.compile(
    "/stream|/events$|/live|/screenshot|/doctor|/info|/export|/openapi|/metrics|/storage|/tasks/next"
)
FILTERED = (
    "/api/runs?task_id=t0",
    "/api/runs?serial=s0",
    "/api/runs?status=failed,stopped",
    "/api/tasks/t0/groups/g0",
    "/api/agent/runs?conv_id=c0",
    "/api/agent/runs?serial=s0&status=failed",
    "/api/agent/runs?serial=nothing",
    "/api/agent/runs?status=waiting",
    "/api/agent/runs/r0/events",
    "/api/auth/audit?who=bench",
)


def figures() -> Iterator[Figure]:
    """Measure every page in milliseconds, full against empty."""
    with console(0, 0) as empty, console(RUNS, EVENTS) as full:
        for page in pages(full.application):
            ours, theirs = _ms(full, page), _ms(empty, page)
            yield Figure(f"pages{page}", ours, "ms", theirs, GOAL)


def pages(app: Flask) -> list[str]:
    """List the addresses of what the console reads from its database."""
    rules = [rule.rule for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ())]
    found = [rule for rule in rules if rule.startswith("/api/") and not NO_PAGES.search(rule)]
    ids = {"<run_id>": "r0", "<conv_id>": "c0", "<task_id>": "t0", "<task_run_id>": "t0"}
    named = [re.sub("<[^>]+>", lambda part: ids.get(part[0], part[0]), rule) for rule in found]
    return sorted({page for page in named if "<" not in page} | set(FILTERED))


@contextmanager
def console(runs: int, events: int) -> Iterator[FlaskClient]:
    """Give a client that is logged in to a console with so much in it."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Config(phonedeck_data=Path(folder), phonedeck_mcp_port=9))
        db = console_of(app).instance.db
        users.create_user(db, "bench", PASSWORD, "admin")
        fill(db, max(runs, 1), events)
        client = app.test_client()
        client.post("/api/auth/login", json={"username": "bench", "password": PASSWORD})
        try:
            yield client
        finally:
            console_of(app).close()


def fill(db: Database, runs: int, events: int) -> None:
    """Write so many ended runs with all that hangs on them, four runs a conversation."""
    begun = utc_now() - timedelta(days=365)
    moments = [(at, begun + timedelta(minutes=at)) for at in range(runs)]
    with db.write() as session:
        session.add(Device(serial="s0", hardware_serial="HW0", state="ready", model="Pixel 7"))
        session.execute(insert(Conversation), [_conversation(*each) for each in moments[::4]])
        session.add(Task(id="t0", name="打开设置", body=TASK.body))
        for table, row in HANGING.items():
            session.execute(insert(table), [row(*each) for each in moments])
        for role in ("user", "assistant"):
            session.execute(insert(ConversationMessage), [_said(*each, role) for each in moments])
        if events:
            session.execute(insert(RunEvent), [_event(at, runs) for at in range(events)])


def _conversation(at: int, when: datetime) -> dict[str, Any]:
    title = f"打开设置，看第 {at} 次"
    return {"id": f"c{at // 4}", "title": title, "serial": "s0", "created": when, "updated": when}


def _of(at: int) -> dict[str, Any]:
    return {"conv_id": f"c{at // 4}", "run_id": f"r{at}"}


def _run(at: int, when: datetime) -> dict[str, Any]:
    status = ("done", "failed", "stopped")[at % 3]
    ended = {"status": status, "created": when, "ended": when, "prompt": "打开设置"}
    return {"id": f"r{at}", "conv_id": f"c{at // 4}", "serial": "s0", **ended}


def _said(at: int, when: datetime, role: str) -> dict[str, Any]:
    return {**_of(at), "role": role, "content": "已打开「Wi-Fi」。" * 20, "created": when}


def _message_in(at: int, when: datetime) -> dict[str, Any]:
    return {**_of(at), "id": f"m{at}", "status": "completed", "created": when, "body": {}}


def _message_out(at: int, when: datetime) -> dict[str, Any]:
    return {**_of(at), "in_reply_to": f"m{at}", "attempt": 1, "created": when, "body": {}}


def _question(at: int, when: datetime) -> dict[str, Any]:
    asked = {"kind": "approval", "text": "可以吗？", "status": "answered", "options": []}
    return {"id": f"q{at}", "run_id": f"r{at}", **asked, "created": when, "expires_at": when}


def _deed(at: int, when: datetime) -> dict[str, Any]:
    did = {"who": "bench", "action": "agent.run", "method": "POST", "target": "/api/agent/run"}
    return {**did, "status": 202, "created": when, "until": when}


def _artifact(at: int, when: datetime) -> dict[str, Any]:
    return {"id": f"a{at}", "run_id": f"r{at}", "mime": "image/jpeg", "size": 1, "created": when}


def _start(at: int, when: datetime) -> dict[str, Any]:
    return {"id": f"g{at}", "task_id": "t0", "revision": 1, "name": "打开设置", "created": when}


def _task_run(at: int, when: datetime) -> dict[str, Any]:
    status = ("success", "failed", "stopped")[at % 3]
    of = {"id": f"t{at}", "group_id": f"g{at}", "task_id": "t0", "revision": 1, "name": "打开设置"}
    phone = {"serial": "s0", "hardware_serial": "HW0"}
    return {**of, **phone, "status": status, "created": when, "started": when, "ended": when}


def _event(at: int, runs: int) -> dict[str, Any]:
    data = '{"text": "一", "kind": "content"}'
    return {"run_id": f"r{at % runs}", "id": at + 1, "name": "delta", "data": data}


#: What each run leaves behind, in the order in which it may be written.
HANGING: dict[Any, Callable[[int, datetime], dict[str, Any]]] = {
    Run: _run,
    MessageIn: _message_in,
    MessageOut: _message_out,
    Question: _question,
    Artifact: _artifact,
    AuditEntry: _deed,
    TaskGroup: _start,
    TaskRun: _task_run,
}


def _ms(client: FlaskClient, page: str) -> float:
    """Ask a few times and take the median of the processor time, in milliseconds."""
    return median(_once(client, page) for _ in range(ROUNDS))


def _once(client: FlaskClient, page: str) -> float:
    begun = time.process_time()
    answer = client.get(page)
    spent = (time.process_time() - begun) * 1000
    if answer.status_code != 200:
        raise RuntimeError(f"{page}: {answer.status_code}")
    return spent
