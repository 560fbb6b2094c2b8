"""What a brain must do to drive a phone here; `PROVIDERS` holds those there are.

The runner decides what to send, what to do with results and when to retry; a provider only
knows how to talk to its brain. Foreign packages register through the entry point group
``phonedeck.providers``: a module that decorates its class with ``PROVIDERS.register``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol

from core.errors import ConsoleError
from core.memory import clauses
from core.memory.clauses import Clause, First
from core.registry import Registry
from core.runs.events import Classification, Closed, ProviderEvent, TurnResult
from core.settings import DEFAULT_STEPS, AgentSettings
from core.words import DEFAULT_LANG, Lang
from mcp_agent.workshop import Workshop

GROUP = "phonedeck.providers"
#: What kind of failure a code is, and whether the same input may do better later.
KINDS: dict[str, tuple[Classification, bool]] = {
    "model_auth": ("auth", False),
    "model_forbidden": ("auth", False),
    "model_balance": ("quota", False),
    "model_rate": ("rate", True),
    "model_busy": ("transport", True),
    "model_down": ("transport", True),
    "model_cut": ("transport", True),
    "model_empty": ("transport", True),
    "model_timeout": ("transport", True),
    "model_unreachable": ("transport", True),
    "mcp_unreachable": ("transport", True),
    "model_too_large": ("session", False),
    "mcp_refused": ("tools", False),
    "tools_missing": ("tools", False),
    "provider_failed": ("bug", False),
}
OURS = ("mcp_agent.providers.openai_chat", "mcp_agent.providers.offline")


@dataclass(frozen=True, slots=True)
class ProviderCaps:
    """What a brain claims to be able to do beyond answering; the contract's test holds it to it.

    Attributes:
        model: A model is behind it, which may refuse, fail or break off.
        injects_mid_turn: A follow-up is taken in by the turn under way.
        text_deltas: It streams its answer.
        cost: It says what a turn cost, or used.
        images_in: It sees the pictures that tools return.
        resumes: In a later run, also of another process, it knows what was said before.
        approvals: It asks by itself (`InputNeeded`), beside what the tools ask.
        shared_server: Its queries share one process, which outlives them.
        announces: A tool call is sent only once the event that announces it was taken, so there
            is time to look at the screen before.
    """

    model: bool = False
    injects_mid_turn: bool = False
    text_deltas: bool = False
    cost: bool = False
    images_in: bool = False
    resumes: bool = False
    approvals: bool = False
    shared_server: bool = False
    announces: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was tried of a brain; ``ok`` is None when it could not be."""

    name: str
    ok: bool | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    """Whether a brain would answer now; ``error`` says why not."""

    ok: bool
    provider: str
    model: str | None = None
    ms: int | None = None
    error: ConsoleError | None = None
    findings: tuple[Finding, ...] = ()

    def shown(self, lang: Lang) -> dict[str, Any]:
        """Give the answer of ``POST /api/agent/config/test``."""
        return {
            "ok": self.ok,
            "provider": self.provider,
            "model": self.model,
            "ms": self.ms,
            "error": None if self.error is None else self.error.body(lang),
            "findings": [asdict(finding) for finding in self.findings],
        }


@dataclass(frozen=True, slots=True)
class Http:
    """An MCP server by address; the headers carry the bearer token."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stdio:
    """An MCP server as a child process; secrets go into ``env``, never into ``args``."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


