"""Turn what the OpenAI client raises into a code that a person can act on."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import openai

from core.errors import ModelFault

DETAIL_CHARS = 300
#: What may come out of a request: the client's errors, the network's, broken JSON, our own.
FAULTS = (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, ValueError, ModelFault)
#: Another attempt may well succeed.
RETRIED = (
    "model_rate",
    "model_busy",
    "model_down",
    "model_unreachable",
    "model_unreadable",
    "model_cut",
    "model_empty",
)

BY_STATUS = {
    400: "model_rejected",
    401: "model_auth",
    402: "model_balance",
    403: "model_forbidden",
    404: "model_not_found",
    408: "model_timeout",
    413: "model_too_large",
    415: "model_rejected",
    422: "model_rejected",
    429: "model_rate",
    504: "model_timeout",
    529: "model_busy",
}
REFUSED = (400, 404, 415, 422)
TOO_LARGE = re.compile(
    r"context.{0,12}(length|window|size)|maximum.{0,20}(token|length)|too (long|large)|token limit",
    re.I,
)
NO_BALANCE = re.compile(r"insufficient.{0,3}(quota|balance|funds)|余额|欠费|arrears", re.I)
NO_PICTURES = re.compile(r"image|vision|multi.?modal|picture|content.{0,20}string", re.I)
NO_TOOLS = re.compile(r"not support.{0,12}(tool|function)|(tool|function).{0,20}not support", re.I)
FILTERED = re.compile(r"content.?(filter|management)|inspection|inappropriate|敏感|违规", re.I)
BUSY = re.compile(r"overload", re.I)
PICTURES_MAX = re.compile(
    r"(?:at most|maximum|max|up to|limit|only|exceeds?)\D{0,24}(\d{1,3})\D{0,4}(?:image|picture)",
    re.I,
)


def translate(error: Exception, url: str, key: str, arrived: bool) -> ModelFault:
    """Say what went wrong.

    Args:
        error: What the client raised.
        url: The API base, for the words.
        key: The API key; it never gets into the words.
        arrived: Whether a part of the answer had arrived.
    """
    detail = said(error).replace(key, "…") if key else said(error)
    if isinstance(error, ModelFault):
        error.details.setdefault("url", url)
        return error
    if isinstance(error, httpx2.InvalidURL):
        return ModelFault("model_not_found", url=url, detail=detail)
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException | TimeoutError):
        return ModelFault("model_timeout", url=url)
    if isinstance(error, openai.APIConnectionError | httpx2.HTTPError | UnicodeDecodeError):
        code = "model_cut" if arrived else "model_unreachable"
        return ModelFault(code, url=url, detail=detail)
    if isinstance(error, openai.APIError):
        details = {"status": status} if (status := status_of(error)) else {}
        return ModelFault(_code(error, status), detail=detail, url=url, **details)
    code = "model_unreadable" if isinstance(error, ValueError) else "model_error"
    return ModelFault(code, url=url, detail=detail)


def said(error: Exception) -> str:
    """Give the server's own words, short and without markup."""
    if isinstance(error, openai.APIConnectionError):
        text = str(error.__cause__ or error)
    elif isinstance(error, openai.APIError):
        text = "; ".join(_words(error.body)) or error.message
    else:
        text = str(error)
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())[:DETAIL_CHARS]


def status_of(error: Exception) -> int | None:
    """Return the HTTP status, or the one that an error inside a stream names."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code
    code = getattr(error, "code", None)
    return int(code) if isinstance(code, str) and re.fullmatch(r"[45]\d\d", code) else None


def blames(error: Exception, field: str) -> bool:
    """Say whether the server refused the request because of one of its fields."""
    return isinstance(error, openai.APIError) and (error.param == field or field in said(error))


def refuses_form(error: Exception) -> bool:
    """Say whether the server may not have liked the form of the request."""
    return status_of(error) in (400, 422) and _code_of(error) == "model_rejected"


def dislikes_pictures(error: Exception) -> bool:
    """Say whether the server's words are about the pictures in the request."""
    return status_of(error) in REFUSED and bool(NO_PICTURES.search(said(error)))


def pictures_max(error: Exception) -> int | None:
    """Return how many pictures a request may hold, where the server refused more of them."""
    found = PICTURES_MAX.search(said(error)) if status_of(error) in REFUSED else None
    return int(found.group(1)) if found else None


def retry_after_s(error: Exception) -> float | None:
    """Return how long the server asks to wait, in seconds or until a moment."""
    if not isinstance(error, openai.APIStatusError):
        return None
    wish = error.response.headers.get("retry-after", "")
    if re.fullmatch(r"\d+(\.\d+)?", wish):
        return float(wish)
    try:
        moment = parsedate_to_datetime(wish)
    except ValueError:
        return None
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0) if moment.tzinfo else None


def _code_of(error: Exception) -> str | None:
    return _code(error, status_of(error)) if isinstance(error, openai.APIError) else None


def _code(error: openai.APIError, status: int | None) -> str:
    text, kind = said(error), f"{error.type} {error.code}"
    if status in (400, 403, 422, None) and FILTERED.search(f"{kind} {text}"):
        return "model_filtered"
    if status in (400, 422, 500, None) and TOO_LARGE.search(text):
        return "model_too_large"
    if status in (403, 429) and NO_BALANCE.search(f"{kind} {text}"):
        return "model_balance"
    if status in REFUSED and NO_TOOLS.search(text):
        return "model_no_tools"
    if BUSY.search(kind) or (status == 503 and BUSY.search(text)):
        return "model_busy"
    if status is None:
        return "model_error"
    return BY_STATUS.get(status, "model_down" if status >= 500 else "model_error")


def _words(body: Any) -> Iterable[str]:
    """Find the words in a refusal, of which every framework has its own form."""
    if isinstance(body, str):
        return [body] if body.strip() else []
    if isinstance(body, list):
        return [word for each in body for word in _words(each)]
    if not isinstance(body, dict):
        return []
    for key in ("message", "error", "detail", "msg"):
        if words := list(_words(body.get(key))):
            where = body.get("loc")
            path = ".".join(map(str, where)) if isinstance(where, list) else ""
            return [f"{path}: {words[0]}", *words[1:]] if path else words
    return []
