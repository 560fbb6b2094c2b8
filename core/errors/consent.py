"""A person has to say yes, has said no, or has the phone."""

from typing import ClassVar

from core.errors.base import Conflict
from core.words import Lang, Words, error_words, phrase


class PersonNeeded(Conflict):
    """A person must answer a question first; details: ``question_id``."""

    kind: ClassVar[str] = "question"


class ApprovalNeeded(PersonNeeded):
    """A risky act was not sent; a person is asked whether it may be."""

    code = "approval_needed"
    kind = "approval"


class TakenOver(PersonNeeded):
    """A person took the phone from this run and will give it back."""

    code = "taken_over"
    kind = "takeover"


class ApprovalStale(Conflict):
    """The act was approved on another screen than the one that is shown now."""

    code = "approval_stale"


class QuestionClosed(Conflict):
    """It takes no answer any more; details: ``status`` of the question, ``who`` answered it."""

    code = "question_closed"


class NeedsHuman(Conflict):
    """A step would do something that nobody allowed; details: ``kind`` of risk, ``said``."""

    code = "needs_human"

    def words(self, lang: Lang) -> Words:
        """Say it, with what the act would do in the reader's language."""
        why = phrase(f"risk.{self.details['kind']}", lang) if "kind" in self.details else ""
        return error_words(self.code, lang, {**self.details, "why": why})


class NotSubmitted(Conflict):
    """The text was typed, and enter would now do something risky; details: ``holds``, ``said``."""

    code = "not_submitted"


class LookFirst(Conflict):
    """A person had the phone, so the run must see its screen before it touches it."""

    code = "look_first"
