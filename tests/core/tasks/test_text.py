"""Tasks go to files and come back; a file that is a trap is refused before it snaps."""

import pytest

from core.errors import Invalid, TooLarge
from core.tasks import text
from core.tasks.schema import TaskSpec

SPEC = TaskSpec.model_validate(
    {
        "name": "每日签到",
        "steps": [
            {"type": "open_app", "app": "淘宝"},
            {
                "type": "if_exists",
                "selector": {"text": "以后再说"},
                "then": [{"type": "wait", "seconds": 1}],
            },
        ],
        "inputs": {"words": "yes", "count": 3},
        "rows": [{"words": "a\nb: c"}],
        "targets": {"tags": ["A 架"]},
        "schedule": {"cron": "0 8 * * *", "zone": "Asia/Shanghai"},
        "policy": {"missed": "all", "may_risk": True},
    }
)
BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nname: [*c, *c]\n"


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_task_comes_back_from_its_file_as_it_was(form: text.Form) -> None:
    written = text.write(SPEC, form)

    assert text.read(written) == SPEC
    assert "每日签到" in written


def test_what_is_as_usual_is_not_written() -> None:
    assert "timeout_s" not in text.write(SPEC, "yaml")


@pytest.mark.parametrize(
    ("trap", "said"),
    [
        (BOMB, "aliases"),
        ("name: " + "[" * 60, "nested"),
        ("name: !!python/object/apply:os.system ['true']\nsteps: []", "could not determine"),
        ("name: [unclosed", "cannot be read"),
        ("- a\n- b", "an object"),
        ("phonedeck_task: 9\nname: a", "reads 1"),
        ("name: a\nsteps: []\nextra: 1", "Extra inputs"),
        ("name: a\nsteps: []\nrows: [{a: .inf}]", "cannot be read"),
        ("name: a\nsteps: []\ninputs: {a: 0x" + "f" * 6000 + "}", "cannot be read"),
        ('name: "\\ud800"\nsteps: []', "hex escape"),
        ('{"name": "a", "steps": ' + "[" * 5000 + "]" * 5000 + "}", "nested"),
    ],
)
def test_a_trap_is_refused_in_words(trap: str, said: str) -> None:
    with pytest.raises(Invalid, match=said):
        text.read(trap)


def test_a_file_that_is_too_large_is_not_even_looked_at() -> None:
    with pytest.raises(TooLarge):
        text.read("a" * 1_000_001)
