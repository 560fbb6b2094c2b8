"""What lays itself over an app: questions, complaints and advertisements, each a window of its own.

``system.overlays`` keeps them as plain JSON, the topmost last; a button changes that list and
whatever else it promises. Seconds are counted down by the state's ``tick``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from virtual_phone import ads, dialogs
from virtual_phone.dialogs import Overlay, remove, stop
from virtual_phone.state import State
from virtual_phone.ui import Window
from virtual_phone.view import App, View

AD_SECONDS = 3


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of overlay: what it is, how it starts, how it is drawn, what BACK does."""

    about: str
    draw: Callable[[View, Overlay], Window]
    fresh: Callable[[State], Overlay] = lambda _: {}
    back: Callable[[State, Overlay], object] | None = None


def show(state: State, apps: tuple[App, ...], name: str, **values: Any) -> None:
    """Lay one over the app on the screen; it is not shown twice.

    Raises:
        KeyError: there is no such overlay.
    """
    kind = _kind(name)
    package = values.get("package") or state["system"]["foreground"]
    hide(state, name)
    overlay = {"name": name, "package": package, **kind.fresh(state), **values}
    if name == "crash":
        stop(state, apps, package)
    state["system"]["overlays"] = [*state["system"]["overlays"], overlay]


def hide(state: State, name: str) -> None:
    """Take one away; KeyError when there is no such overlay."""
    _kind(name)
    remove(state, name)


def names(state: State) -> list[str]:
    """Return those that are shown, the topmost last."""
    return [str(overlay["name"]) for overlay in state["system"]["overlays"]]


def windows(view: View) -> list[Window]:
    """Draw those that are shown, the topmost last."""
    return [_kind(o["name"]).draw(view, o) for o in view.state["system"]["overlays"]]


def back(state: State) -> bool:
    """Let the topmost one take BACK; False when there is none that does."""
    shown = state["system"]["overlays"]
    if not shown or not (act := _kind(shown[-1]["name"]).back):
        return False
    act(state, shown[-1])
    return True


def _kind(name: str) -> Kind:
    if name not in OVERLAYS:
        raise KeyError(f"unknown overlay {name}; known: {', '.join(OVERLAYS)}")
    return OVERLAYS[name]


def _skip(state: State, overlay: Overlay) -> None:
    if not overlay.get("seconds", 0):
        remove(state, overlay["name"])


def _stay(state: State, overlay: Overlay) -> None:
    del state, overlay


def _dismiss(state: State, overlay: Overlay) -> None:
    remove(state, overlay["name"])


OVERLAYS = {
    "permission": Kind(
        "the app asks for a permission",
        dialogs.permission,
        fresh=lambda _: {"permission": "LOCATION"},
        back=_stay,
    ),
    "crash": Kind("the app on the screen has crashed repeatedly", dialogs.crash, back=_stay),
    "anr": Kind("the app on the screen does not respond", dialogs.anr, back=_stay),
    "ad": Kind(
        f"a full-screen advertisement; it can be skipped after {AD_SECONDS} s",
        ads.ad,
        fresh=lambda _: {"seconds": AD_SECONDS},
        back=_skip,
    ),
    "update": Kind("a card over the app urges a system update", ads.update),
    "low_battery": Kind(
        "the battery is low", dialogs.low_battery, fresh=dialogs.drain, back=_dismiss
    ),
}
