"""The one way to declare a route of the API: its models, and so its part of ``/openapi.json``."""

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel
from spectree import Response, SpecTree

from web.errors import refuse_invalid
from web.schemas.base import ErrorAnswer

View = TypeVar("View", bound=Callable[..., Any])

# what the guard, a full console and a phone that does not answer may say to any request
REFUSALS = {
    "4XX": ("Refused", "What is wrong with the request, or what stands in its way."),
    "502": ("Failed", "The phone or the model failed."),
    "503": ("NotNow", "Too many streams, or the MCP server or adb does not answer."),
    "507": ("Full", "The disk is nearly full."),
}
REFUSED = {
    status: {"$ref": f"#/components/responses/{name}"} for status, (name, _) in REFUSALS.items()
}
ANY_BODY = {"description": "OK", "content": {"*/*": {}}}

spec = SpecTree(
    "flask",
    title="Phonedeck",
    version="1",
    annotations=True,
    before=refuse_invalid,
    validation_error_status=400,
    validation_error_model=ErrorAnswer,
    naming_strategy=lambda model: model.__name__,
    nested_naming_strategy=lambda _parent, child: child,
)


def contract(
    takes: type[BaseModel] | None = None,
    gives: type[BaseModel] | None = None,
    status: int = 200,
    query: type[BaseModel] | None = None,
    form: type[BaseModel] | None = None,
) -> Callable[[View], View]:
    """Declare what a view takes as ``json``, ``query`` or ``form`` and what it gives.

    A view that takes something has a parameter of that name, filled with the checked model.
    """
    answers = Response(**{f"HTTP_{status}": gives}) if gives else None
    decorate: Callable[[View], View] = spec.validate(
        json=takes, query=query, form=form, resp=answers
    )
    return decorate


def description() -> dict[str, Any]:
    """Return what ``/openapi.json`` shows: every route, also with how it may be refused."""
    made: dict[str, Any] = spec.spec
    for path, operations in made["paths"].items():
        for operation in operations.values():
            answers = operation["responses"]
            if not answers:  # a stream, a picture, a page
                answers["200"] = ANY_BODY
            if path.startswith("/api/"):
                answers.update(REFUSED)
    made["components"]["responses"] = {name: _refusal(words) for name, words in REFUSALS.values()}
    return made


def _refusal(words: str) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{ErrorAnswer.__name__}"}
    return {"description": words, "content": {"application/json": {"schema": schema}}}
