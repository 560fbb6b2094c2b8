"""What was done in a run, as words and as steps; and which steps a model may keep of it.

A step that touches must be one that was done; the run's own, with its selectors, is kept in its
place. A step that only looks must look for words that were there.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.errors import Invalid
from core.memory import gates
from core.memory.people import CONTACT, TEXT, Private, wherever
from core.screen.selectors import squeeze
from core.steps.checks import as_json, parse_action, walk
from core.steps.schema import OPEN, StepParams
from mcp_agent.acts import Act, Step
from mcp_agent.lessons import Lesson

STEPS_MOST = 4
LABEL_CHARS = 80
TYPED, PLACE = "{{text}}", "{{%s%s}}"
#: Types that change what the phone shows; every other only looks or waits.
TOUCHES = frozenset(
    {
        "open_app",
        "close_app",
        "open_url",
        "click",
        "long_click",
        "input_text",
        "swipe",
        "press_key",
        "run_action",
    }
)
#: Types that only look whether it went well.
LOOKS = frozenset({"assert", "wait_for"})
#: What tells two steps of a type apart beside their selectors.
VALUES = ("app", "url", "key", "direction", "name")
#: Keys of a selector whose values are no words.
WORDLESS = frozenset({"className", "instance"})


def told(acts: Sequence[Act]) -> str:
    """Say in words what was done; what was typed is left out, and so are points and numbers.

    A label that is a sentence of orders is the screen's word, and left out, too.
    """
    return "\n".join(f"- {_said(act)}" for act in acts)


def listed(acts: Sequence[Act]) -> str:
    """Give what was done as steps, one a line."""
    lasting = (act for act in acts if act.is_lasting and not gates.commands(act.words))
    steps = [_bare(act.step) for act in lasting]
    return "\n".join(json.dumps(step, ensure_ascii=False) for step in steps)


def opened(acts: Sequence[Act], private: Private) -> tuple[Act, ...]:
    """Leave open who was meant and what was said, in what was touched and in what was typed."""
    places = _places(private)
    return tuple(Act(act.app, _with_places(act.step, places)) for act in acts)


def is_for_anybody(steps: Sequence[Step], private: Private) -> bool:
    """Say whether steps take all that is private from outside, so that they do for others, too."""
    text, values = json.dumps(steps, ensure_ascii=False), private.values()
    return bool(values) == bool(private) and all(PLACE % (name, "") in text for name in values)


def grounded(raw: Any, lesson: Lesson, names: Iterable[str]) -> list[Step]:
    """Give the steps of a proposed action, taken from what was done.

    Args:
        raw: As the model wrote them.
        lesson: What was done.
        names: What the action is called; text that was typed stays only where a name says it.

    Raises:
        Invalid: They are no steps, too many, or not what was done.
    """
    steps = parse_action(raw)
    every = list(walk(steps))
    if len(every) > STEPS_MOST or not any(step.type in TOUCHES for _, step in every):
        raise Invalid(path="steps", detail=f"1-{STEPS_MOST} steps, one of which touches.")
    done = [act.step for act in lesson.acts if act.is_lasting]
    seen = squeeze("\n".join([*lesson.texts, json.dumps(done, ensure_ascii=False)]))
    for place, step in every:
        if step.type in TOUCHES and _as_done(step, done) is None:
            raise Invalid(path=place, detail=f"{place}: that was not done in this run.")
        if not all(squeeze(word) in seen for word in _words(step)):
            raise Invalid(path=place, detail=f"{place}: those words were not there.")
        if any(map(gates.commands, _words(step))):
            raise Invalid(path=place, detail=f"{place}: its words give orders.")
    own = [_as_done(each, done) or as_json([each])[0] for each in steps]
    for at, each in enumerate(own):
        if any(map(gates.commands, _all_texts(each))):
            raise Invalid(path=f"steps.{at}", detail=f"steps.{at}: its label gives orders.")
    return [_opened(step, list(names)) for step in own]


def is_all(steps: Sequence[Step], lesson: Lesson) -> bool:
    """Say whether steps are the whole of a run that asked for nothing to be told."""
    if not lesson.whole or asks(lesson.task):
        return False
    done = (act.step for act in lesson.acts)
    own, theirs = ([s for s in each if s["type"] not in LOOKS] for each in (steps, done))
    return own == theirs


def asks(task: str) -> bool:
    """Say whether a request wants to be told something, which a replay cannot."""
    return bool(gates.ASKS.search(task))


def refuse(fault: str | None, path: str, said: str) -> None:
    """Refuse what did not pass a gate.

    Raises:
        Invalid: There is a fault.
    """
    if fault is not None:
        raise Invalid(path=path, detail=f"{path}: {fault}: {said[:100]}")


def _said(act: Act) -> str:
    step = act.step
    values = [str(step[key]) for key in VALUES if key in step]
    label = "" if gates.commands(act.words) else act.words[:LABEL_CHARS]
    return " ".join(filter(None, [step["type"], *values, label]))


def _bare(step: Step) -> Step:
    return {key: value for key, value in step.items() if key not in ("alternatives", "expect")}


def _as_done(step: StepParams, done: Sequence[Step]) -> Step | None:
    """Find the step of the run that a proposed one means."""
    wanted = as_json([step])[0]
    for each in done:
        if each["type"] == wanted["type"] and _means(wanted, each):
            return each
    return None


def _means(wanted: Step, done: Step) -> bool:
    if any(squeeze(str(wanted.get(key, ""))) != squeeze(str(done.get(key, ""))) for key in VALUES):
        return False
    if wanted.get("from") or wanted.get("to"):
        return False
    if wanted["type"] == "input_text":
        return OPEN in wanted["text"] or squeeze(wanted["text"]) == squeeze(done["text"])
    mine, theirs = (set(map(squeeze, _all_texts(step))) for step in (wanted, done))
    return not theirs or bool(mine & theirs)


def _all_texts(step: Step) -> list[str]:
    return [
        *_texts(step.get("selector", {})),
        *(text for each in step.get("alternatives", ()) for text in _texts(each)),
    ]


def _texts(selector: dict[str, Any]) -> list[str]:
    return [str(value) for key, value in selector.items() if key not in WORDLESS]


def _words(step: StepParams) -> list[str]:
    """List the words by which a step that looks finds something."""
    if step.type in TOUCHES:
        return []
    own = as_json([step])[0]
    looked_for = [*_all_texts(own), *_texts(own.get("while", {}).get("selector", {}))]
    return [word for word in looked_for if OPEN not in word]


def _places(private: Private) -> dict[str, str]:
    """Give the open value that stands for each name and for each thing that is said."""
    people = {name: PLACE % (CONTACT, n or "") for n, name in enumerate(private.people)}
    return people | {said: PLACE % (TEXT, n or "") for n, said in enumerate(private.said)}


def _with_places(value: Any, places: Mapping[str, str]) -> Any:
    """Put an open value in the place of each name, wherever in a step it stands."""
    if isinstance(value, dict):
        return {key: _with_places(each, places) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_places(each, places) for each in value]
    if isinstance(value, str):
        for name in sorted(places, key=len, reverse=True):
            value = wherever(name).sub(places[name], value)
    return value


def _opened(step: Step, names: list[str]) -> Step:
    """Leave open what was typed, unless the action's name says it; what is personal goes."""
    text = step.get("text") if step["type"] == "input_text" else None
    if not isinstance(text, str) or OPEN in text:
        return step
    is_named = any(squeeze(text) in squeeze(name) for name in names) and bool(squeeze(text))
    return step if is_named and not gates.is_personal(text) else {**step, "text": TYPED}
