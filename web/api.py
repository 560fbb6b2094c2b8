"""The one way to declare a route of the API: its models, and so its part of ``/openapi.json``."""

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel
from spectree import Response, SpecTree

from web.errors import refuse_invalid
from web.schemas.base import ErrorAnswer

View = TypeVar("View", bound=Callable[..., Any])

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
) -> Callable[[View], View]:
    """Declare what a view takes as ``json`` or ``query`` and what it gives.

    A view that takes something has a parameter of that name, filled with the checked model.
    """
    answers = Response(**{f"HTTP_{status}": gives}) if gives else None
    decorate: Callable[[View], View] = spec.validate(json=takes, query=query, resp=answers)
    return decorate
