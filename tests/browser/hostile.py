"""Text that would run, mislead or burst a page, in every place that a model or a phone can fill."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from sqlalchemy import delete

from core.clock import iso, utc_now
from core.config import Config
from core.db import Database
from core.errors import DeviceOffline
from core.models import (
    AuditEntry,
    AuthSession,
    Conversation,
    ConversationMessage,
    Device,
    PolicyRule,
    Question,
    Run,
    RunEvent,
)
from core.runs.events import (
    Failed,
    InputNeeded,
    Message,
    Notice,
    ReasoningDelta,
    Route,
    TextDelta,
    ToolFinished,
)
from core.runs.wire import wire
from tests.stack import Stack

MARK = "<img src=x onerror=pwned()>"
TURNED = "\u202egpj.exe\u2067"
HOSTILE = f"{MARK}{TURNED}<script>pwned()</script>{'W' * 240}"
SHORT = f"{MARK}{TURNED}{'W' * 20}"
PLAIN = f"{MARK}{'W' * 30}"  # of a person's name what cannot be seen is refused
MARKDOWN = f"""# {HOSTILE}

{MARK} <svg onload=pwned()> <iframe srcdoc="<script>pwned()</script>"></iframe> {TURNED}

[one](javascript:pwned()) [two](JaVaScRiPt:pwned()) [three](&#106;avascript:pwned())
[four](data:text/html,<script>pwned()</script>) [five](vbscript:pwned()) <javascript:pwned()>
[six]: javascript:pwned()
![picture](https://evil.example/x.png) ![p](javascript:pwned()) <a href="javascript:pwned()">a</a>

| {SHORT} | {"宽" * 80} |
|---|---|
| {HOSTILE} | `{HOSTILE}` |

```html
{HOSTILE}
```
- {"不" * 300}
"""
RUNS = ("evil-done", "evil-open")


@contextmanager
def seeded(stack: Stack) -> Iterator[str]:
    """Fill a product with hostile text, give the conversation that has most of it, tidy up."""
    db = Database(Config(phonedeck_data=stack.data).url)
    serial = stack.addresses[0]
    try:
        with stack.client() as client:
            made = [client.post(path, json=body) for path, body in _named()]
            client.put(f"/api/devices/{serial}", json={"alias": SHORT, "tags": [SHORT[:32]]})
            admin = client.get("/api/auth/me").json()["id"]
        assert {each.status_code for each in made} <= {200, 201}, [each.text for each in made]
        with db.write() as session:
            for row in _rows(serial, admin):
                session.add(row)
                session.flush()
        yield "evil"
    finally:
        _tidy(stack, db)


def _named() -> list[tuple[str, dict[str, Any]]]:
    """List what people and models name by the API."""
    steps = [{"type": "click", "selector": {"text": HOSTILE}, "note": HOSTILE[:200]}]
    return [
        ("/api/auth/users", {"name": PLAIN, "role": "viewer"}),
        ("/api/auth/tokens", {"name": PLAIN, "role": "viewer"}),
        ("/api/agent/actions", {"name": SHORT, "aliases": [f"2{SHORT}"], "steps": steps}),
        ("/api/agent/experiences", {"task": HOSTILE, "recipe": HOSTILE, "app": SHORT}),
        ("/api/tasks", {"name": SHORT, "steps": steps, "targets": {"any": 1}}),
    ]


def _rows(serial: str, admin: str) -> Iterator[Any]:
    """Yield what a phone, a model or a stranger would have left in the database."""
    later = utc_now() + timedelta(hours=1)
    yield Conversation(id="evil", title=HOSTILE[:200], serial=serial)
    for run_id, status in zip(RUNS, ("done", "waiting"), strict=True):
        yield Run(
            id=run_id, conv_id="evil", serial=serial, prompt=HOSTILE, status=status,
            owner="elsewhere", alive_until=later,
        )  # fmt: skip
        yield ConversationMessage(conv_id="evil", run_id=run_id, role="user", content=HOSTILE)
    failure = {"code": "model_error", "message": HOSTILE, "hint": HOSTILE}
    extra = {"reasoning": MARKDOWN, "steps": 1, "error": failure}
    yield ConversationMessage(
        conv_id="evil", run_id=RUNS[0], role="assistant", content=MARKDOWN, extra=extra
    )
    yield from _events(RUNS[0], [_step(1), Failed("model_error", HOSTILE, HOSTILE)])
    asked = InputNeeded(
        question_id="evil-q", kind="approval", title=HOSTILE[:200], question=HOSTILE,
        options=(("approve", HOSTILE), ("deny", SHORT)), expires_at=iso(later),
    )  # fmt: skip
    yield Question(
        id="evil-q", run_id=RUNS[1], kind="approval", title=HOSTILE[:200], text=HOSTILE,
        expires_at=later,
    )  # fmt: skip
    yield from _events(RUNS[1], [*_told(), _step(1), asked])
    yield Device(
        serial=SHORT[:60], hardware_serial="evil", model=HOSTILE[:128], android=HOSTILE[:32],
        state="sick", reason=json.dumps(DeviceOffline(serial=SHORT, reason=HOSTILE).wire()),
    )  # fmt: skip
    yield AuthSession(
        digest="evil", user_id=admin, csrf="x", agent=HOSTILE[:200], address=SHORT[:64],
        expires=later,
    )  # fmt: skip
    yield PolicyRule(app=HOSTILE[:200], kind="pay", label=HOSTILE[:200], effect="ask")
    yield AuditEntry(
        who=HOSTILE[:64], token=SHORT[:64], action=HOSTILE[:64], method="POST",
        target=HOSTILE[:200], status=200, address=HOSTILE[:64],
    )  # fmt: skip


def _told() -> list[Any]:
    return [
        Route("phone", HOSTILE, ("phone", HOSTILE)),
        ReasoningDelta(MARKDOWN),
        TextDelta(MARKDOWN),
        Message(HOSTILE, "agent"),
        Message(HOSTILE, "user"),
        Notice("model_retry", HOSTILE),
    ]


def _step(n: int) -> ToolFinished:
    args = {"text": HOSTILE, HOSTILE: [HOSTILE]}
    return ToolFinished(f"call{n}", "error", HOSTILE, n=n, name=HOSTILE, args=args)


def _events(run_id: str, events: list[Any]) -> Iterator[RunEvent]:
    for at, told in enumerate(filter(None, map(wire, events))):
        yield RunEvent(run_id=run_id, id=at + 1, name=told[0], data=json.dumps(told[1]))


def _tidy(stack: Stack, db: Database) -> None:
    with db.write() as session:
        session.execute(delete(Conversation).where(Conversation.id == "evil"))
        session.execute(delete(Device).where(Device.hardware_serial == "evil"))
        session.execute(delete(PolicyRule).where(PolicyRule.app == HOSTILE[:200]))
        session.execute(delete(AuthSession).where(AuthSession.digest == "evil"))
        session.execute(delete(AuditEntry).where(AuditEntry.who == HOSTILE[:64]))
    db.close()
    with stack.client() as client:
        client.put(f"/api/devices/{stack.addresses[0]}", json={"alias": "", "tags": []})
        for path in {path for path, _ in _named()}:
            for item in client.get(path).json()["items"]:
                if MARK in str(item):
                    name = next(
                        item[key] for key in ("id", "task_id", "experience_id") if key in item
                    )
                    client.delete(f"{path}/{name}")
