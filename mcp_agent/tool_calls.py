"""Carry out one tool call of a brain of ours, also when a person has to be asked first.

The tools never wait for a person; they say which question must be answered. Then the turn parks
here, without a model call, until the runner hands the answer over.
"""

import threading
import time
from collections.abc import Generator
from dataclasses import dataclass, replace

from core.errors import ConsoleError
from core.runs.events import ProviderEvent, ToolFinished, ToolStarted
from core.runs.questions import YES
from mcp_agent.abort import Abort
from mcp_agent.model import CallTool, ToolCall, ToolOutcome, Waiting

DENIED = "The person said no. Nothing was sent to the phone. Do it another way, or stop and say so."
NOBODY = "Nobody answered in time. Nothing was sent to the phone."
ANSWERED = "The person answered: {value}"
UNANSWERED = "Nobody answered in time. Go on without the answer, or stop and say what is missing."
GIVEN_BACK = (
    "A person had the phone meanwhile and gave it back; this call was not carried out. "
    "Look at the screen again before you go on."
)
ABORTED = "Stopped while a person was asked; nothing was sent to the phone."

Carrying = Generator[ProviderEvent, None, ToolOutcome]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person said; ``value`` is None when nobody did in time."""

    value: str | None


class Parking:
    """Where a turn waits for a person; answers may come before anybody waits.

    ``waited_s`` is how long it has waited so far, which is no time of the run's own.
    """

    def __init__(self, abort: Abort) -> None:
        self._abort = abort
        self._changed = threading.Condition()
        self._answers: dict[str, Answer] = {}
        self.waited_s = 0.0

    def answer(self, question_id: str, value: str | None) -> None:
        """Hand an answer over; may be called from any thread."""
        with self._changed:
            self._answers[question_id] = Answer(value)
            self._changed.notify_all()

    def wait(self, question_id: str) -> Answer | None:
        """Wait for the answer to a question; None when a stop came first."""
        begun = time.monotonic()
        with self._abort.calling(self._wake), self._changed:
            self._changed.wait_for(lambda: question_id in self._answers or self._abort.is_set())
            self.waited_s += time.monotonic() - begun
            return None if self._abort.is_set() else self._answers.pop(question_id)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()


@dataclass(frozen=True)
class ToolCalls:
    """Makes calls and says how they ended; without ``parking``, questions are left to the brain."""

    call_tool: CallTool
    parking: Parking | None = None

    def carry_out(self, call: ToolCall) -> Carrying:
        """Make a call, wait for a person where one is asked, and return what the brain reads."""
        outcome = yield from self._once(call)
        again = 1
        while outcome.waits_for is not None and self.parking is not None:
            answer = self.parking.wait(outcome.waits_for.question_id)
            if answer is None:
                return ToolOutcome("aborted", ABORTED)
            if not _approved(outcome.waits_for, answer):
                return _told(outcome.waits_for, answer)
            again += 1
            outcome = yield from self._once(replace(call, id=f"{call.id}.{again}"))
        return outcome

    def _once(self, call: ToolCall) -> Carrying:
        yield ToolStarted(call.id, call.name, call.arguments)
        begun = time.monotonic()
        fault: ConsoleError | None = None
        try:
            outcome = ToolOutcome("error", call.problem) if call.problem else self.call_tool(call)
        except ConsoleError as error:  # it ends the run, and this step before it
            outcome, fault = ToolOutcome("error", str(error)), error
        ms = round((time.monotonic() - begun) * 1000)
        waits = outcome.waits_for is not None
        yield ToolFinished(
            call.id,
            outcome.status,
            outcome.text,
            outcome.pictures,
            ms=ms,
            waits=waits,
            touched=outcome.touched,
        )
        if fault is not None:
            raise fault
        return outcome


def _approved(waiting: Waiting, answer: Answer) -> bool:
    return waiting.kind == "approval" and answer.value in YES


def _told(waiting: Waiting, answer: Answer) -> ToolOutcome:
    """Say what a person decided, as the result of the call that asked."""
    if waiting.kind == "takeover":
        return ToolOutcome("error", GIVEN_BACK)
    if waiting.kind == "approval":
        return ToolOutcome("denied", NOBODY if answer.value is None else DENIED)
    if answer.value is None:
        return ToolOutcome("error", UNANSWERED)
    return ToolOutcome("ok", ANSWERED.format(value=answer.value))
