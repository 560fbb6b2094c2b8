"""An act of a run as what is learned from it sees it: the step that does the same, and its app."""

from dataclasses import dataclass
from typing import Any

from core.steps.types import NEVER_IN_ACTIONS

Step = dict[str, Any]
#: Keys of a selector that say words, the plainest first.
SPOKEN = ("text", "description", "textContains", "descriptionContains")


@dataclass(frozen=True, slots=True)
class Act:
    """What was done, see `core.runs.acts`; ``app`` is the package that was in front."""

    app: str
    step: Step

    @property
    def is_lasting(self) -> bool:
        """Say whether it means the same on another screen: no points of this one."""
        return self.step["type"] not in NEVER_IN_ACTIONS and "from" not in self.step

    @property
    def is_replay(self) -> bool:
        """Say whether it replayed what was known already."""
        return bool(self.step["type"] == "run_action")

    @property
    def words(self) -> str:
        """Name what was touched, by its words where it has some."""
        selectors = [self.step.get("selector", {}), *self.step.get("alternatives", ())]
        said = (each[key] for key in SPOKEN for each in selectors if key in each)
        named = (str(each.get("resourceId", "")).rpartition("/")[2] for each in selectors)
        return str(next(said, "") or next(filter(None, named), ""))
