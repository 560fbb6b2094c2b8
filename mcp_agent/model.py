"""What the loop knows of a model and of tools: two small doors that others are put behind."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from core.runs.events import Notice, Picture, ReasoningDelta, Spots, TextDelta, Usage

#: One message in the chat-completions form, the only bare dict that crosses a module border.
Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that can be called; ``schema`` is the JSON schema of its arguments."""

    name: str
    description: str
    schema: dict[str, Any]
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model asked for a tool; ``arguments`` is already parsed JSON.

    ``problem`` says what was wrong with the arguments; such a call is answered, never executed.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A question that a person must answer before this call can go on."""

    question_id: str
    kind: str


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What came back from a tool, as the model will read it.

    ``screen`` tells apart the screens that acts led to: empty when nobody can tell, None when
    the tool does not say. ``touched`` is where a finger came down, as fractions of the screen,
    and where a swipe ended.
    """

    status: Literal["ok", "error", "denied", "aborted"]
    text: str = ""
    pictures: tuple[Picture, ...] = ()
    waits_for: Waiting | None = None
    screen: str | None = None
    touched: Spots = ()


ModelEvent = TextDelta | ReasoningDelta | ToolCall | Usage | Notice
CallTool = Callable[[ToolCall], ToolOutcome]


class Model(Protocol):
    """A chat model with tools."""

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> Iterator[ModelEvent]:
        """Yield one answer as it comes; ends early, without an error, when a stop was said.

        A `ToolCall` is yielded only once the whole answer is there, so a call whose stream
        broke off is never carried out.

        Raises:
            ModelFault: There is no answer; its code says why.
        """
        ...
