"""Phones inside a test: a rack runs them on its own thread, and hands out plain blocking calls."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from virtual_phone.android import Phone
from virtual_phone.profile import Profile
from virtual_phone.rack import Placed, place_many
from virtual_phone.state import get_path

T = TypeVar("T")

_ANSWER_S = 10.0


class PhoneHandle:
    """One phone, asked and changed from the test's own thread."""

    def __init__(self, rack: VirtualRack, placed: Placed) -> None:
        self._rack = rack
        self._placed = placed
        self.address = placed.address
        self.serialno = placed.phone.profile.serialno

    def ask(self, question: Callable[[Phone], T]) -> T:
        """Run a function of the phone on the phone's loop."""
        return self._rack.run(lambda: question(self._placed.phone))

    def state(self) -> dict[str, Any]:
        """Return the whole truth."""
        return self.ask(Phone.report)

    def get(self, path: str) -> Any:
        """Return one value, ``settings.wifi`` for example."""
        return get_path(self.state(), path)

    def set(self, path: str, value: Any) -> None:
        """Write one value; a dictionary is merged."""
        self.ask(lambda phone: phone.set(path, value))

    def snapshot(self, name: str) -> None:
        """Keep the state."""
        self.ask(lambda phone: phone.snapshot(name))

    def restore(self, name: str) -> None:
        """Go back to a kept state."""
        self.ask(lambda phone: phone.restore(name))

    def reset(self) -> None:
        """Make it a phone that nobody has touched; files stay."""
        self.ask(Phone.reset)

    def log(self) -> list[dict[str, Any]]:
        """Return the touches and keys received since the last reset."""
        return self.ask(lambda phone: list(phone.touches))

    def unknown(self) -> list[str]:
        """Return the commands that the phone did not know."""
        return self.ask(lambda phone: list(phone.unknown))

    def fault(self, name: str, on: bool = True, value: float | None = None) -> None:
        """Turn a fault on or off; ``value`` replaces the one of its row."""
        self.ask(lambda phone: phone.switch_fault(name, on, value))

    def start(self, package: str) -> None:
        """Bring an app to the front; KeyError when it is not installed."""

        def act(phone: Phone) -> None:
            app = phone.app(package)
            if app is None:
                raise KeyError(package)
            phone.start(app)

        self.ask(act)

    @property
    def linked(self) -> bool:
        """Tell whether an adb server is connected."""
        return self._rack.run(lambda: self._placed.daemon.linked)


class VirtualRack:
    """Phones on free ports, for the length of a ``with`` block."""

    def __init__(
        self, phones: int = 1, profile: Profile | None = None, first_port: int = 0
    ) -> None:
        self.phones: list[PhoneHandle] = []
        self._number = phones
        self._profile = profile or Profile()
        self._first_port = first_port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="virtual-phones")
        self._placed: list[Placed] = []

    def run(self, function: Callable[[], T]) -> T:
        """Run a function on the phones' loop and wait for its result."""

        async def call() -> T:
            return function()

        return asyncio.run_coroutine_threadsafe(call(), self._loop).result(_ANSWER_S)

    def __enter__(self) -> VirtualRack:
        self._thread.start()
        start = place_many(self._profile, self._first_port, self._number)
        self._placed = asyncio.run_coroutine_threadsafe(start, self._loop).result(_ANSWER_S)
        self.phones = [PhoneHandle(self, placed) for placed in self._placed]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(_ANSWER_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_ANSWER_S)
        self._loop.close()

    async def _close(self) -> None:
        for placed in self._placed:
            await placed.daemon.close()
        await self._loop.shutdown_default_executor()
