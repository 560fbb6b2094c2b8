"""Carry out steps for the console and the runner, and tell each as soon as it ended.

The answer is a stream of JSON lines. A run ends within a second when its lease is lost, or when
the reader closes the connection: nobody would know what it does.
"""

import asyncio
import contextlib
import json
import logging
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any, Literal

import anyio
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from core.devices import lease
from core.devices.remote import BEAT_S
from core.errors import ConsoleError
from core.memory import actions
from core.steps import nag_rules, values
from core.steps.checks import parse_steps
from core.steps.lines import Began, Ended, Pictures, Ready, Shot, StepLine, as_wire
from core.steps.record import StepRecord, Verdict
from core.steps.runner import Runner, Setting
from core.steps.schema import Steps
from core.words import DEFAULT_LANG
from mcp_server import preflight
from mcp_server.access import Access, Caller, Device
from mcp_server.consent import Call
from mcp_server.hands import LeaseStop, PhoneHands, Ways
from mcp_server.phone_api import PhoneApi, read_body

logger = logging.getLogger(__name__)

KIND = "application/x-ndjson"
LONGEST = 960
Tell = Callable[[StepLine], None]


class StepsAsked(BaseModel):
    """Steps for one phone, with the lease under which they are done; see `core.steps.lines`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    owner: str
    fence: int
    steps: list[Any]
    inputs: dict[str, Any] = Field(default_factory=dict)
    first: int = Field(default=0, ge=0)
    autonomy: Literal["auto", "confirm_risky", "confirm_all"] = "confirm_risky"
    pictures: Pictures = "failed"
    ready: Ready = Ready()


class StepRuns:
    """The route under ``/phones`` that carries out steps."""

    def __init__(self, door: PhoneApi, ways: Ways) -> None:
        self.door = door
        self.ways = ways

    def routes(self) -> list[Route]:
        """List the route."""
        return [Route("/phones/{serial}/steps", self.door.guarded(self.steps), methods=["POST"])]

    async def steps(self, request: Request) -> Response:
        """Carry out steps and tell each, until the end."""
        asked = read_body(StepsAsked, await request.body())
        serial = str(request.path_params["serial"])
        run = await self.door.run(lambda: self._ready(serial, asked))
        return StreamingResponse(_lines(run), media_type=KIND)

    def _ready(self, serial: str, asked: StepsAsked) -> "StepRun":
        """Check all that can be said before anything is done."""
        slot = self.door.rack.slot(serial)
        lease.check(self.door.db, slot.hardware_serial, asked.owner, asked.fence)
        caller = Caller(
            key=asked.owner,
            who=asked.owner,
            owner=asked.owner,
            lang=DEFAULT_LANG,
            can_write=True,
            fence=asked.fence,
            autonomy=asked.autonomy,
        )
        return StepRun(self.ways, Device(slot, caller), asked)


class StepRun:
    """One run of steps on one phone."""

    def __init__(self, ways: Ways, device: Device, asked: StepsAsked) -> None:
        self.asked = asked
        self.ways = ways
        self.device = device
        self.steps: Steps = parse_steps(asked.steps)
        self.inputs = values.checked(asked.inputs)
        self.closed = threading.Event()
        self._wrong: StepRecord | None = None

    def carry_out(self, tell: Tell) -> None:
        """Do the steps in this thread and tell all of it; the last line is an `Ended`."""
        hands = _TellingHands(self.ways, self.device, tell)
        stop = _RunStop(self.ways.acting.access, hands, self.closed)
        db = self.ways.acting.access.db
        nags = nag_rules.load(db)
        setting = Setting(stop, lambda name: actions.steps_of(db, name), self.inputs, nags)
        runner = Runner(hands, setting)
        verdict: Verdict = "failed"
        error: ConsoleError | None = None
        try:
            preflight.check(self.ways, self.device, self.asked.ready)
            verdict = self._do(runner, tell)
            error = runner.error if verdict == "failed" else None
        except ConsoleError as caught:
            error = caught
        except Exception:  # whoever reads is told that something broke here, not left waiting
            logger.exception("%s: steps of %s broke off", self.device.serial, self.asked.owner)
            error = ConsoleError()
        seen = self._seen() if verdict == "failed" else ""
        path = self._wrong.path if self._wrong and error else ""
        tell(Ended(verdict, runner.values, error, path, seen))

    def _do(self, runner: Runner, tell: Tell) -> Verdict:
        events = runner.run(self.steps, first=self.asked.first)
        while True:
            try:
                event = next(events)
            except StopIteration as end:
                verdict: Verdict = end.value
                return verdict
            if isinstance(event, StepRecord):
                if self._is_shown(event):
                    self._tell_picture(event.path, tell)
                tell(event)

    def _is_shown(self, record: StepRecord) -> bool:
        """Say whether a picture goes with a step; a failure is shown once, where it happened."""
        if record.error is not None:
            known = self._wrong is not None and self._wrong.error is record.error
            self._wrong = self._wrong if known else record
            return self.asked.pictures != "none" and not known
        return self.asked.pictures == "all" and record.type != "screenshot"

    def _tell_picture(self, path: str, tell: Tell) -> None:
        try:
            tell(Shot(path, "", self.ways.acting.sight.picture(self.device, LONGEST)[1].jpeg))
        except ConsoleError as error:
            logger.info("%s: no picture of %s: %s", self.device.serial, path, error)

    def _seen(self) -> str:
        try:
            return self.ways.acting.sight.show(self.device).text
        except ConsoleError as error:
            logger.info("%s: the last screen is unknown: %s", self.device.serial, error)
            return ""


class _TellingHands(PhoneHands):
    """Hands that tell when a step begins, and hand each picture on."""

    def __init__(self, ways: Ways, device: Device, tell: Tell) -> None:
        super().__init__(ways, device, Call("steps", {}))
        self.tell = tell

    def begin(self, path: str) -> None:
        """Tell that a step begins."""
        super().begin(path)
        self.tell(Began(path))

    def keep_picture(self, name: str) -> str:
        """Take a picture; it goes to the reader at once."""
        _, picture = self.acting.sight.picture(self.device, LONGEST)
        self.tell(Shot(self.path, name, picture.jpeg))
        return name


class _RunStop(LeaseStop):
    """Stops also when nobody reads any more."""

    def __init__(self, access: Access, hands: PhoneHands, closed: threading.Event) -> None:
        super().__init__(access, hands)
        self.closed = closed

    def is_set(self) -> bool:
        """Say whether to stop now."""
        return self.closed.is_set() or super().is_set()

    def wait(self, timeout: float) -> bool:
        """Wait a while, less when the reader goes."""
        return self.closed.wait(timeout) or super().is_set()


async def _lines(run: StepRun) -> AsyncIterator[bytes]:
    """Give a run's lines as they come; an empty one when there was none for a while."""
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[StepLine] = asyncio.Queue()

    def tell(line: StepLine) -> None:
        with contextlib.suppress(RuntimeError):  # the server has ended, and with it all readers
            loop.call_soon_threadsafe(told.put_nowait, line)

    name = f"steps-{run.asked.owner}"
    threading.Thread(target=run.carry_out, args=(tell,), name=name, daemon=True).start()
    try:
        line: StepLine | None = None
        while not isinstance(line, Ended):
            line = None
            with anyio.move_on_after(BEAT_S):
                line = await told.get()
            yield _line(line)
    finally:
        run.closed.set()


def _line(line: StepLine | None) -> bytes:
    if line is None:
        return b"\n"
    return json.dumps(as_wire(line), ensure_ascii=False).encode() + b"\n"
