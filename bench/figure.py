"""What a benchmark says: a value, what it is held against, and whether the goal is met."""

import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure; ``ratio`` is value by against, ``goal`` what it must not exceed."""

    name: str
    value: float
    unit: str
    against: float | None = None
    goal: float | None = None

    @property
    def ratio(self) -> float | None:
        """How ours compares; None when it is held against nothing."""
        return self.value / self.against if self.against else None

    @property
    def ok(self) -> bool:
        """Whether the goal is met; a figure without one is only told."""
        return self.goal is None or (self.ratio is not None and self.ratio <= self.goal)

    def as_json(self) -> dict[str, Any]:
        """Give the line of ``--json``."""
        ratio = None if self.ratio is None else round(self.ratio, 4)
        return {**asdict(self), "ratio": ratio, "ok": self.ok}


def median_of(times: int, measure: Callable[[], float]) -> float:
    """Measure a few times and take the median, since other programs use the machine too."""
    return statistics.median(measure() for _ in range(times))
