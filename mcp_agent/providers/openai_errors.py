"""Turn what the OpenAI client raises into a code that a person can act on."""

import json
import re
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import openai

from core.clock import utc_now
from core.errors import ModelFault

DETAIL_CHARS = 300
#: What may come out of a request: the client's errors, the network's, broken JSON, our own.
FAULTS = (openai.OpenAIError, httpx2.HTTPError, ValueError, ModelFault)

BY_STATUS = {
    400: "model_rejected",
    401: "model_auth",
    402: "model_balance",
    403: "model_forbidden",
    404: "model_not_found",
    408: "model_timeout",
    413: "model_too_large",
    422: "model_rejected",
    429: "model_rate",
    504: "model_timeout",
}
TOO_LARGE = re.compile(
    r"context.{0,12}(length|window|size)|maximum.{0,20}(token|length)|too (long|large)|token limit",
    re.I,
)
NO_BALANCE = re.compile(r"insufficient.{0,3}(quota|balance|funds)|余额|欠费|arrears", re.I)
FILTERED = re.compile(r"content.?filter|content management|inappropriate|sensitive|违规|敏感", re.I)
#: The history itself is at fault, so asking again in another form changes nothing.
BAD_HISTORY = re.compile(r"tool_calls?.{0,80}(must|follow|respon)|role .?tool.? must", re.I | re.S)
NO_PICTURES = re.compile(r"image|vision|multi.?modal|picture|content.{0,20}string", re.I)


def translate(error: Exception, url: str, key: str, started: bool) -> ModelFault:
    """Say what went wrong.

    Args:
        error: What the client raised.
        url: The API base, for the words.
        key: The API key; it never gets into the words.
        started: Whether a part of the answer had arrived.
    """
    detail = said(error).replace(key, "…") if key else said(error)
    if isinstance(error, ModelFault):
        return error
    if isinstance(error, openai.APIStatusError):
        return ModelFault(_status_code(error), detail=detail, status=error.status_code, url=url)
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException | TimeoutError):
        return ModelFault("model_timeout", url=url)
    if started and isinstance(error, httpx2.HTTPError | openai.APIConnectionError):
        return ModelFault("model_cut", detail=detail)
    if isinstance(error, httpx2.HTTPError | openai.APIConnectionError):
        return ModelFault("model_unreachable", url=url, detail=detail)
    return ModelFault(_code_in_stream(error), detail=detail)


def _code_in_stream(error: Exception) -> str:
    """Give the code of an error that came as a part of a stream, under a status of 200."""
    body = error.body if isinstance(error, openai.APIError) else None
    status = body.get("code") if isinstance(body, dict) else None
    if not isinstance(status, int):
        return "model_error"
    return BY_STATUS.get(status, "model_down" if status >= 500 else "model_error")


def in_stream(text: str) -> ModelFault:
    """Read an error that a server wrote into its stream."""
    words = (_message(json.loads(text)) or text)[:DETAIL_CHARS]
    return ModelFault("model_too_large" if TOO_LARGE.search(words) else "model_error", detail=words)


def said(error: Exception) -> str:
    """Give the server's own words, short and without markup."""
    if isinstance(error, openai.APIConnectionError):
        text = str(error.__cause__ or error)
    elif isinstance(error, openai.APIError):
        text = _message(error.body) or error.message
    else:
        text = str(error)
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())[:DETAIL_CHARS]


def blames(error: Exception, field: str) -> bool:
    """Say whether the server refused the request because of one of its fields."""
    return isinstance(error, openai.APIStatusError) and (
        error.param == field or field in said(error)
    )


def refuses_request(error: Exception) -> bool:
    """Say whether the server did not like the form of the request."""
    if not isinstance(error, openai.APIStatusError) or error.status_code not in (400, 422):
        return False
    return _status_code(error) == "model_rejected" and not BAD_HISTORY.search(said(error))


def too_large(error: Exception) -> bool:
    """Say whether the request was longer than the model takes."""
    return bool(TOO_LARGE.search(said(error)))


def dislikes_pictures(error: Exception) -> bool:
    """Say whether the server's words are about the pictures in the request."""
    return bool(NO_PICTURES.search(said(error)))


def retry_after_s(error: Exception) -> float | None:
    """Return how long the server asks to wait, whether it gives seconds or a moment."""
    if not isinstance(error, openai.APIStatusError):
        return None
    wish = error.response.headers.get("retry-after", "")
    if re.fullmatch(r"\d+(\.\d+)?", wish):
        return float(wish)
    try:
        return max(0.0, (parsedate_to_datetime(wish) - utc_now()).total_seconds())
    except (TypeError, ValueError):
        return None


def _status_code(error: openai.APIStatusError) -> str:
    status, text = error.status_code, said(error)
    if status in (400, 422) and too_large(error):
        return "model_too_large"
    if status in (400, 403) and FILTERED.search(f"{text} {error.code}"):
        return "model_filtered"
    if status in (403, 429) and NO_BALANCE.search(text):
        return "model_balance"
    return BY_STATUS.get(status, "model_down" if status >= 500 else "model_error")


def _message(body: Any) -> str:
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict):
            return str(inner.get("message") or "")
        return str(inner)
    return body if isinstance(body, str) else ""
