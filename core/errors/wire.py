"""Carry an error between our two processes: `ConsoleError.wire` sends it, this reads it."""

from typing import Any

from core.errors.base import ConsoleError
from core.errors.services import ModelFault


def from_wire(wire: dict[str, Any]) -> ConsoleError:
    """Rebuild the leaf that `ConsoleError.wire` sent; an unknown code becomes the root."""
    code, details = str(wire.get("code")), dict(wire.get("details") or {})
    leaf = leaves().get(code)
    if leaf is None:
        return ModelFault(code, **details) if code.startswith("model_") else ConsoleError(**details)
    return leaf(path=wire.get("path"), **details)


def leaves() -> dict[str, type[ConsoleError]]:
    """Find every error that has a code of its own by it, in whatever file it stands."""
    found: dict[str, type[ConsoleError]] = {}
    todo: list[type[ConsoleError]] = [ConsoleError]
    while todo:
        kind = todo.pop()
        todo.extend(kind.__subclasses__())
        if "code" in vars(kind) and kind is not ModelFault:
            found[kind.code] = kind
    return found
