"""Small dumps and observations for the tests of the screen."""

from core.devices.base import AppInfo, Observation, Size
from core.screen import screen
from core.screen.screen import Screen

NODE = (
    '<node text="{text}" content-desc="{desc}" class="android.widget.{kind}" package="{package}" '
    'clickable="{clickable}" resource-id="{rid}" enabled="true" bounds="{bounds}" {more}>'
    "{inside}</node>"
)
CLICKABLE = ("Button", "LinearLayout", "ImageButton")


def node(text: str = "", kind: str = "TextView", **changes: str) -> str:
    values = {
        "desc": "",
        "package": "app",
        "clickable": "true" if kind in CLICKABLE else "false",
        "rid": "",
        "bounds": "[0,0][100,100]",
        "inside": "",
        "more": "",
    }
    return NODE.format(text=text, kind=kind, **{**values, **changes})


def window(*inside: str, package: str = "app", bounds: str = "[0,0][1080,2400]") -> str:
    return node(kind="FrameLayout", package=package, bounds=bounds, inside="".join(inside))


def dump(*windows: str) -> str:
    return f'<hierarchy rotation="0">{"".join(windows)}</hierarchy>'


def seen(xml: str, **changes: object) -> Observation:
    values: dict[str, object] = {
        "app": AppInfo("app", ".Main"),
        "size": Size(1080, 2400),
        "rotation": 0,
        "keyboard": False,
        "keyboard_package": "",
        "screen_on": True,
    }
    return Observation(xml=xml, **{**values, **changes})  # type: ignore[arg-type]


def read(*windows: str, **changes: object) -> Screen:
    return screen.read(seen(dump(*windows), **changes))
