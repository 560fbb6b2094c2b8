"""How often a person would be asked on real screens: seldom, or nobody reads the questions."""

from core import policy
from core.policy import Act
from tests.core.screen.test_dumps import DUMPS, pytestmark, shown

__all__ = ["pytestmark"]  # skips where the data set is missing


def test_few_of_the_elements_of_real_screens_ask() -> None:
    judged = [
        (element.label, policy.judge(Act(element), screen))
        for screen in (shown(path)[0] for path in DUMPS if path.parent.name == "permissive")
        for element in screen.elements
        if element.clickable
    ]

    asks = [(label, risk.kind) for label, risk in judged if risk is not None]

    assert len(judged) > 300
    assert 0 < len(asks) <= len(judged) * 0.03, asks
