"""Things that go wrong on real phones, as switches that can be thrown while the phone runs.

One row a fault; the code that is hit asks ``on``, ``value`` or ``take``. What chance decides comes
from a generator with a seed, so that a run can be repeated.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from virtual_phone.files import Files
from virtual_phone.state import State

Act = Callable[[Files, State, bool], None]

_U2_JAR = "/data/local/tmp/u2.jar"


@dataclass(frozen=True, slots=True)
class Fault:
    """One row: what it does, its default value with the unit in words, and what throwing it does.

    ``once`` faults hit one time and are off again; ``link`` faults end the link to adb when they
    are thrown, so that adb meets them anew.
    """

    what: str
    value: float = 0.0
    unit: str = ""
    once: bool = False
    link: bool = False
    act: Act | None = None


def _stale_jar(files: Files, state: State, on: bool) -> None:
    if on:
        files.write(_U2_JAR, b"an older server")


def _full(files: Files, state: State, on: bool) -> None:
    files.full = on


def _airplane(files: Files, state: State, on: bool) -> None:
    state["settings"]["airplane"] = on
    state["settings"]["wifi"] = not on


FAULTS: dict[str, Fault] = {
    # the link to adb
    "offline_link": Fault("the TCP link to adb is dropped and new ones are refused", link=True),
    "refuse_reconnect": Fault(
        "the link is dropped and refused for a while", 3.0, "seconds", link=True
    ),
    "link_drop": Fault("the link is dropped once, as by a pulled cable", once=True, link=True),
    "drop_mid_command": Fault("the link is dropped once, inside the next command", once=True),
    "drop_mid_push": Fault(
        "the link is dropped once, inside the next file", 65536, "bytes taken before", once=True
    ),
    "half_open": Fault("the link stays up, and nothing is read or answered"),
    "offline": Fault("adb's greeting is never answered: adb says offline", link=True),
    "unauthorized": Fault("no key of adb is ever accepted", link=True),
    "authorise_after": Fault("adb's key is accepted after a while", 2.0, "seconds", link=True),
    # reading the screen
    "screencap_fail": Fault("screencap prints nothing and takeScreenshot answers null"),
    "dump_fail": Fault("the window hierarchy cannot be read (null root node)"),
    "null_root": Fault("the next dumps have a null root node", 2, "dumps"),
    "slow_dump": Fault("reading the window hierarchy takes long", 3.0, "seconds"),
    "no_idle": Fault("the screen never rests: dumps give up, --compressed ones do not"),
    "odd_nodes": Fault(
        "the app shows nodes without area, off the screen, twice, and oddly written"
    ),
    "black": Fault("the screen is drawn black though nothing protects it"),
    "stale_tree": Fault("the hierarchy shows what was there a while ago", 800, "milliseconds"),
    # protected screens: the hierarchy is whole
    "secure": Fault("the screen is protected: pictures are black"),
    "secure_status": Fault("the screen is protected: screencap prints Status: -1"),
    "secure_empty": Fault("the screen is protected: screencap prints nothing"),
    "secure_null": Fault("the screen is protected: takeScreenshot answers null"),
    # UiAutomation and its server
    "exclusive_uia": Fault("uiautomator dump is killed while uiautomator2's server runs"),
    "u2_dies": Fault("uiautomator2's server dies once, inside the next call", once=True),
    "u2_disconnected": Fault("uiautomator2's server has lost UiAutomation until it is restarted"),
    "u2_killed": Fault("uiautomator2's server is killed, whenever it is started too"),
    "stale_jar": Fault("the u2.jar on the phone is another one", once=True, act=_stale_jar),
    "port_busy": Fault("another program holds uiautomator2's port"),
    # the device
    "low_storage": Fault("writing fails: no space left on device", act=_full),
    "airplane": Fault("aeroplane mode is on and there is no network", act=_airplane),
    # fingers
    "tap_swallowed": Fault("taps are lost by chance", 0.5, "probability"),
    "double_tap": Fault("a tap bounces and arrives twice"),
    "slow_launch": Fault("an app shows its splash for a while before its page", 2.0, "seconds"),
}


SECURE = tuple(name for name in FAULTS if name.startswith("secure"))


class Faults:
    """Which faults are on, with what value."""

    def __init__(self, seed: int = 0) -> None:
        self._on: dict[str, float] = {}
        self.seed = seed
        self.chance = random.Random(seed)

    def on(self, name: str) -> bool:
        """Tell whether a fault is on."""
        return name in self._on

    def any(self, *names: str) -> bool:
        """Tell whether one of them is on."""
        return any(name in self._on for name in names)

    def value(self, name: str) -> float:
        """Return the value that a fault was given, 0 while it is off."""
        return self._on.get(name, 0.0)

    def take(self, name: str) -> bool:
        """Use a fault up that hits once; False when it was not on."""
        return self._on.pop(name, None) is not None

    def count_down(self, name: str) -> bool:
        """Use one of the ``value`` hits of a fault; False when none is left."""
        left = self._on.get(name, 0.0)
        if left < 1:
            return False
        self._on[name] = left - 1
        return True

    def happens(self, name: str) -> bool:
        """Let chance decide whether a fault hits now."""
        return name in self._on and self.chance.random() < self._on[name]

    def switch(self, name: str, on: bool, value: float | None = None) -> Fault:
        """Turn a fault on or off; ``value`` replaces the row's own.

        Raises:
            KeyError: there is no such fault.
        """
        if name not in FAULTS:
            raise KeyError(f"unknown fault {name}; known: {', '.join(FAULTS)}")
        row = FAULTS[name]
        if on:
            self._on[name] = row.value if value is None else value
        else:
            self._on.pop(name, None)
        return row

    def clear(self) -> None:
        """Turn all off and start the chances anew."""
        self._on.clear()
        self.chance = random.Random(self.seed)

    def names(self) -> list[str]:
        """Return those that are on."""
        return sorted(self._on)
