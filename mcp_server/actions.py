"""The tool that replays a saved action on the caller's phone, without a model.

A replay that must wait, for a person or because a call may last only so long, is left standing
and goes on where it was when the same call comes again. What acted is never done twice by itself.
"""

import logging
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Annotated, Any

from mcp.server.mcpserver import Image
from pydantic import Field

from core.errors import (
    ActionChanged,
    ActionFailed,
    ActionLost,
    ApprovalStale,
    ConsoleError,
    LeaseLost,
)
from core.memory import actions, stale
from core.memory.actions import Action
from core.runs import questions, standing
from core.runs.questions import ALWAYS, YES
from core.steps import nag_rules, values
from core.steps.record import Doing, StepRecord, Verdict
from core.steps.runner import Runner, Setting
from mcp_server.access import Device
from mcp_server.consent import Call
from mcp_server.hands import LeaseStop, PhoneHands, Ways
from mcp_server.toolbox import TOUCH, Serial, Spec, optional

logger = logging.getLogger(__name__)

NAME = "de_run_action"
LIMIT_S = 12.0  # a tool call is given up after 30, and one act may take 15
GOES_ON_S = 60.0  # later a replay that was cut short is no longer what the caller means
STANDING = 64
PICTURES = 3
DRIFTED = "other_screen"  # how the runner notes a screen that a step was not made for
INPUTS = optional("object", "Values by name")


@dataclass
class Replay:
    """An action on its way; ``question_id`` is what it waits for, if a person is asked."""

    text: str
    action: Action
    hands: PhoneHands
    runner: Runner
    events: Doing[Verdict]
    told: list[StepRecord] = field(default_factory=list)
    question_id: str = ""
    until: float = 0.0
    was_left: bool = False


