"""Things that go wrong on real phones, as switches.

One row a fault; the code that is hit asks ``on``.
"""

from __future__ import annotations

SLOW_DUMP_S = 3.0

FAULTS = {
    "offline_link": "the TCP link to adb is dropped and new ones are refused",
    "screencap_fail": "screencap prints nothing and takeScreenshot answers null",
    "dump_fail": "the window hierarchy cannot be read (null root node)",
    "slow_dump": f"reading the window hierarchy takes {SLOW_DUMP_S:g} s",
    "secure": "the screen is protected: pictures are black, the hierarchy is whole",
}


class Faults:
    """Which faults are on."""

    def __init__(self) -> None:
        self._on: set[str] = set()

    def on(self, name: str) -> bool:
        """Tell whether a fault is on."""
        return name in self._on

    def switch(self, name: str, on: bool) -> None:
        """Turn a fault on or off.

        Raises:
            KeyError: there is no such fault.
        """
        if name not in FAULTS:
            raise KeyError(f"unknown fault {name}; known: {', '.join(FAULTS)}")
        (self._on.add if on else self._on.discard)(name)

    def clear(self) -> None:
        """Turn all off."""
        self._on.clear()

    def names(self) -> list[str]:
        """Return those that are on."""
        return sorted(self._on)
