"""The phone: the one truth that shell commands, uiautomator2, the picture and tests all look at.

Everything runs on one asyncio loop. A change is made to ``state`` and then announced with
``changed()``, which raises ``version``; trees, pictures and encodings are kept per version.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
from collections.abc import Callable
from functools import partial
from typing import Any

from PIL import Image

from virtual_phone import draw, keyguard, overlays, recorded, shade, system_ui, toast
from virtual_phone import state as st
from virtual_phone.apps import APPS
from virtual_phone.background import Background
from virtual_phone.faults import SECURE, Faults
from virtual_phone.files import Files
from virtual_phone.late import LateTrees, Splash, splash_window
from virtual_phone.odd_nodes import odd_nodes
from virtual_phone.pictures import Camera
from virtual_phone.profile import Profile
from virtual_phone.state import State
from virtual_phone.theme import DARK, LIGHT
from virtual_phone.ui import Node, Window, reported
from virtual_phone.view import Act, App, View, stop_app
from virtual_phone.wire import Handler, Link


class Phone:
    """State, files and screen of one phone."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.apps: tuple[App, ...] = (*APPS, *recorded.make_apps(profile.recorded))
        self.files = Files()
        self.faults = Faults(profile.seed)
        self.camera = Camera(self._paint, lambda: self.version)
        self.late_trees = LateTrees()
        self.splash = Splash()
        self._toast = ""
        self.background = Background()
        self.listeners: dict[str, Handler] = {}
        self.reverses: dict[str, tuple[str, Link]] = {}
        self.unknown: list[str] = []
        self.touches: list[dict[str, Any]] = []
        self.snapshots: dict[str, State] = {}
        self.drop_links: Callable[[], None] = lambda: None
        self.look_at_links: Callable[[], None] = lambda: None
        self.version = 0
        self.finger: tuple[float, float] | None = None
        self.finger_since = 0.0
        self._ticking = False
        self._waiters: set[asyncio.Event] = set()
        self._windows: tuple[int, list[Window]] | None = None
        self.state: State = {}
        self.reset()

    # -- state --------------------------------------------------------------------------------

    def fresh_state(self) -> State:
        """Return the state of a phone that nobody has touched."""
        system = st.system_state(self.profile.locale)
        state: State = {"system": system}
        for app in self.apps:
            state[app.key] = {**app.fresh(system), "ui": app.fresh_ui()}
        if self.profile.recorded:
            system["foreground"] = self.apps[-1].package
        about = state["settings"]["about"]
        profile = self.profile
        about.update(model=profile.model, version=profile.android, serial=profile.serialno)
        return state

    def reset(self) -> None:
        """Forget everything but files and snapshots; faults are switched off."""
        self.state = self.fresh_state()
        self.touches.clear()
        self.unknown.clear()
        self.faults.clear()
        self.files.full = False
        self.look_at_links()
        self.changed()

    def reboot(self) -> None:
        """Close every app and drop the link; what is stored stays."""
        for app in self.apps:
            self.state[app.key]["ui"] = app.fresh_ui()
        system, kept = self.state["system"], st.system_state(self.profile.locale)
        for name in st.GONE_AFTER_BOOT:
            system[name] = kept[name]
        st.leave_field(self.state)
        self.changed()
        self.drop_links()

    def snapshot(self, name: str) -> None:
        """Keep the state under a name."""
        self.snapshots[name] = copy.deepcopy(self.state)

    def restore(self, name: str) -> None:
        """Go back to a kept state; KeyError when there is none."""
        self.state = copy.deepcopy(self.snapshots[name])
        self.changed()

    def set(self, path: str, value: Any) -> None:
        """Write a value of the state.

        Raises:
            KeyError: its parent does not exist.
            ValueError: an app cannot be drawn with it; nothing was changed.
        """
        before = copy.deepcopy(self.state)
        st.set_path(self.state, path, copy.deepcopy(value))
        try:
            for app in self.apps:
                app.screen(self.view())
            self._build()
        except Exception as error:
            # whatever an app stumbles over, the value is to blame: take it back and say so
            self.state = before
            raise ValueError(
                f"{path}: no screen can be drawn with that value: {error!r}"
            ) from error
        self.changed()

    def switch_fault(self, name: str, on: bool, value: float | None = None) -> None:
        """Turn a fault on or off; KeyError when there is no such fault."""
        if name in overlays.OVERLAYS:
            self.switch_overlay(name, on)
            return
        row = self.faults.switch(name, on, value)
        if row.act:
            row.act(self.files, self.state, on)
        if on and row.link:
            self.drop_links()
        if row.once and (row.act or row.link):
            self.faults.take(name)  # it has hit
        self.look_at_links()
        self.changed()

    def switch_overlay(self, name: str, on: bool, **values: Any) -> None:
        """Lay something over the app, or take it away; KeyError when there is no such thing."""
        if on:
            overlays.show(self.state, self.apps, name, **values)
        else:
            overlays.hide(self.state, name)
        self.changed()

    def report(self) -> State:
        """Return a copy of the whole state."""
        return copy.deepcopy(self.state)

    def changed(self) -> None:
        """Announce that the state is another one now."""
        self.version += 1
        if not self.state["system"]["screen_on"]:
            keyguard.sleep(self.state)
        focus = self.state["system"]["focus"]
        if focus and self.find(lambda node: node.edits == focus) is None:
            st.leave_field(self.state)
            self.version += 1
        self.state["system"]["activity"] = self.activity
        self._be_late()
        self._count_down()
        for event in self._waiters:
            event.set()

    def _count_down(self) -> None:
        """See that seconds pass while something counts them, where a loop runs to do it."""
        if self._ticking or not st.counting(self.state):
            return
        with contextlib.suppress(RuntimeError):  # a phone that is only drawn has no loop
            asyncio.get_running_loop().call_later(1.0, self._tick)
            self._ticking = True

    def _tick(self) -> None:
        self._ticking = False
        st.tick(self.state)
        self.changed()

    def _be_late(self) -> None:
        lasts_s = self.faults.value("slow_launch")
        if self.splash.watch(self.state["system"]["foreground"], lasts_s):
            asyncio.get_running_loop().call_later(lasts_s, self._open)
        words = self.state["system"]["toast_shown"]
        if words and words != self._toast:
            with contextlib.suppress(RuntimeError):  # a phone that is only drawn has no loop
                asyncio.get_running_loop().call_later(toast.SHOWN_S, self._end_toast, words)
        self._toast = words
        if self.faults.on("stale_tree"):
            self.late_trees.keep(self.windows())
        else:
            self.late_trees.clear()

    def _open(self) -> None:
        self.splash.over()
        self.changed()

    def _end_toast(self, words: str) -> None:
        if self.state["system"]["toast_shown"] == words:
            self.set("system.toast_shown", "")

    def dumped_windows(self) -> list[Window]:
        """Return the windows that a dump shows, which may lag behind the screen."""
        if self.faults.on("stale_tree"):
            return self.late_trees.seen(self.faults.value("stale_tree") / 1000)
        return self.windows()

    async def wait_change(self, timeout_s: float) -> None:
        """Return at the next change, or after ``timeout_s``."""
        event = asyncio.Event()
        self._waiters.add(event)
        try:
            await asyncio.wait_for(event.wait(), timeout_s)
        except TimeoutError:
            pass
        finally:
            self._waiters.discard(event)

    # -- apps ---------------------------------------------------------------------------------

    def app(self, package: str) -> App | None:
        """Return an installed app, or None."""
        # a recorded app comes last and takes the place of a built-in one of its name
        return next((a for a in reversed(self.apps) if a.package == package), None)

    @property
    def foreground(self) -> App:
        """The app on the screen."""
        found = self.app(self.state["system"]["foreground"])
        return found or self.apps[0]

    @property
    def activity(self) -> str:
        """The activity on the screen, short form such as ``.Settings``."""
        return self.foreground.activity(self.state)

    @property
    def focus_title(self) -> str:
        """What the window manager calls the window with the focus; full activity for an app's."""
        title = self.windows()[0].title if self.windows() else ""
        package = self.foreground.package
        return title or f"{package}/{package}{self.activity}"

    @property
    def active_package(self) -> str:
        """The package of the window with the focus."""
        return self.windows()[0].package if self.windows() else self.foreground.package

    def start(self, app: App) -> None:
        """Bring an app to the front."""
        if app.package == st.LAUNCHER:
            st.go_home(self.state)
        else:
            st.start_app(self.state, app.package)
        self.changed()

    def stop(self, app: App) -> None:
        """End an app; it starts on its first page next time."""
        stop_app(self.state, app)
        self.changed()

    # -- screen -------------------------------------------------------------------------------

    @property
    def size(self) -> tuple[int, int]:
        """Width and height as the screen is held now."""
        physical = self.profile.width, self.profile.height
        width, height = self.state["system"]["wm_size"] or physical
        return (height, width) if self.state["system"]["rotation"] % 2 else (width, height)

    def view(self) -> View:
        """Return what the foreground app draws with."""
        width, height = self.size
        theme = DARK if self.state["settings"]["dark_mode"] else LIGHT
        view = View(self.state, self.apps, theme, width, height, 0, height)
        top, bar = view.px(system_ui.STATUS_PX), view.px(system_ui.NAVIGATION_PX)
        keyboard = self.state["system"]["keyboard"]
        bottom = system_ui.keyboard_top(view) if keyboard else height - bar
        return View(self.state, self.apps, theme, width, height, top, bottom)

    def windows(self) -> list[Window]:
        """Return the windows that can be touched, the active one first and the topmost last.

        What lies under a modal window is only painted. There are none when the screen is off.
        """
        return reported(self._all_windows())

    def _all_windows(self) -> list[Window]:
        if self._windows and self._windows[0] == self.version:
            return self._windows[1]
        windows = self._build() if self.state["system"]["screen_on"] else []
        self._windows = (self.version, windows)
        return windows

    def listed_windows(self) -> list[tuple[str, str, tuple[int, int, int, int], bool]]:
        """Give each window's title, package, frame and whether it forbids pictures, top first."""
        front = self.foreground.package

        def listed(window: Window) -> tuple[str, str, tuple[int, int, int, int], bool]:
            mine, place = window.package == front, window.root.bounds
            title = self.focus_title if mine else window.package
            frame = (place.left, place.top, place.right, place.bottom)
            return title, window.package, frame, mine and self.secure

        return [listed(window) for window in reversed(self._all_windows())]

    def _build(self) -> list[Window]:
        view, app = self.view(), self.foreground
        if self.state["system"]["locked"]:
            return [keyguard.lock_window(view), system_ui.status_bar(view)]
        front = Window(app.package, app.screen(view))
        if self.faults.on("odd_nodes"):
            front.root.children += odd_nodes(*self.size)
        windows = [splash_window(app, view) if self.splash.showing else front]
        windows += overlays.windows(view)
        if not app.whole:
            windows.append(system_ui.status_bar(view))
        if self.state["system"]["keyboard"]:
            windows.append(system_ui.keyboard(view, self.enter))
        if self.state["system"]["shade"]:
            windows.append(shade.shade_window(view))
        if not app.whole:
            windows.append(system_ui.navigation_bar(view, self._navigate))
        return windows

    def _navigate(self, name: str) -> Act:
        acts: dict[str, Act] = {
            "back": self.back,
            "home": partial(st.go_home, self.state),
            "recent_apps": self.recents,
        }
        return acts[name]

    def find(self, wanted: Callable[[Node], bool]) -> Node | None:
        """Return the first node of any window that is wanted."""
        for window in self.windows():
            for node in window.root.walk():
                if wanted(node):
                    return node
        return None

    def back(self) -> None:
        """Do what BACK does: hide the keyboard, else let the app, else go home."""
        system = self.state["system"]
        if system["shade"]:
            shade.close(self.state)
        elif system["keyboard"]:
            system["keyboard"] = False
        elif overlays.back(self.state):
            pass
        elif not self.foreground.back(self.state):
            st.go_home(self.state)

    def enter(self) -> None:
        """Do what ENTER does: break the line, or let the app take a single-line field."""
        if self.state["system"]["locked"]:
            keyguard.submit(self.state)
            return
        one_line = self.state["system"]["focus"] and not self.state["system"]["multiline"]
        st.press_enter(self.state)
        if one_line and self.foreground.on_enter:
            self.foreground.on_enter(self.state)

    def recents(self) -> None:
        """Show the recent apps."""
        st.go_home(self.state)
        self.state["launcher"]["ui"]["recents"] = True

    # -- picture ------------------------------------------------------------------------------

    @property
    def secure(self) -> bool:
        """Tell whether what is on the screen may not be pictured."""
        if self.faults.any(*SECURE):
            return True
        return not self.state["system"]["locked"] and self.foreground.secure(self.state)

    def _paint(self) -> Image.Image:
        background = self.view().theme.page
        if not self.state["system"]["screen_on"] or self.secure or self.faults.on("black"):
            return Image.new("RGB", self.size)
        windows = list(self._all_windows())
        if self.state["system"]["toast_shown"]:
            windows.append(toast.toast_window(self.view()))
        return draw.paint(windows, self.size, background)
