"""The console's words: each is shown by something, and what the server names has its own."""

import json
import re
from collections.abc import Iterable
from dataclasses import fields

from flask import Flask

from core.devices.base import KEYS
from core.errors.wire import leaves
from core.steps.schema import STEP_TYPES, Selector
from core.steps.types import UNLOCK
from core.words import catalogue
from mcp_agent.providers.base import ProviderCaps, load_providers
from tests.stack import ROOT
from web.guard import SAFE
from web.openapi import described

CONSOLE = ROOT / "web" / "console"
WORDS: dict[str, str] = json.loads((CONSOLE / "i18n" / "zh.json").read_text(encoding="utf-8"))


def code() -> str:
    """Give what the console is made of, without its tests and its styles."""
    files = [f for f in CONSOLE.rglob("*") if f.suffix in (".vue", ".ts")]
    ours = [f for f in files if "node_modules" not in f.parts and ".test." not in f.name]
    texts = [f.read_text(encoding="utf-8") for f in ours if f.name != "schema.d.ts"]
    return re.sub(r"<style.*?</style>", "", "\n".join(texts), flags=re.DOTALL)


def deeds(app: Flask) -> set[str]:
    """Name what the audit log tells of, as the console's keys do."""
    changing = [rule for rule in app.url_map.iter_rules() if (rule.methods or set()) - SAFE]
    views = {rule.endpoint: app.view_functions[rule.endpoint] for rule in changing}
    told = [name for name, view in views.items() if not getattr(view, "only_asks", False)]
    return {name.replace(".", "_") for name in told}


def named_by_server(app: Flask) -> dict[str, Iterable[str]]:
    """Give the names that only the server knows, by the stem of their keys."""
    kinds = [STEP_TYPES.get(name) for name in STEP_TYPES]
    step_fields = {f.alias or name for kind in kinds for name, f in kind.model_fields.items()}
    risks = [key for key in catalogue("zh")["phrases"] if key.startswith("risk.")]
    return {
        "deed": deeds(app),
        "brain": load_providers(),
        "brain.can": [field.name for field in fields(ProviderCaps)],
        "key": {*KEYS, UNLOCK},
        "rule.kind": {key.removeprefix("risk.") for key in risks} | {"any"},
        "selector": Selector.model_fields,
        "shut": {*leaves(), "other"},
        "shutHint": {*leaves(), "other"},
        "stepField": step_fields,
        "stepFieldHint": step_fields,
    }


def test_every_word_of_the_console_is_shown_by_something(app: Flask) -> None:
    source, named = code(), named_by_server(app)
    whole = set(re.findall(r"'([\w.]+)'", source))
    counted = set(re.findall(r"tn\('([\w.]+)'", source))
    stems = set(re.findall(r"`([\w.]+)\.\$\{", source))
    enums = re.findall(r'"enum": \[(.*?)\]', described(), re.DOTALL)
    values = whole | set(re.findall(r"(\w+):", source)) | set(re.findall(r'"(\w+)"', str(enums)))

    def is_shown(key: str) -> bool:
        stem, _, last = key.rpartition(".")
        built = stem in stems and last in named.get(stem, values)
        return key in whole or built or (stem in counted and last in ("one", "other"))

    assert [key for key in WORDS if not is_shown(key)] == []


def test_every_deed_that_the_audit_log_tells_of_has_words(app: Flask) -> None:
    words = {key.removeprefix("deed.") for key in WORDS if key.startswith("deed.")}

    assert deeds(app) - words == set()
