"""Names to things of one kind: step types, providers, channels, memories' sources.

Our own kinds register by decorator at import time; foreign packages come through an entry
point group, and one that does not load is left out with a traceback in the log.
"""

import logging
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from core.errors import NotFound

logger = logging.getLogger(__name__)

T = TypeVar("T")


class Registry(Generic[T]):
    """Names to things of one kind, filled by decorators at import time."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._things: dict[str, T] = {}

    def register(self, name: str) -> Callable[[T], T]:
        """Return a decorator that files its thing under ``name``.

        Raises:
            ValueError: The name is taken.
        """

        def file(thing: T) -> T:
            if name in self._things:
                raise ValueError(f"{self.kind} {name} is registered twice")
            self._things[name] = thing
            return thing

        return file

    def get(self, name: str) -> T:
        """Return the thing of that name.

        Raises:
            NotFound: Nothing has that name; the hint lists what is there.
        """
        try:
            return self._things[name]
        except KeyError:
            raise NotFound(kind=self.kind, name=name, known=", ".join(self._things)) from None

    def load(self, group: str) -> None:
        """Import every foreign package of an entry point group; they register themselves."""
        for point in entry_points(group=group):
            try:
                point.load()
            except Exception:  # it may fail in any way, and takes only itself out
                logger.exception("plugin %s (%s) did not load", point.name, point.value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __contains__(self, name: object) -> bool:
        return name in self._things
