"""What is wrong with a phone, as a code that is said in the reader's language."""

from dataclasses import dataclass, field
from typing import Any

from core.errors import ConsoleError
from core.words import Lang, phrase


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong; ``code`` names its words in the catalogue, ``details`` fill them."""

    code: str
    details: dict[str, Any] = field(default_factory=dict)

    def shown(self, lang: Lang) -> dict[str, str]:
        """Say it in one language."""
        details = dict(self.details)
        if "airplane" in details:
            details["airplane"] = phrase("on" if details["airplane"] else "off", lang)
        return {
            "code": self.code,
            "message": phrase(f"doctor.{self.code}", lang, **details),
            "hint": phrase(f"doctor.{self.code}.hint", lang, **details),
        }


def unreachable(error: ConsoleError, lang: Lang) -> Finding:
    """Say that a phone cannot be examined at all."""
    return Finding("offline", {"detail": error.words(lang).message})
