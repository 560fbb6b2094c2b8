"""Carry out steps one after the other, without a model, and tell what came of each.

A generator of events: who drives it decides when to go on, and may leave it standing while a
person is asked. It ends at the first step that fails and is not optional.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from core.errors import (
    ConsoleError,
    DeviceLost,
    DeviceOffline,
    DeviceSlow,
    Invalid,
    LeaseLost,
    PersonNeeded,
    RunOver,
    ScreenUnreadable,
    TakenOver,
    Unauthorized,
    WriteOff,
)
from core.steps import likeness as screens
from core.steps import types, values
from core.steps.doing import Doer
from core.steps.hands import Hands, Stop
from core.steps.looking import Looking, Pace
from core.steps.nags import DEFAULT_NAGS, Nag
from core.steps.record import Doing, Event, Status, StepRecord, Trace, Verdict, Waiting
from core.steps.schema import Selector, StepParams, Steps

RETRIES = 2
ROUNDS_MOST = 200  # of a repetition without a number
DONE_MOST = 5_000  # steps in one run, repetitions counted
DEEPEST = 8  # actions that run actions
#: What passes by itself; a step that may be done twice is tried again.
PASSING = (DeviceLost, DeviceSlow, ScreenUnreadable)
#: What the next step would meet as well, so that no step is optional then.
FINAL = (LeaseLost, Unauthorized, WriteOff, DeviceOffline)

Flow = Literal["on", "failed", "stopped"]
FindAction = Callable[[str], tuple[str, Steps]]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a run of steps is given.

    Args:
        stop: Ends the run within a second once it is set.
        action: Finds a saved action by name or alias: its own name, and its steps.
        inputs: Values for ``{{name}}``.
        nags: How to get out of the way what nobody asked for.
        pace: How long to wait for what.
    """

    stop: Stop
    action: FindAction
    inputs: dict[str, str] = field(default_factory=dict)
    nags: Sequence[Nag] = DEFAULT_NAGS
    pace: Pace = field(default_factory=Pace)


