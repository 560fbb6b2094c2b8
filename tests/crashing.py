"""Processes that are killed with SIGKILL at a chosen point of their life.

Points inside the runner are functions of the product, wrapped here and nowhere else: after the
call that counts, the process is gone before it can do another thing. What only others can see
(the model was asked, the phone was touched) is told to a `Witness`, which kills.

Processes come from a fork server that has everything imported, so that a restart costs what the
product does at a start, and not what Python does.
"""

import functools
import itertools
import multiprocessing
import os
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import configure_mappers

from core import settings, setup
from core.config import Config
from core.db import Database
from core.inbox import queue
from core.models import RunLesson
from core.runs import store
from core.runs.logs import EventLogs
from mcp_agent.hearing import READS
from mcp_agent.learner import Learner
from mcp_agent.mcp_client import McpClient
from mcp_agent.providers.base import load_providers
from mcp_agent.runner import Runner, RunStart
from tests.policy_model import Call, Reply, Request, last_user, tool_texts
from virtual_phone.testing import PhoneHandle

load_providers()  # for the fork server: the first runner of a process would import them
configure_mappers()

ANSWER_S = 30.0
SETTINGS = "com.android.settings"

#: A point's name: where the function is, its name, and whether a call (arguments, result) counts.
INSIDE: dict[str, tuple[Any, str, Callable[[tuple[Any, ...], Any], bool]]] = {
    "accepted": (store, "start", lambda given, record: True),
    "claimed": (queue, "claim", lambda given, row: row is not None),
    "act done": (McpClient, "call", lambda given, outcome: given[1].name not in READS),
    "event flushed": (store, "store_events", lambda given, nothing: bool(given[2])),
    "answer written": (store, "finish", lambda given, ours: bool(ours)),
}


def switches_policy(request: Request) -> Reply:
    """Turn on each switch that the person named: look, tap one that is off, look again."""
    seen = tool_texts(request)[-1] if last_call(request) == "de_ui_tree" else ""
    if 'switch "' not in seen:
        return Reply(calls=(Call("de_ui_tree"),))
    wanted = re.findall("「(.+?)」", last_user(request))
    off = [name for name in wanted if re.search(rf'switch "{name}"[^\n]* off', seen)]
    if off:
        return Reply(calls=(Call("de_tap_text", {"text": off[0]}),))
    return Reply(content="都打开了。")


def last_call(request: Request) -> str:
    """Name the tool that the model called last."""
    called = [m["tool_calls"] for m in request["messages"] if m.get("tool_calls")]
    return str(called[-1][0]["function"]["name"]) if called else ""


def show_switches(phone: PhoneHandle, names: list[str]) -> str:
    """Put switches that are off on the phone's screen; returns the prompt that wants them on."""
    phone.set("settings.toggles", [{"label": name, "on": False} for name in names])
    phone.start(SETTINGS)
    phone.set("settings.ui", {"stack": ["main", "more"]})
    return "打开" + "".join(f"「{name}」" for name in names)


def touched(phone: PhoneHandle, names: list[str]) -> dict[str, tuple[int, bool]]:
    """Tell of each switch how often it was touched since the phone's reset, and if it is on."""
    state, log = phone.ask(lambda virtual: (virtual.report(), list(virtual.touches)))
    taps = Counter(entry.get("label") for entry in log)
    now = {each["label"]: each["on"] for each in state["settings"]["toggles"]}
    return {name: (taps[name], now[name]) for name in names}


