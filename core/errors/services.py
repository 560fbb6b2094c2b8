"""A part that should answer and does not: the MCP server, the model, the console itself."""

import re
from typing import Any

from core.errors.base import ConsoleError, Unreachable


class McpUnreachable(Unreachable):
    """The MCP server does not answer; details: ``url``, of which its port is named."""

    code = "mcp_unreachable"

    def __init__(self, *, path: str | None = None, **details: Any) -> None:
        port = re.search(r"(?<=:)\d+", str(details.get("url", "")))
        super().__init__(path=path, **{"port": port[0] if port else "", **details})


class McpRefused(Unreachable):
    """The MCP server answers and does not take this token; details: ``url``, ``status``."""

    code = "mcp_refused"


class ToolsMissing(Unreachable):
    """The MCP server answers and offers no tool, so a brain could only talk; details: ``url``."""

    code = "tools_missing"


class StreamsFull(Unreachable):
    """As many pages watch as the console serves; the answer carries ``Retry-After``."""

    code = "streams_full"


class DatabaseBusy(Unreachable):
    """Somebody else has been writing for so long that this was not written."""

    code = "database_busy"


class ModelUnset(Unreachable):
    """No model is configured for a provider that needs one."""

    code = "model_unset"


class ModelFault(ConsoleError):
    """The model's side failed; ``code`` is one of the ``model_…`` codes of the catalogue."""

    status = 502
    code = "model_error"

    def __init__(self, code: str = "model_error", **details: Any) -> None:
        super().__init__(**details)
        self.code = code