class ActionTools:
    """Replays; the method is a tool and its docstring the tool's description."""

    def __init__(self, ways: Ways) -> None:
        self.ways = ways
        self.access = ways.acting.access
        self.db = self.access.db
        self._standing: OrderedDict[tuple[str, str], Replay] = OrderedDict()
        self._lock = threading.Lock()

    def specs(self) -> list[Spec]:
        """List the tool."""
        return [Spec(self.de_run_action, "Run a saved action", TOUCH)]

    def de_run_action(
        self,
        name: Annotated[str, Field(description="As saved, or an alias")],
        inputs: Annotated[dict[str, Any] | None, INPUTS] = None,
        serial: Serial = None,
    ) -> list[Any]:
        """Replay a saved action, without further thought."""
        device = self.access.writable(serial)
        call = Call(NAME, {"name": name, "inputs": inputs})
        replay = self._standing_one(device, call) or self._begun(device, call)
        replay.hands.device = device
        return self._go_on(replay)

    def _begun(self, device: Device, call: Call) -> Replay:
        self._refuse_again(device, call)
        action = actions.resolve(self.db, call.arguments["name"])
        given = values.checked(call.arguments["inputs"] or {})
        hands = PhoneHands(self.ways, device, call)
        stop = LeaseStop(self.access, hands)
        nags = nag_rules.load(self.db)
        setting = Setting(stop, lambda name: actions.steps_of(self.db, name), given, nags)
        runner = Runner(hands, setting)
        runner.running.append(action.name)
        return Replay(call.text, action, hands, runner, runner.run(action.steps))

    def _standing_one(self, device: Device, call: Call) -> Replay | None:
        """Take up the replay that this very call left standing, if it may go on."""
        with self._lock:
            replay = self._standing.pop(_key(device), None)
        if replay is None:
            return None
        if replay.text == call.text and self._may_go_on(replay):
            self._check_unchanged(replay)
            return replay
        replay.events.close()
        self._forget(device)
        return None

    def _check_unchanged(self, replay: Replay) -> None:
        """Refuse to go on with steps that a person has changed or deleted meanwhile.

        Raises:
            ActionChanged: They did; a yes to the old ones counts no more.
        """
        kept = actions.find(self.db, replay.action.name)
        if kept is not None and kept.raw == replay.action.raw:
            return
        replay.events.close()
        self._forget(replay.hands.device)
        run_id = replay.hands.device.caller.run_id
        if run_id is not None:
            questions.withdraw_grants(self.db, run_id, _begins(replay.text))
        raise ActionChanged(serial=replay.hands.serial, name=replay.action.name)

    def _may_go_on(self, replay: Replay) -> bool:
        if not replay.question_id:
            return time.monotonic() < replay.until
        asked = questions.get(self.db, replay.question_id)
        if asked.value == ALWAYS:  # the rule lets it through from now on, so no grant is taken
            questions.withdraw_grants(self.db, asked.run_id, _begins(replay.text))
        # an open one is told again; after a no, or after a person had the phone, it begins anew
        return asked.kind == "approval" and (asked.open or asked.value in YES)

    def _refuse_again(self, device: Device, call: Call) -> None:
        """Refuse to repeat what acted already: a replay that was left standing, but not here.

        Raises:
            ApprovalStale: A person approved its next step; that is used up now.
            ActionLost: Nobody did; the next call begins anew.
        """
        run_id = device.caller.run_id
        if run_id is None:
            return
        is_lost = self._forget(device) == call.text
        if questions.withdraw_grants(self.db, run_id, _begins(call.text)):
            raise ApprovalStale
        if is_lost:
            raise ActionLost(serial=device.serial, name=call.arguments["name"])

    def _forget(self, device: Device) -> str:
        """Forget what a run left standing; returns which call that was, empty for none."""
        run_id = device.caller.run_id
        return standing.take(self.db, run_id) if run_id is not None else ""

    def _go_on(self, replay: Replay) -> list[Any]:
        """Carry on until the end, until a person is needed, or until the call has lasted enough.

        Raises:
            PersonNeeded: The replay stands until the answer.
            ActionFailed: A step failed; it says which, and what is near.
            LeaseLost: The phone is no longer the caller's.
        """
        deadline = time.monotonic() + LIMIT_S
        while True:
            try:
                event = next(replay.events)
            except StopIteration as end:
                return self._ended(replay, end.value)
            if isinstance(event, StepRecord):
                replay.told.append(event)
            elif event.need is not None:
                self._leave(replay, str(event.need.details["question_id"]))
                raise event.need
            elif time.monotonic() > deadline:
                self._leave(replay)
                return [f"Not finished yet. Call {NAME} again with the same arguments to go on."]

    def _leave(self, replay: Replay, question_id: str = "") -> None:
        replay.question_id = question_id
        replay.until = time.monotonic() + GOES_ON_S
        replay.was_left = True
        with self._lock:
            self._standing[_key(replay.hands.device)] = replay
            while len(self._standing) > STANDING:
                self._standing.popitem(last=False)
        run_id = replay.hands.device.caller.run_id
        if run_id is None:
            return
        try:
            standing.leave(self.db, run_id, replay.text)
        except ConsoleError as error:  # it stands all the same, as long as this process does
            logger.error("run %s: a standing replay was not noted: %s", run_id, error)

    def _ended(self, replay: Replay, verdict: Verdict) -> list[Any]:
        if replay.was_left:
            self._forget_ended(replay)
        if verdict == "stopped":
            raise LeaseLost(serial=replay.hands.serial)
        if verdict == "failed":
            error = replay.runner.error
            assert error is not None, "a replay that failed says why"
            self._note(replay, stale.failed(error))
            raise _failure(replay, error)
        self._note(replay, None, _drifted(replay.told))
        given = replay.hands.call.arguments.get("inputs")
        step = {
            "type": "run_action",
            "name": replay.action.name,
            **({"inputs": given} if given else {}),
        }
        self.ways.acting.note(replay.hands.device, None, step)
        count = sum(told.status == "ok" for told in replay.told)
        lines = [f'Ran "{replay.action.name}": {count} steps.', *_lines(replay.told)]
        pictures = replay.hands.pictures[-PICTURES:]
        return ["\n".join(lines), *(Image(data=each.jpeg, format="jpeg") for each in pictures)]

    def _forget_ended(self, replay: Replay) -> None:
        """Forget a replay that stood and has ended; where that fails, the same call is refused."""
        try:
            self._forget(replay.hands.device)
        except ConsoleError as error:
            logger.error("%s: that the replay ended was not noted: %s", replay.action.name, error)

    def _note(self, replay: Replay, why: str | None, drifted: str = "") -> None:
        """Note how a replay went; one that cannot be noted is done all the same."""
        try:
            actions.replayed(self.db, replay.action, why, drifted)
        except ConsoleError as error:
            logger.error("%s: the replay was not noted: %s", replay.action.name, error)


def _begins(text: str) -> str:
    """Give how the acts begin that belong to a call; see `core.runs.questions.Asking`."""
    return f'{text.removesuffix("}")}, "step": '


def _failure(replay: Replay, error: ConsoleError) -> ActionFailed:
    wrong = next(told for told in replay.told if told.error is error)
    before = [told for told in replay.told if told.n < wrong.n and told.error is not error]
    done = "; ".join(_lines(before)) or "nothing"
    return ActionFailed(
        serial=replay.hands.serial,
        name=replay.action.name,
        step=wrong.path,
        detail=f"{wrong.type}: {error}",
        done=f"Done before it: {done}.",
    )


def _drifted(told: list[StepRecord]) -> str:
    """Say at which step the screen was another than the step was made for; empty for none."""
    notes = ((record.n, note) for record in told for note in record.notes if note.code == DRIFTED)
    return next((stale.kept(DRIFTED, n=n, **note.details) for n, note in notes), "")


def _lines(told: list[StepRecord]) -> list[str]:
    return [_line(record) for record in sorted(told, key=lambda each: each.n)]


def _line(record: StepRecord) -> str:
    said = f": {record.said}" if record.said else ""
    failed = f" failed: {record.error}" if record.error else ""
    notes = " ".join(note.said("en") for note in record.notes)
    return f"{record.n} {record.type}{said}{failed}{f' ({notes})' if notes else ''}"


def _key(device: Device) -> tuple[str, str]:
    return device.caller.key, device.serial
