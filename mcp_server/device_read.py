"""The tools that look at phones and change nothing."""

from typing import Annotated, Any

from mcp.server.mcpserver import Image
from pydantic import Field

from core.devices import store
from core.errors import Invalid
from core.screen import selectors
from core.screen.elements import cut
from core.screen.screen import Screen
from core.screen.state import ADVICE
from mcp_server.access import Access, Caller
from mcp_server.sight import Sight, wait_until, wh
from mcp_server.toolbox import READ, Serial, Spec, optional
from mcp_server.waiting import Waiting

LONGEST = 1280  # pixels of a picture's longer side: what models see of a larger one anyway
WAIT_S = 10.0
WAIT_MOST_S = 25.0


class ReadTools:
    """Looks; every method is a tool and its docstring the tool's description."""

    def __init__(self, access: Access, sight: Sight) -> None:
        self.access = access
        self.sight = sight

    def specs(self) -> list[Spec]:
        """List the tools."""
        return [
            Spec(self.de_list_devices, "List devices", READ),
            Spec(self.de_screenshot, "Take a screenshot", READ),
            Spec(self.de_ui_tree, "List what is on the screen", READ),
            Spec(self.de_find, "Find text on the screen", READ),
            Spec(self.de_current_app, "Which app is in front", READ),
            Spec(self.de_list_apps, "List apps", READ),
            Spec(self.de_wait_for, "Wait for text", READ),
        ]

    def de_list_devices(self) -> str:
        """List the Android devices: serial, model, state, screen size in pixels, who uses it."""
        caller = self.access.caller()
        items = store.listing(self.access.db, caller.lang)
        lines = [_device_line(item, caller) for item in items]
        return "\n".join(lines) or "No device is known here."

    def de_screenshot(self, serial: Serial = None) -> list[Any]:
        """Take a picture of the screen. de_ui_tree is cheaper and enough for most steps."""
        device = self.access.seen(serial)
        seen, picture = self.sight.picture(device, LONGEST)
        factor = seen.size.width / picture.size.width if picture.size.width else 1
        text = (
            f"{seen.heading}. The picture is {wh(picture.size)}: 1 of its pixels is {factor:g} "
            f"of the screen's.{_advice(seen, 'locked')}"
        )
        return [text, Image(data=picture.jpeg, format="jpeg")]

    def de_ui_tree(self, serial: Serial = None) -> str:
        """List the screen's elements, one a line: [number] kind "label" state @x,y (pixels)."""
        seen = self.sight.show(self.access.seen(serial))
        return f"{seen.text}{_advice(seen, *ADVICE)}"

    def de_find(
        self,
        text: Annotated[str, Field(description="Text or description, whole or part")],
        serial: Serial = None,
    ) -> str:
        """List the elements that carry a text, as de_ui_tree does; none: the nearest."""
        seen = self.sight.show(self.access.seen(serial))
        found = selectors.matches(seen, text)
        if not found:
            return f'Nothing here carries "{cut(text)}". {selectors.nearest(seen, text)}'
        return "\n".join(element.line().lstrip() for element in found)

    def de_current_app(self, serial: Serial = None) -> str:
        """Say which app and activity is in front."""
        app = self.access.device(serial).slot.phone.current_app()
        return f"{app.package}/{app.activity}"

    def de_list_apps(self, serial: Serial = None) -> str:
        """List the apps that can be opened: label and package."""
        found = self.access.device(serial).slot.phone.list_apps()
        lines = [f"{app.label} · {app.package}" if app.label else app.package for app in found]
        return "\n".join(lines) or "This phone lists no app."

    def de_wait_for(
        self,
        text: Annotated[str | None, optional("string", "What the screen shall show")] = None,
        question: Annotated[str | None, optional("string", "An open question's id")] = None,
        gone: Annotated[bool, Field(description="Wait until text is gone")] = False,
        timeout_s: Annotated[float, Field(description="Seconds, at most 25", ge=0)] = WAIT_S,
        serial: Serial = None,
    ) -> str:
        """Wait until text appears on the screen (or is gone), or until a question is answered."""
        if question:
            return Waiting(self.access, question).wait(min(timeout_s, WAIT_MOST_S))
        if not text:
            raise Invalid(path="text", detail="pass text or question.")
        phone = self.access.device(serial).slot.phone
        wanted = f'"{text}" to be gone' if gone else f'"{text}"'
        limit_s = min(timeout_s, WAIT_MOST_S)
        seen = wait_until(
            phone, wanted, lambda now: bool(selectors.matches(now, text)) != gone, limit_s
        )
        if gone:
            return f'"{text}" is gone.'
        return f"There is {selectors.matches(seen, text)[0].gist}."


def _advice(seen: Screen, *states: str) -> str:
    """Say on a line of its own what to do about a state, if it is one of these."""
    return f"\n({ADVICE[seen.state]})" if seen.state in states else ""


def _device_line(item: dict[str, Any], caller: Caller) -> str:
    yours = caller.fixed_to(item["serial"]) or caller.fixed_to(item["hardware_serial"])
    parts = [item["serial"], item["alias"], item["model"]]
    parts += [f"Android {item['android']}" if item["android"] else "", item["state"]]
    parts += [item["reason"] or "", f"{item['width']}x{item['height']}" if item["width"] else ""]
    parts.append(f"held by {item['lease']['label']}" if item["lease"] else "")
    parts.append("this run's device" if yours else "")
    return " · ".join(part for part in parts if part)
