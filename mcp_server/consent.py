"""Ask a person before a risky act of a run, and let through exactly what was approved.

A grant is bound to the tool with its arguments, to the element that it resolves to and to the
screen: the app and every label of its own windows. Programs with an API token act under their
owner's authority and are not asked, since nobody waits for the answer.
"""

import hashlib
import json
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from core import policy, policy_rules
from core.db import Database
from core.devices import apps
from core.errors import ApprovalNeeded, ApprovalStale, NeedsHuman
from core.policy import ANY, Act, Risk
from core.runs import questions
from core.runs.questions import ALWAYS, APPROVE, DENY, Asking, Scene
from core.screen.elements import Element
from core.screen.labels import UNSEEN, clean
from core.screen.screen import Screen
from core.words import Lang, phrase
from mcp_server.access import Caller, Device

LABEL_CHARS = 80
CHOICES = ("on", "off", "selected")  # which card pays, which boxes are ticked


@dataclass(frozen=True, slots=True)
class Call:
    """The tool call that this thread serves; ``allowed`` are the kinds a person let through."""

    tool: str
    arguments: dict[str, Any]
    allowed: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """Give it in one canonical form; what is left out and what is null are the same."""
        given = {key: value for key, value in self.arguments.items() if value is not None}
        given.pop("serial", None)
        return f"{self.tool} {json.dumps(given, ensure_ascii=False, sort_keys=True)}"

    def allows(self, risk: Risk) -> bool:
        """Say whether what a person let through covers this, too."""
        return risk.kind in self.allowed or (risk.kind == ANY and bool(self.allowed))


#: Calls that have words of their own, and the arguments that those say.
PLAIN = {
    "de_open_app": {"app"},
    "de_close_app": {"app"},
    "de_press_key": {"key"},
    "de_swipe": {"direction"},
    "de_scroll_to": {"text"},
    "de_type_text": {"text"},
    "de_run_action": {"name", "step"},
}
QUOTES = frozenset("“”「」")
NO_CALL = Call("", {})
CALL: ContextVar[Call] = ContextVar("call")


class Consent:
    """What may be sent now, by the run's autonomy and by what people approved."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def need(self, device: Device, act: Act, now: Screen) -> None:
        """Make sure, right before it is sent, that an act needs nobody's word or has it.

        Raises:
            ApprovalNeeded: A person is asked; nothing was sent.
            ApprovalStale: It was approved on another screen; nothing was sent.
            NeedsHuman: Nobody can be asked, as in a task; nothing was sent.
        """
        caller, call = device.caller, CALL.get(NO_CALL)
        if caller.autonomy == "auto":
            return
        risk = self.risk(caller, act, now)
        if risk is None or call.allows(risk):
            return
        if caller.run_id is None:
            raise NeedsHuman(kind=risk.kind, said=label_of(act))
        scene = _scene(act, now, risk, label_of(act))
        grant = questions.take_grant(self.db, caller.run_id, call.text, scene.text)
        if grant == "stale":
            raise ApprovalStale
        if grant == "none":
            asking = _asking(caller.lang, call, risk, scene, _words(act))
            asked = questions.ask(self.db, caller.run_id, asking)
            raise ApprovalNeeded(question_id=asked.question_id)
        CALL.set(replace(call, allowed=call.allowed | {risk.kind}))

    def unasked(self, device: Device, act: Act, now: Screen) -> Risk | None:
        """Give the risk of an act in the middle of a call that nobody let through yet."""
        caller, call = device.caller, CALL.get(NO_CALL)
        if caller.autonomy == "auto":
            return None
        risk = self.risk(caller, act, now)
        return None if risk is None or call.allows(risk) else risk

    def risk(self, caller: Caller, act: Act, now: Screen) -> Risk | None:
        """Judge an act by the lexicon, the run's autonomy and what people decided for the app."""
        risk = policy.judge(act, now)
        if risk is None and caller.autonomy == "confirm_all":
            risk = Risk(ANY, _words(act))
        rules = policy_rules.of_app(self.db, now.app.package)
        return policy_rules.apply(rules, risk, label_of(act))


def label_of(act: Act) -> str:
    """Give what a rule knows an act by: the words of what it touches, else the very call."""
    return (_words(act) or CALL.get(NO_CALL).text)[:LABEL_CHARS]


def _words(act: Act) -> str:
    return act.element.label if act.element else act.url


def _scene(act: Act, now: Screen, risk: Risk, label: str) -> Scene:
    """Bind to the element and to every label around it, in order: rows may have changed places."""
    own = [each for each in now.elements if each.package == now.app.package]
    labels = ["\n".join((each.label, *each.texts, *_choice(each))) for each in own]
    seen = json.dumps([_identity(act.element), labels], ensure_ascii=False)
    digest = hashlib.sha256(seen.encode()).hexdigest()
    return Scene(now.app.package, risk.kind, label, digest)


def _identity(element: Element | None) -> list[str | int]:
    if element is None:
        return []
    return [element.number, element.kind, element.label, element.short_id]


def _choice(element: Element) -> list[str]:
    return [flag for flag in element.flags if flag in CHOICES]


def _asking(lang: Lang, call: Call, risk: Risk, scene: Scene, words: str) -> Asking:
    why = phrase(f"risk.{risk.kind}", lang)
    key = "approval.element" if words else "approval.call"
    names = apps.label_of(scene.app).split(" / ")  # in English, then in Chinese
    app = names[0 if lang == "en" else -1] or scene.app
    return Asking(
        kind="approval",
        title=why,
        question=phrase(
            key, lang, app=app, label=scene.label, call=_doing(lang, call), why=why, said=risk.said
        ),
        options=tuple(
            (value, phrase(f"approval.{value}", lang)) for value in (APPROVE, DENY, ALWAYS)
        ),
        act=call.text,
        scene=scene.text,
    )


def _doing(lang: Lang, call: Call) -> str:
    """Say a call as a person would, else as it is; nothing that it does is left out."""
    said = call.arguments.items()
    given = {key: value for key, value in said if value is not None and value is not False}
    given.pop("serial", None)
    if set(given) == PLAIN.get(call.tool) and all(map(_stays_quoted, given.values())):
        return phrase(f"doing.{call.tool}", lang, **given)
    seen = UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), call.text)
    return phrase("doing.other", lang, call=seen)


def _stays_quoted(value: Any) -> bool:
    """Say whether a value can be told between quotation marks without going on behind them."""
    said = str(value)
    return clean(said) == said and not QUOTES.intersection(said)
