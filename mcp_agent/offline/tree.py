"""Read the compact text of ``de_ui_tree`` back into elements."""

import json
import re
from dataclasses import dataclass

from mcp_agent.offline import labels
from mcp_agent.offline.intents import Target

HEADING = re.compile(r"^(?P<package>[^/\s]*)/(?P<activity>\S*) · (?P<w>\d+)x(?P<h>\d+) · ")
LINE = re.compile(
    r'^ *\[(?P<n>\d+)\] (?P<kind>\w+) (?P<label>"(?:[^"\\]|\\.)*")(?P<flags>.*?) '
    r"@(?P<x>-?\d+),(?P<y>-?\d+)$"
)
JOINT = " · "
SWITCHABLE = ("switch", "checkbox", "radio")
TAPPABLE = ("button", "item", "tab", "icon", "field", "image", *SWITCHABLE)
EDGE = 0.028  # of the height: status bar above, navigation bar below


@dataclass(frozen=True, slots=True)
class Element:
    """One line of the tree."""

    number: int
    kind: str
    label: str
    flags: tuple[str, ...]
    x: int
    y: int

    @property
    def parts(self) -> tuple[str, ...]:
        """The label's parts: its name, then what describes it."""
        return tuple(self.label.split(JOINT))

    @property
    def name(self) -> str:
        """The first part, which a person would call it by."""
        return self.parts[0]

    @property
    def on(self) -> bool | None:
        """Whether it is switched on; None for what cannot be."""
        return None if self.kind not in SWITCHABLE else "on" in self.flags

    @property
    def short_id(self) -> str:
        """The resource id, where the line shows it."""
        found = [flag[3:] for flag in self.flags if flag.startswith("id=")]
        return found[0] if found else ""


@dataclass(frozen=True, slots=True)
class Tree:
    """One screen."""

    package: str
    activity: str
    height: int
    elements: tuple[Element, ...]
    keyboard: bool

    @property
    def own(self) -> tuple[Element, ...]:
        """The app's elements, without the system's bars."""
        low, high = self.height * EDGE, self.height * (1 - EDGE)
        return tuple(each for each in self.elements if low < each.y < high)

    @property
    def scrollable(self) -> bool:
        """Whether there may be more than is shown."""
        return any("scrollable" in each.flags for each in self.elements)

    @property
    def shown(self) -> tuple[str, ...]:
        """What tells two screens apart; a switch's side does not count."""
        return (self.package, self.activity, *(f"{e.kind} {e.label}" for e in self.own))

    def fields(self) -> list[Element]:
        """The text fields."""
        return [each for each in self.elements if each.kind == "field"]

    def match(
        self, target: Target, kinds: tuple[str, ...], worst: int = labels.ALIKE
    ) -> list[Element]:
        """Find the best elements for a name.

        Args:
            target: What the person said.
            kinds: Kinds that come into question.
            worst: The loosest fit that counts, as `labels.rank` gives it.

        Returns:
            All elements of the best fit there is, several when the name does not tell them apart.
        """
        ranked = [
            (labels.rank(target, each.parts), each)
            for each in self.own
            if each.kind in kinds and each.label
        ]
        best = min((found for found, _ in ranked), default=labels.NOT)
        return [each for found, each in ranked if found == best <= worst]


def parse(text: str) -> Tree:
    """Read a tree; lines that are none (advice below it) are passed over."""
    heading = HEADING.match(text)
    first = text.partition("\n")[0]
    found = (LINE.match(line) for line in text.splitlines())
    return Tree(
        package=heading["package"] if heading else "",
        activity=heading["activity"] if heading else "",
        height=int(heading["h"]) if heading else 0,
        elements=tuple(_element(line) for line in found if line),
        keyboard=first.endswith("keyboard"),
    )


def _element(line: re.Match[str]) -> Element:
    return Element(
        number=int(line["n"]),
        kind=line["kind"],
        label=json.loads(line["label"]),
        flags=tuple(line["flags"].split()),
        x=int(line["x"]),
        y=int(line["y"]),
    )
