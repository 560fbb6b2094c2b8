"""The form in which outsiders read what happens in a run: that of CONTRACTS 3, known only here."""

from typing import Any

from core.runs.events import (
    Answered,
    Consumed,
    Done,
    Event,
    Failed,
    InputNeeded,
    Message,
    Notice,
    ReasoningDelta,
    Route,
    TextDelta,
    ToolFinished,
    ToolStarted,
    Usage,
)

TERMINAL = frozenset({"done", "error"})
COST_DIGITS = 6
URGENT = TERMINAL | {"step_started", "step", "question"}


def wire(event: Event) -> tuple[str, dict[str, Any]] | None:  # noqa: C901 - one flat table
    """Turn an event into its name and payload of CONTRACTS 3; None when outsiders do not see it."""
    match event:
        case TextDelta(text):
            return "delta", {"text": text, "kind": "content"}
        case ReasoningDelta(text):
            return "delta", {"text": text, "kind": "reasoning"}
        case ToolStarted():
            return "step_started", _step_started(event)
        case ToolFinished():
            return "step", _step(event)
        case Usage():
            return "usage", usage_wire(event)
        case Notice():
            return "notice", {"code": event.code, "message": event.message}
        case InputNeeded():
            return "question", _question(event)
        case Route():
            considered = list(event.considered)
            return "route", {
                "channel": event.channel,
                "reason": event.reason,
                "considered": considered,
            }
        case Message():
            return "message", _message(event)
        case Consumed(input_ids):
            return "taken", {"message_ids": list(input_ids)}
        case Answered():
            return "answered", _answered(event)
        case Done():
            return "done", _done(event)
        case Failed(code, message, hint):
            return "error", {"code": code, "message": message, "hint": hint}
        case _:
            return None


def usage_wire(usage: Usage) -> dict[str, Any]:
    """Give tokens in the words of CONTRACTS 3."""
    shown: dict[str, Any] = {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.all_tokens,
        "calls": usage.calls,
    }
    if usage.cache_read:
        shown["cached_tokens"] = usage.cache_read
    if usage.cost is not None:
        shown["cost"] = round(usage.cost, COST_DIGITS)
        if usage.currency:
            shown["currency"] = usage.currency
    return shown


def _step_started(event: ToolStarted) -> dict[str, Any]:
    step: dict[str, Any] = {"n": event.n, "tool": event.name, "args": dict(event.args)}
    return step | ({"started": event.started} if event.started else {})


def _step(event: ToolFinished) -> dict[str, Any]:
    step: dict[str, Any] = {
        "n": event.n,
        "tool": event.name,
        "args": dict(event.args),
        "ok": event.status == "ok",
        "status": event.status,
        "ms": event.ms,
    }
    for name in ("started", "text", "before", "image"):
        value = getattr(event, name)
        if value:
            step[name] = value
    step.update(zip(("at", "to"), map(list, event.touched), strict=False))
    return step


def _question(event: InputNeeded) -> dict[str, Any]:
    return {
        "question_id": event.question_id,
        "kind": event.kind,
        "title": event.title,
        "question": event.question,
        "options": [{"value": value, "label": label} for value, label in event.options],
        "expires_at": event.expires_at,
    }


def _message(event: Message) -> dict[str, Any]:
    said: dict[str, Any] = {"text": event.text, "from": event.sender}
    if event.message_id:
        said["message_id"] = event.message_id
    if event.attachments:
        said["attachments"] = [dict(each) for each in event.attachments]
    return said


def _answered(event: Answered) -> dict[str, Any]:
    said = {"question_id": event.question_id, "value": event.value}
    return said | ({"by": event.by} if event.by else {})


def _done(event: Done) -> dict[str, Any]:
    done: dict[str, Any] = {
        "answer": event.answer,
        "usage": usage_wire(event.usage or Usage(0, 0, calls=0)),
        "mode": event.mode,
        "verified": event.verified,
        **event.extra,
    }
    if event.stopped:
        done["stopped"] = True
    return done