McpServer = Http | Stdio


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with the prompt; the provider decides between a block and the path.

    ``name`` is what the person calls it, and tells nothing of where it lies.
    """

    path: Path
    mime: str
    name: str = ""
    size: int = 0
    id: str = ""


@dataclass(frozen=True, slots=True)
class QueryInput:
    """One turn's input.

    Attributes:
        input_id: The inbox row, named by `Consumed` once the brain has taken it in.
        continuation: What the last turn of the conversation said in `SessionStarted`.
        system: What is added to the system prompt.
        model: Another model than the settings'.
        cwd: Where a brain that is a program of its own may keep its files; none of ours is one.
        mcp: The servers whose tools it gets, by name; ``phone`` is there always.
        history: (role, content) of earlier rounds, oldest first, for a brain without sessions.
        max_steps: How many turns of the model, or acts, are allowed.
        parks: Whoever reads the events hands the answers of people over by `answer`.
        clauses: Reads a text into the saved actions that it names and the words between them.
        first: Saved actions to run before the brain is asked, where that makes sense for it.
        workshop: Where a designer hands in what it made.
    """

    input_id: str
    prompt: str
    settings: AgentSettings
    attachments: tuple[Attachment, ...] = ()
    continuation: str | None = None
    system: str | None = None
    model: str | None = None
    cwd: Path | None = None
    mcp: Mapping[str, McpServer] = field(default_factory=dict)
    history: tuple[tuple[str, str], ...] = ()
    max_steps: int = DEFAULT_STEPS
    lang: Lang = DEFAULT_LANG
    serial: str | None = None
    mode: str = "chat"
    parks: bool = True
    clauses: Callable[[str], Sequence[Clause]] = clauses.whole
    first: tuple[First, ...] = ()
    workshop: Workshop | None = None


class AgentQuery(Protocol):
    """A turn under way; every method but `events` may be called from any thread."""

    def push(
        self, text: str, input_id: str, attachments: Sequence[Attachment] = ()
    ) -> Literal["injected", "queued"]:
        """Hand over a follow-up, with the files that came with it.

        Returns:
            ``injected`` when it will be consumed in this turn, ``queued`` when the turn is over.
        """
        ...

    def end(self) -> None:
        """Say that no more input comes."""
        ...

    def abort(self, reason: str) -> None:
        """Stop within a second, and by force after five; calling it again changes nothing.

        It may come before the events are read, and then nothing is done.
        """
        ...

    def answer(self, question_id: str, value: str | None) -> None:
        """Hand over what a person answered; None when nobody did in time.

        It may come before the turn waits for it; what nobody asked is ignored.
        """
        ...

    def events(self) -> Iterator[ProviderEvent]:
        """Yield what happens, to one consumer; never raises.

        `SessionStarted` comes first; one `TurnResult` and `Closed` come last. A failure is
        ``TurnResult(status="error", error_class=<code of the words' catalogue>)``. Whoever reads
        keeps the time (see `mcp_agent.pulse`), so a brain that works without a word yields
        `Activity`.
        """
        ...


class AgentProvider(Protocol):
    """An adapter to a brain; one object serves the whole process."""

    name: str
    caps: ProviderCaps

    def check(self, settings: AgentSettings) -> Health:
        """Say whether it would answer now; costs no tokens."""
        ...

    def examine(self, settings: AgentSettings, lang: Lang) -> Health:
        """Try out what a run needs, which may cost a few tokens."""
        ...

    def query(self, query: QueryInput) -> AgentQuery:
        """Prepare a turn; nothing happens before its events are read."""
        ...

    def is_session_invalid(self, result: TurnResult) -> bool:
        """Say whether this failure means that the continuation is of no use any more."""
        ...

    def should_rotate(self, continuation: str) -> str | None:
        """Say why a session should be replaced by a fresh one, or None to go on with it."""
        ...

    def close(self) -> None:
        """End what outlives a query: child processes, kept connections."""
        ...


def closed(code: str) -> Closed:
    """Give the end of a query that failed."""
    classification, retryable = KINDS.get(code, ("", False))
    return Closed(code, retryable, classification)


PROVIDERS: Registry[Callable[[], AgentProvider]] = Registry("provider")


@cache
def provider(name: str) -> AgentProvider:
    """Return the process's one object of a registered provider.

    Raises:
        NotFound: No such provider; the hint lists those there are.
    """
    load_providers()
    return PROVIDERS.get(name)()


@cache
def load_providers() -> tuple[str, ...]:
    """Import our own providers and the foreign ones, once; returns all names."""
    for ours in OURS:
        import_module(ours)  # its classes register themselves
    PROVIDERS.load(GROUP)
    return tuple(PROVIDERS)
