"""The table of uiautomator2's JSON-RPC methods and the errors that they answer with.

A method that is not in the table is answered with "method not found", never with a made-up
success.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

Selector = dict[str, Any] | str  # a string names a child that childByText and its like held
Method = Callable[..., Awaitable[Any]]

METHODS: dict[str, Method] = {}


class RpcError(Exception):
    """The server's answer is an error."""

    code = -32001
    data = ""


class UnknownMethod(RpcError):
    """The server has no such method."""

    code = -32601

    def __init__(self, name: str) -> None:
        super().__init__(f"method not found: {name}")


class ObjectNotFound(RpcError):
    """No node is meant by the selector; the client knows it by the class name in the message."""

    code = -32002

    def __init__(self, selector: Selector) -> None:
        keys: object = selector
        if isinstance(selector, dict):
            keys = {k: v for k, v in selector.items() if v and k != "mask"}
        super().__init__(f"androidx.test.uiautomator.UiObjectNotFoundException: {keys}")


def method(function: Method) -> Method:
    """Enter a method under its own name, written as Java writes it."""
    first, *rest = function.__name__.split("_")
    METHODS[first + "".join(word.title() for word in rest)] = function
    return function
