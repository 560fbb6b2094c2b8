"""What a plain command can ask for, one dataclass a kind."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Direction = Literal["up", "down", "left", "right"]


@dataclass(frozen=True, slots=True)
class Target:
    """What a person calls a thing on the screen; ``exact`` when it stood in quotes."""

    text: str
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Open:
    """Open something: an app, a row, or a switch, whichever has that name."""

    target: Target


@dataclass(frozen=True, slots=True)
class Switch:
    """Turn something on or off; None turns it to the other side."""

    target: Target
    on: bool | None


@dataclass(frozen=True, slots=True)
class Check:
    """Say whether something is on."""

    target: Target


@dataclass(frozen=True, slots=True)
class Tap:
    """Tap what has that name."""

    target: Target


@dataclass(frozen=True, slots=True)
class Type:
    """Type into a field, or into the one that is there."""

    text: str
    into: Target | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """Type into the screen's search field."""

    text: str


@dataclass(frozen=True, slots=True)
class Scroll:
    """Show more of what lies in a direction; ``down`` shows what is below."""

    direction: Direction
    times: int = 1


@dataclass(frozen=True, slots=True)
class ScrollTo:
    """Scroll until something is in sight."""

    target: Target


@dataclass(frozen=True, slots=True)
class Press:
    """Press a key of the phone."""

    key: Literal["back", "home", "recents", "enter"]


@dataclass(frozen=True, slots=True)
class Read:
    """Say what is on the screen."""


@dataclass(frozen=True, slots=True)
class Look:
    """Take a screenshot."""


@dataclass(frozen=True, slots=True)
class WaitFor:
    """Wait until something is there, or is gone."""

    target: Target
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Replay:
    """Do the steps of a saved action.

    ``missing`` are the values that it wants and that were not said, ``stale`` why it is perhaps
    out of date.
    """

    name: str
    inputs: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    stale: str = ""


@dataclass(frozen=True, slots=True)
class Unclear:
    """A part that was not understood."""

    text: str


Intent = (
    Open
    | Switch
    | Check
    | Tap
    | Type
    | Search
    | Scroll
    | ScrollTo
    | Press
    | Read
    | Look
    | WaitFor
    | Replay
    | Unclear
)
