"""Say things to a person in Chinese or English, from one catalogue a language.

Codes are stable and never shown alone; the words live in ``core/words/zh.json`` and
``core/words/en.json``, which a test keeps alike key by key and placeholder by placeholder.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

Lang = Literal["zh", "en"]

LANGS: tuple[Lang, ...] = ("zh", "en")
DEFAULT_LANG: Lang = "zh"
TURNS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
FOLDER = Path(__file__).parent / "words"
#: Details that may be whole sentences of ours; others are names and what a screen says.
FIXED = ("detail", "until")


@dataclass(frozen=True, slots=True)
class Words:
    """What happened, and what to do next; ``hint`` may be empty."""

    message: str
    hint: str


def error_words(code: str, lang: Lang, details: dict[str, Any]) -> Words:
    """Say an error; an unknown code falls back to ``internal``, so a reader never sees nothing."""
    errors = catalogue(lang)["errors"]
    entry = errors.get(code) or errors["internal"]
    if kind := details.get("kind"):
        details = {**details, "kind": catalogue(lang)["kinds"].get(kind, kind)}
    fixed = catalogue(lang)["details"]
    told = {name: fixed.get(said, said) for name in FIXED if (said := details.get(name, ""))}
    details = {**details, **told}
    return Words(_fill(entry["message"], details), _fill(entry["hint"], details))


def phrase(key: str, lang: Lang, /, **details: object) -> str:
    """Say one phrase of the product's own answers, for example the offline provider's."""
    return _fill(catalogue(lang)["phrases"][key], details)


def pick_lang(*wishes: str | None) -> Lang:
    """Choose the first wish that we speak: a user's setting, then ``Accept-Language``.

    Args:
        wishes: Language tags or whole ``Accept-Language`` headers, most important first.

    Returns:
        ``zh`` when nothing fits.
    """
    for wish in wishes:
        for tag in (wish or "").split(","):
            short = tag.strip().split(";")[0].split("-")[0].lower()
            if short in LANGS:
                return short
    return DEFAULT_LANG


@cache
def catalogue(lang: Lang) -> dict[str, Any]:
    """Read one language's catalogue; it is part of the program, so a broken one is a crash."""
    loaded: dict[str, Any] = json.loads((FOLDER / f"{lang}.json").read_text(encoding="utf-8"))
    return loaded


class _Blank(dict[str, Any]):
    """A detail nobody gave reads as nothing, since an error while telling an error helps no one."""

    def __missing__(self, key: str) -> str:
        return ""


def _fill(template: str, details: dict[str, Any]) -> str:
    told = {name: _straight(each) for name, each in details.items()}
    return template.format_map(_Blank(told)).strip()


def _straight(detail: Any) -> Any:
    """Take out of a name the signs that would turn the words around it."""
    return detail.translate(TURNS) if isinstance(detail, str) else detail