@dataclass
class Witness:
    """Kills at the ``nth`` sign of a point that is seen from outside."""

    point: str = ""
    nth: int = 0
    kill: Callable[[], None] = lambda: None
    killed: threading.Event = field(default_factory=threading.Event)

    def aim(self, point: str, nth: int, kill: Callable[[], None]) -> None:
        self.point, self.nth, self.kill = point, nth, kill
        self.killed.clear()

    def sign(self, point: str) -> None:
        """Note that a point was reached."""
        if point == self.point:
            self.nth -= 1
            if self.nth == 0:
                self.kill()
                self.killed.set()

    def policy(self, request: Request) -> Reply:
        if "tools" not in request:
            self.sign("model asked what it taught")
            return Reply(content="打开设置，把要开的开关一个个点开，看到都亮了就是好了。")
        self.sign("model asked")
        if last_call(request) == "de_tap_text":
            self.sign("act told")
        return switches_policy(request)

    @contextmanager
    def watching(self, phone: PhoneHandle) -> Iterator[None]:
        """Take each touch that the phone receives as the sign ``act sent``."""
        noticed = _Noticed(lambda: self.sign("act sent"))
        phone.ask(lambda virtual: setattr(virtual, "touches", noticed))
        try:
            yield
        finally:
            phone.ask(lambda virtual: setattr(virtual, "touches", list(noticed)))


class _Noticed(list[dict[str, Any]]):
    """A list that tells when something is added."""

    def __init__(self, tell: Callable[[], None]) -> None:
        super().__init__()
        self._tell = tell

    def append(self, entry: dict[str, Any]) -> None:
        super().append(entry)
        self._tell()


@dataclass(frozen=True)
class Plan:
    """What a process works with, and where it dies: ``nth`` counts from 1.

    One that ``learns`` ends only when it has come to the end of that, too.
    """

    data: Path
    mcp_port: int
    model_url: str
    point: str = ""
    nth: int = 1
    learns: bool = False


class Life:
    """One process of a runner, from its start to its death or until it has nothing to do."""

    def __init__(self, plan: Plan) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])
        self._pipe, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(target=_live, args=(plan, theirs), daemon=True)
        self._process.start()
        theirs.close()
        assert self._heard() == "begun"

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def ask(self, asked: RunStart | None) -> str | None:
        """Start a run, or none; returns its id, or None when it died before it could say so."""
        self._pipe.send(asked)
        return self._heard() if asked else None

    def was_killed(self) -> bool:
        """Wait for its end and tell how it came."""
        self._process.join(ANSWER_S)
        code = self._process.exitcode
        self._process.kill()  # it may wait for a run that nothing ends
        assert code in (0, -signal.SIGKILL), f"the runner ended with {code}"
        return code != 0

    def _heard(self) -> str | None:
        assert self._pipe.poll(ANSWER_S), "the runner said nothing"
        try:
            return str(self._pipe.recv())
        except (EOFError, ConnectionResetError):
            return None


def _live(plan: Plan, pipe: Connection) -> None:
    if plan.point in INSIDE:
        _die_in(*INSIDE[plan.point], plan.nth)
    instance = setup.ensure(
        Config(phonedeck_data=plan.data, phonedeck_mcp_port=plan.mcp_port, database_url="")
    )
    logs = EventLogs(instance.db, store.next_boot(instance.db))
    chosen = replace(
        settings.load(instance),
        agent_api_base=plan.model_url,
        agent_model="policy",
        agent_api_key="sk-test-0123456789",
        agent_autonomy="auto",
    )
    runner = Runner(instance, logs, load_settings=lambda: chosen)
    learner = Learner(instance, lambda: chosen)
    logs.start()
    if plan.learns:
        learner.start()
        runner.learn = learner.consider
    runner.begin()
    pipe.send("begun")
    asked = pipe.recv()
    if asked is not None:
        pipe.send(runner.start(asked).run_id)
    while runner.snapshot()["running"] or (plan.learns and has_lessons(instance.db)):
        time.sleep(0.02)
    learner.stop(5)
    runner.shutdown()
    logs.close()
    instance.db.close()


def has_lessons(db: Database) -> bool:
    """Say whether some run has still to be learned from."""
    with db.read() as session:
        return session.scalar(select(RunLesson.run_id).limit(1)) is not None


def _die_in(owner: Any, name: str, counts: Callable[..., bool], nth: int) -> None:
    real, hits = getattr(owner, name), itertools.count(1)

    @functools.wraps(real)
    def deadly(*arguments: Any, **named: Any) -> Any:
        result = real(*arguments, **named)
        if counts(arguments, result) and next(hits) == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, deadly)