class Runner:
    """One run of steps on one phone."""

    def __init__(self, hands: Hands, setting: Setting) -> None:
        self.hands = hands
        self.setting = setting
        self.looking = Looking(hands, setting.stop, setting.nags, setting.pace)
        self.doer = Doer(self.looking)
        self.doer.values = dict(setting.inputs)
        self.count = 0
        self.optional_failed = False
        self.running: list[str] = []
        self.error: ConsoleError | None = None

    @property
    def values(self) -> dict[str, str]:
        """Give the inputs, and what was extracted so far."""
        return self.doer.values

    def run(
        self, steps: Sequence[StepParams], path: str = "steps", first: int = 0
    ) -> Doing[Verdict]:
        """Carry steps out, from the ``first`` on; ``error`` is why the run failed, if it did.

        Raises:
            Invalid: An input is missing; nothing was done.
        """
        values.need(steps[first:], {**self.values, **self._made(steps[first:])})
        match (yield from self._all(steps, path, first)):
            case "stopped":
                return "stopped"
            case "failed":
                return "failed"
            case _:
                return "partial" if self.optional_failed else "success"

    def _all(self, steps: Sequence[StepParams], path: str, first: int = 0) -> Doing[Flow]:
        for at, step in enumerate(steps[first:], first):
            flow = yield from self._one(step, f"{path}.{at}")
            if flow != "on":
                return flow
        return "on"

    def _one(self, step: StepParams, path: str) -> Doing[Flow]:
        self.count += 1
        trace = Trace(self.count, path)
        begun = time.monotonic()
        flow: Flow = "on"
        error: ConsoleError | None = None
        self.hands.begin(path)
        try:
            self._check_bounds(path)
            ready = values.filled(step, self.values, path)
            flow = yield from self._patiently(ready, trace)
            error = self.error if flow == "failed" else None
        except RunOver:
            flow = "stopped"
        except ConsoleError as caught:
            flow, error = "failed", caught
        ms = round((time.monotonic() - begun) * 1000)
        yield self._record(step, trace, flow, error, ms)
        self.error = error
        if flow == "failed" and step.optional and not isinstance(error, FINAL):
            self.optional_failed = True
            return "on"
        return flow

    def _patiently(self, step: StepParams, trace: Trace) -> Doing[Flow]:
        """Try a step again once a person has answered, and where that can do no harm."""
        tries = 0
        while True:
            need: PersonNeeded | None = None
            try:
                return (yield from self._do(step, trace))
            except PersonNeeded as error:
                # the phone may have been taken between the text and its enter
                if isinstance(error, TakenOver) and isinstance(step, types.InputText):
                    raise
                need = error
            except PASSING as error:
                if not step.idempotent or tries >= RETRIES:
                    raise
                trace.note("retried", reason=str(error))
            if need is not None:
                yield Waiting(trace.path, need)
            else:
                tries += 1
                yield from self.looking.pause(tries * self.setting.pace.retry_s, trace)

    def _do(self, step: StepParams, trace: Trace) -> Doing[Flow]:
        match step:
            case types.IfExists():
                return (yield from self._if_exists(step, trace))
            case types.Repeat():
                return (yield from self._repeat(step, trace))
            case types.RunAction():
                return (yield from self._run_action(step, trace))
            case _:
                yield from self.doer.do(step, trace)
                return "on"

    def _if_exists(self, step: types.IfExists, trace: Trace) -> Doing[Flow]:
        wanted = (step.selector, *step.alternatives)
        found = yield from self.looking.seek(wanted, step.patience_s, trace, clear=False)
        trace.said = found.element.gist if found else "not there"
        branch, key = (step.then, "then") if found else (step.otherwise, "else")
        return (yield from self._all(branch, f"{trace.path}.{key}"))

    def _repeat(self, step: types.Repeat, trace: Trace) -> Doing[Flow]:
        rounds = 0
        while (yield from self._again(step, rounds, trace)):
            flow = yield from self._all(step.steps, f"{trace.path}.steps")
            rounds += 1
            trace.said = f"{rounds} rounds"
            if flow != "on":
                return flow
        trace.said = f"{rounds} rounds"
        return "on"

    def _again(self, step: types.Repeat, rounds: int, trace: Trace) -> Doing[bool]:
        """Say whether a repetition goes on."""
        if step.condition is None:
            return rounds < int(step.times or 0)
        wanted: tuple[Selector, ...] = (step.condition.selector,)
        patience_s = step.timeout_s or types.IfExists.waits_s
        if step.condition.gone:
            left = yield from self.looking.until_gone(wanted, 0, trace)
            goes_on = left is None
        else:
            found = yield from self.looking.seek(wanted, patience_s, trace, clear=False)
            goes_on = found is not None
        if goes_on and rounds >= ROUNDS_MOST:
            detail = f"{trace.path}: it did not end within {ROUNDS_MOST} rounds."
            raise Invalid(path=trace.path, detail=detail)
        return goes_on

    def _run_action(self, step: types.RunAction, trace: Trace) -> Doing[Flow]:
        """Do an action's steps with its own inputs; what it extracts is there afterwards."""
        name, steps = self.setting.action(step.name)
        trace.said = name
        if name in self.running or len(self.running) >= DEEPEST:
            chain = " → ".join([*self.running, name])
            raise Invalid(
                path=trace.path, detail=f"{trace.path}: actions run in a circle: {chain}."
            )
        inputs = values.checked(step.inputs, f"{trace.path}.inputs")
        values.need(steps, {**inputs, **self._made(steps)}, f"{trace.path}.inputs")
        outer, self.doer.values = self.doer.values, dict(inputs)
        self.running.append(name)
        try:
            return (yield from self._all(steps, f"{trace.path}.steps"))
        finally:
            self.running.pop()
            made = {key: said for key, said in self.doer.values.items() if inputs.get(key) != said}
            self.doer.values = {**outer, **made}

    def _made(self, steps: Sequence[StepParams]) -> dict[str, str]:
        return dict.fromkeys(values.made_by_actions(steps, self.setting.action), "")

    def _check_bounds(self, path: str) -> None:
        if self.setting.stop.is_set():
            raise RunOver
        if self.count > DONE_MOST:
            raise Invalid(path=path, detail=f"more than {DONE_MOST} steps were done.")

    def _record(
        self,
        step: StepParams,
        trace: Trace,
        flow: Flow,
        error: ConsoleError | None,
        ms: int,
    ) -> StepRecord:
        seen = screens.of(trace.seen) if trace.seen is not None else None
        if step.expect is not None and seen is not None:
            alike = screens.likeness(step.expect, seen)
            if alike < screens.ALIKE:
                trace.note("other_screen", percent=round(alike * 100))
        status: Status = "ok" if flow == "on" else flow
        return StepRecord(
            n=trace.n,
            path=trace.path,
            type=step.type,
            status=status,
            ms=ms,
            optional=step.optional,
            said=trace.said,
            selector=trace.selector.given if trace.selector else None,
            screen=screens.mark(seen) if seen else "",
            notes=tuple(trace.notes),
            error=error,
        )


def records(events: Iterator[Event]) -> Iterator[StepRecord]:
    """Drive a run to its end, for who has nothing else to do while it waits.

    Raises:
        PersonNeeded: A person has to be asked, and nobody here can do that.
    """
    for event in events:
        if isinstance(event, StepRecord):
            yield event
        elif event.need is not None:
            raise event.need
