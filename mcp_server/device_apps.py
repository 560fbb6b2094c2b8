"""The tools that open and end apps, and what goes beyond one screen."""

import time
from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from core.devices import apps
from core.devices.base import AppInfo
from core.devices.gate import Need
from core.errors import ElementGone, NoSuchApp, PhoneFault
from core.policy import Act
from core.screen import selectors
from core.screen.screen import Screen
from core.screen.selectors import squeeze
from mcp_server.access import Device
from mcp_server.acting import ANYWHERE, HARMLESS, Acting, Doing, refuse_shut
from mcp_server.sight import look, outcome
from mcp_server.toolbox import CLOSE, SET, VISIT, Serial, Spec

OPEN_S = 10.0
POLL_S = 0.3
App = Annotated[str, Field(description="Label as on the launcher, or package")]


class AppTools:
    """Opens and ends; every method is a tool and its docstring the tool's description."""

    def __init__(self, acting: Acting) -> None:
        self.access = acting.access
        self.acting = acting

    def specs(self) -> list[Spec]:
        """List the tools."""
        return [
            Spec(self.de_open_app, "Open an app", VISIT),
            Spec(self.de_close_app, "Close an app", CLOSE),
            Spec(self.de_open_url, "Open an address", VISIT),
            Spec(self.de_keep_screen, "Keep the screen on", SET),
        ]

    def de_open_app(self, app: App, serial: Serial = None) -> str:
        """Open an app and wait until it is in front."""
        device = self.access.writable(serial)
        told = self.open(device, app)
        package = device.slot.phone.current_app().package
        self.acting.note(device, None, {"type": "open_app", "app": app}, package)
        return told

    def open(self, device: Device, app: str) -> str:
        """Open an app by its label or package, and say what is in front then.

        Raises:
            NoSuchApp: There is none.
            PhoneFault: It did not come to the front.
        """
        phone = device.slot.phone
        package = package_of(device, app)
        with phone.gate.hold(Need.ACT):
            before = look(phone)
            refuse_shut(before, device)
            self.acting.consent.need(device, HARMLESS, before)
            if package is None:
                return self._open_from_launcher(device, app, before)
            self.access.check(device)
            phone.open_app(package)
        front = _wait_for_app(device, lambda now: now.package == package)
        if front.package != package:
            detail = f"{package} was started, but {front.package} is in front."
            raise PhoneFault(serial=device.serial, detail=detail)
        return f"{package} is in front. {outcome(phone, before)}"

    def de_close_app(self, app: App, serial: Serial = None) -> str:
        """End an app; what it had not saved is lost."""
        device = self.access.writable(serial)
        _, close = self.closing(device, app)
        return self.acting.act(device, close)

    def closing(self, device: Device, app: str) -> tuple[str, Doing]:
        """Give an app's package, and what ends it.

        Raises:
            NoSuchApp: There is none.
        """
        package = package_of(device, app)
        if package is None:
            raise NoSuchApp(app=app, known="de_list_apps lists what is installed.")

        def close(now: Screen) -> str:
            device.slot.phone.close_app(package)
            return f"Closed {package}."

        step = {"type": "close_app", "app": package}
        return package, Doing(close, despite=ANYWHERE, step=lambda now: step)

    def de_open_url(
        self,
        url: Annotated[str, Field(description="https://… or an app's own address")],
        serial: Serial = None,
    ) -> str:
        """Open an address in the browser, or in the app that takes it."""
        device = self.access.writable(serial)
        return self.acting.act(device, self.visiting(device, url))

    def visiting(self, device: Device, url: str) -> Doing:
        """Give what opens an address."""
        address = "%20".join(url.split())

        def visit(now: Screen) -> str:
            device.slot.phone.open_url(address)
            return f"Opened {address}."

        step = {"type": "open_url", "url": address}
        return Doing(visit, lambda now: Act(url=address), step=lambda now: step)

    def de_keep_screen(
        self,
        on: Annotated[bool, Field(description="false lets it go off again")],
        serial: Serial = None,
    ) -> str:
        """Keep the screen from going off by itself."""
        device = self.access.writable(serial)

        def keep(now: Screen) -> str:
            device.slot.phone.keep_screen(on)
            return "The screen stays on." if on else "The screen may go off again."

        return self.acting.send(device, Doing(keep, despite=ANYWHERE))[1]

    def _open_from_launcher(self, device: Device, app: str, before: Screen) -> str:
        """Find an app by its label on the home screen."""
        phone = device.slot.phone
        self.access.check(device)
        phone.press_key("home")
        home = look(phone)
        try:
            icon = selectors.find(home, app)
        except ElementGone as error:
            known = str(error.details["nearest"]).removesuffix(" de_ui_tree lists all.")
            raise NoSuchApp(app=app, known=f"Looked on the home screen. {known}") from error
        self.acting.consent.need(device, Act(icon), home)  # a dialog may lie over the icons
        self.access.check(device)
        phone.tap(icon.point)
        front = _wait_for_app(device, lambda now: now.package != home.app.package)
        if front.package == home.app.package:
            detail = f"{icon.name} was tapped, but no app came to the front."
            raise PhoneFault(serial=device.serial, detail=detail)
        return f"{front.package} is in front. {outcome(phone, before)}"


def package_of(device: Device, app: str) -> str | None:
    """Find the package that a name means: its own, a well-known one's, or a label's."""
    phone = device.slot.phone
    known = apps.package_of(app.strip(), phone.installed())
    if known is not None:
        return known
    wanted = squeeze(app)
    named = [each.package for each in phone.list_apps() if squeeze(each.label) == wanted]
    return named[0] if len(named) == 1 else None


def _wait_for_app(device: Device, is_it: Callable[[AppInfo], bool]) -> AppInfo:
    """Ask which app is in front until it is the right one or time is up."""
    deadline = time.monotonic() + OPEN_S
    front = device.slot.phone.current_app()
    while not is_it(front) and time.monotonic() < deadline:
        time.sleep(POLL_S)
        front = device.slot.phone.current_app()
    return front
