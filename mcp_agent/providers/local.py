"""What our two built-in brains share: the door for follow-ups, the stop, the tools, the end.

A brain is a function from a query and its tools to events; it runs in the thread that reads
them, so nothing happens that nobody reads.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from core.errors import ConsoleError, Invalid, ToolsMissing
from core.ids import short_id
from core.runs.events import (
    Closed,
    Consumed,
    ProviderEvent,
    SessionStarted,
    TurnResult,
)
from mcp_agent.abort import Abort
from mcp_agent.agent import FollowUp
from mcp_agent.guards import LoopGuard
from mcp_agent.mcp_client import McpClient
from mcp_agent.model import CallTool
from mcp_agent.providers.base import Attachment, Http, QueryInput, closed
from mcp_agent.tool_calls import Parking, ToolCalls

logger = logging.getLogger(__name__)

PHONE = "phone"

Brain = Callable[["LocalQuery", McpClient], Iterator[ProviderEvent]]


class LocalQuery:
    """A turn of a brain of ours; see `mcp_agent.providers.base.AgentQuery`."""

    def __init__(self, query: QueryInput, brain: Brain) -> None:
        self.query = query
        self.stop = Abort()
        self._brain = brain
        self._lock = threading.Lock()
        self._added: list[FollowUp] = []
        self._over = False
        self._parking = Parking(self.stop)

    def push(
        self, text: str, input_id: str, attachments: Sequence[Attachment] = ()
    ) -> Literal["injected", "queued"]:
        """Hand over a follow-up, which goes before the next model call."""
        with self._lock:
            if self._over:
                return "queued"
            self._added.append(FollowUp(input_id, text, tuple(attachments)))
            return "injected"

    def take(self, last: bool) -> Sequence[FollowUp]:
        """Take what was added; with ``last``, and nothing there, no more is let in."""
        with self._lock:
            taken, self._added = self._added, []
            self._over = self._over or (last and not taken)
            return taken

    def is_followed(self) -> bool:
        """Say whether something was added that is still to be taken; if not, no more is let in."""
        with self._lock:
            self._over = self._over or not self._added
            return bool(self._added)

    def end(self) -> None:
        """Let nothing more in; what was let in before is still answered."""
        with self._lock:
            self._over = True

    def abort(self, reason: str) -> None:
        """Stop at once, wherever the brain is."""
        self.end()
        self.stop.set(reason)

    def answer(self, question_id: str, value: str | None) -> None:
        """Let a turn that waits for this answer go on; None when nobody answered in time."""
        self._parking.answer(question_id, value)

    def waited_s(self) -> float:
        """Say how long this turn has waited for people so far."""
        return self._parking.waited_s

    def tool_calls(self, tools: McpClient, call_tool: CallTool | None = None) -> ToolCalls:
        """Give the brain its way to call tools; ``call_tool`` is another way than the phone's."""
        reads = {tool.name for tool in tools.tools() if tool.read_only}
        guarded = LoopGuard(call_tool or tools.call, reads)
        return ToolCalls(guarded, self._parking if self.query.parks else None)

    def events(self) -> Iterator[ProviderEvent]:
        """Run the brain; whatever happens, the last events are a result and `Closed`."""
        closing = Closed("finished")
        yield SessionStarted(self.query.continuation or short_id())
        yield Consumed((self.query.input_id,))
        try:
            with McpClient(self._phone(), self.stop) as tools:
                if not tools.tools() and not self.stop.is_set():
                    raise ToolsMissing(url=self._phone().url)
                yield from self._brain(self, tools)
        except ConsoleError as error:
            closing = closed(error.code)
            yield self._failure(error)
        except Exception as error:  # the boundary: a run must end with words, not with a thread
            logger.exception("input %s: the provider failed", self.query.input_id)
            detail = type(error).__name__
            closing = closed("provider_failed")
            yield TurnResult("error", error_class="provider_failed", details={"detail": detail})
        self.end()
        yield Closed(self.stop.reason) if self.stop.reason else closing

    def _phone(self) -> Http:
        server = self.query.mcp.get(PHONE)
        if not isinstance(server, Http):
            raise Invalid(detail="this brain reaches the phone by HTTP only", path="mcp")
        return server

    def _failure(self, error: ConsoleError) -> TurnResult:
        if self.stop.is_set():  # what breaks because of a stop is no failure
            return TurnResult("aborted")
        status = error.details.get("status")
        return TurnResult(
            "error",
            error_class=error.code,
            http_status=status if isinstance(status, int) else None,
            details=error.details,
        )
