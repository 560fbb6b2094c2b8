"""The root of the tree and its branches, each of which is one HTTP status.

A leaf names its branch and has a ``code`` of its own; the branch decides the status.
"""

from typing import Any, ClassVar

from core.words import Lang, Words, error_words


class ConsoleError(Exception):
    """Anything that a person or a model is told about; ``details`` fill the catalogue's words."""

    status: ClassVar[int] = 500
    code: str = "internal"

    def __init__(self, *, path: str | None = None, **details: Any) -> None:
        self.path = path
        self.details = details
        super().__init__(self.code)

    def words(self, lang: Lang) -> Words:
        """Say it in one language."""
        return error_words(self.code, lang, self.details)

    def __str__(self) -> str:
        words = self.words("en")
        return f"{words.message} {words.hint}".strip()

    def body(self, lang: Lang) -> dict[str, Any]:
        """Give the JSON form of CONTRACTS 2: code, message, hint, and path or holder if any."""
        words = self.words(lang)
        body: dict[str, Any] = {"code": self.code, "message": words.message, "hint": words.hint}
        if self.path is not None:
            body["path"] = self.path
        if "holder" in self.details:
            body["holder"] = self.details["holder"]
        return body

    def wire(self) -> dict[str, Any]:
        """Give the form that crosses the loopback between our two processes; see `from_wire`."""
        return {"code": self.code, "path": self.path, "details": self.details}


class Unauthorized(ConsoleError):
    """Nobody is logged in."""

    status = 401
    code = "no_login"


class Forbidden(ConsoleError):
    """Logged in, but the role does not allow it."""

    status = 403
    code = "forbidden"


class NotFound(ConsoleError):
    """No such thing; details: ``kind``, ``name``, and ``known`` where a list helps."""

    status = 404
    code = "not_found"


class NoSuchRoute(NotFound):
    """No such address in the console."""

    code = "no_route"


class NotAllowed(ConsoleError):
    """The address exists, the method does not."""

    status = 405
    code = "method_not_allowed"


class Invalid(ConsoleError):
    """The request does not fit; ``path`` names the place, details: ``detail``."""

    status = 400
    code = "invalid"


class Conflict(ConsoleError):
    """Right, but not now."""

    status = 409
    code = "conflict"


class TooLarge(ConsoleError):
    """The body is larger than the console reads."""

    status = 413
    code = "too_large"


class WrongHost(ConsoleError):
    """The request names a host that this console does not answer to."""

    status = 421
    code = "wrong_host"


class TooMany(ConsoleError):
    """Asked too often; details: ``wait_s``, which is also the answer's ``Retry-After``."""

    status = 429
    code = "too_many_requests"


class Unreachable(ConsoleError):
    """A part that should answer does not."""

    status = 503
    code = "unreachable"
