"""What is left of a run that nobody carries any more: what its log knows of it.

So a crash of the console loses no more of an answer than its last moment.
"""

import json
from collections.abc import Sequence
from typing import Any

from core.runs.events import Usage
from core.runs.log import Entry
from core.settings import REASONING_KEPT
from mcp_agent.ending import Outcome


def so_far(entries: Sequence[Entry], error: str | None) -> Outcome:
    """Read from a run's log what it had said and used; ``error`` is None when it was stopped."""
    said, text, reasoning = list[str](), "", ""
    usage: Usage | None = None
    steps = 0
    for entry in entries:
        data = json.loads(entry.data)
        match entry.name:
            case "delta" if data["kind"] == "content":
                text += data["text"]
            case "delta":
                reasoning = (reasoning + data["text"])[:REASONING_KEPT]
            case "step_started":
                steps += 1
                said, text = [*said, text], ""
            case "usage":
                usage = _usage(data)
    answer = "\n\n".join(part for part in [*said, text] if part.strip())
    return Outcome(
        answer=answer,
        error=error,
        stopped=error is None,
        usage=usage,
        reasoning=reasoning,
        steps=steps,
    )


def _usage(data: dict[str, Any]) -> Usage:
    """Read what `core.runs.wire.usage_wire` wrote."""
    return Usage(
        input=data["prompt_tokens"],
        output=data["completion_tokens"],
        total=data["total_tokens"],
        cache_read=data.get("cached_tokens", 0),
        cost=data.get("cost"),
        calls=data["calls"],
        currency=data.get("currency", ""),
    )
