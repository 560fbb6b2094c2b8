"""Turn every failure into the one JSON form of CONTRACTS 2, in the reader's language."""

import logging
from typing import Any

from flask import Flask, Response, g, jsonify, request
from werkzeug.exceptions import HTTPException

from core.errors import (
    ConsoleError,
    Invalid,
    NoSuchRoute,
    NotAllowed,
    TooLarge,
    TooMany,
)
from core.words import Lang, pick_lang

logger = logging.getLogger(__name__)

RETRY_S = 5
BY_STATUS: dict[int, type[ConsoleError]] = {
    400: Invalid,
    404: NoSuchRoute,
    405: NotAllowed,
    413: TooLarge,
    429: TooMany,
}


def install(app: Flask) -> None:
    """Handle our own errors, the framework's, and everything else."""
    app.register_error_handler(ConsoleError, answer)
    app.register_error_handler(HTTPException, _framework)
    app.register_error_handler(Exception, _unknown)


def answer(error: ConsoleError) -> Response:
    """Say an error of the tree."""
    response = jsonify({"error": error.body(reader_lang())})
    response.status_code = error.status
    if error.status in (429, 503):
        response.headers["Retry-After"] = str(error.details.get("wait_s", RETRY_S))
    return response


def reader_lang() -> Lang:
    """Choose the language of an answer: the user's setting, the browser's, else Chinese."""
    principal = g.get("principal")
    return pick_lang(principal.lang if principal else None, request.headers.get("Accept-Language"))


def refuse_invalid(
    _request: Any, _response: Any, error: Any, _instance: Any, _adapter: Any
) -> None:
    """Raise what SpecTree found wrong with a request as our own `Invalid`, with its path."""
    if error is None:
        return
    first = error.errors()[0]
    # pydantic starts the path of a tagged or aliased place with the model; ours starts in the body
    path = ".".join(str(part) for part in first["loc"]) or None
    raise Invalid(path=path, detail=f"{path}: {first['msg']}" if path else first["msg"])


def _framework(error: HTTPException) -> Response:
    if error.response is not None:  # somebody made the answer already, for example a redirect
        return error.response  # type: ignore[return-value]
    kind = BY_STATUS.get(error.code or 500, ConsoleError)
    known = kind(detail=error.description or "")
    response = answer(known)
    response.status_code = error.code or 500
    return response


def _unknown(error: Exception) -> Response:
    logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return answer(ConsoleError())
