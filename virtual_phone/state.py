"""Plain-JSON state of a phone and the small functions that change it.

Everything that a test may ask or set lives here: ``settings`` and ``notes`` belong to the apps,
``system`` to the phone. What an app only needs to draw itself is under its ``ui`` key.
"""

from __future__ import annotations

from typing import Any

State = dict[str, Any]

LAUNCHER = "com.example.launcher"
SYSTEM_UI = "com.android.systemui"
APP_OVERLAYS = ("permission", "ad")
SCREEN_KEYBOARD = "com.android.inputmethod.latin/.LatinIME"
U2_KEYBOARD = "com.github.uiautomator/.AdbKeyboard"
ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
KEYBOARDS = (SCREEN_KEYBOARD, U2_KEYBOARD, ADB_KEYBOARD)

# settings-provider keys that are the same thing as a value of the Settings app
LINKED = {
    ("global", "wifi_on"): "settings.wifi",
    ("global", "airplane_mode_on"): "settings.airplane",
    ("global", "bluetooth_on"): "settings.bluetooth",
    ("global", "mobile_data"): "settings.mobile_data",
    ("global", "low_power"): "settings.battery_saver",
    ("system", "screen_brightness"): "settings.brightness",
    ("system", "screen_brightness_mode"): "settings.auto_brightness",
    ("system", "accelerometer_rotation"): "settings.auto_rotate",
    ("system", "user_rotation"): "system.rotation",
    ("secure", "location_mode"): "settings.location",
    ("secure", "default_input_method"): "system.ime",
}
DEFAULTS = {
    "global": {
        "window_animation_scale": "1.0",
        "transition_animation_scale": "1.0",
        "animator_duration_scale": "1.0",
        "device_provisioned": "1",
        "adb_enabled": "1",
    },
    "system": {"screen_off_timeout": "60000", "font_scale": "1.0"},
    "secure": {"accessibility_enabled": "0", "user_setup_complete": "1"},
}


# androidx's Configurator, as a fresh UiAutomation has it
UIA_TIMEOUTS_MS = {
    "actionAcknowledgmentTimeout": 3000,
    "keyInjectionDelay": 0,
    "scrollAcknowledgmentTimeout": 200,
    "waitForIdleTimeout": 10000,
    "waitForSelectorTimeout": 10000,
}


GONE_AFTER_BOOT = (
    "foreground",
    "recents",
    "overlays",
    "shade",
    "toast",
    "toast_shown",
    "clipboard",
    "uia",
)


def system_state(locale: str) -> State:
    """Return the phone's own part of a fresh state."""
    return {
        "foreground": LAUNCHER,
        "activity": "",
        "recents": [],
        "screen_on": True,
        "locked": False,
        "swipe_lock": False,
        "pin": "",
        "pin_shown": False,
        "pin_entry": "",
        "pin_wrong": 0,
        "pin_wait_s": 0,
        "shade": "",
        "notifications": _first_notifications(locale.startswith("zh")),
        "overlays": [],
        "opening_ads": {},
        "toast": "",
        "toast_shown": "",
        "touch": [0, 0],
        "helpers": [],
        "wm_size": None,
        "uia": dict(UIA_TIMEOUTS_MS),
        "permissions": {},
        "update": "",
        "locale": locale,
        "keyboard": False,
        "shift": False,
        "symbols": False,
        "ime": SCREEN_KEYBOARD,
        "focus": None,
        "multiline": False,
        "selected": False,
        "clipboard": "",
        "rotation": 0,
        "battery": 87,
        "time": "2026-03-12T10:08:00",
        "provider": {name: dict(values) for name, values in DEFAULTS.items()},
    }


def _first_notifications(zh: bool) -> list[State]:
    courier = ("菜鸟驿站", "您的包裹已到站，取件码 6-2-8018")
    storage = ("存储空间", "已使用 41 GB，共 128 GB")
    if not zh:
        courier = ("Parcel desk", "Your parcel has arrived, code 6-2-8018")
        storage = ("Storage", "41 GB of 128 GB used")
    return [
        {
            "id": 1,
            "package": "com.android.messaging",
            "title": courier[0],
            "text": courier[1],
            "open": {
                "messages.ui": {"page": "thread", "thread": 1, "draft": ""},
                "messages.threads.0.unread": False,
            },
        },
        {
            "id": 2,
            "package": "com.android.settings",
            "title": storage[0],
            "text": storage[1],
            "open": {"settings.ui": {"stack": ["main", "storage"], "query": "", "ask": ""}},
        },
    ]


def notify(state: State, note: State) -> None:
    """Put a notification, without its id, on top of the others."""
    notes = state["system"]["notifications"]
    number = max((n["id"] for n in notes), default=0) + 1
    state["system"]["notifications"] = [{"id": number, **note}, *notes]


def counting(state: State) -> bool:
    """Tell whether a second that passes changes something."""
    system = state["system"]
    waits = [system["pin_wait_s"], *(o.get("seconds", 0) for o in system["overlays"])]
    return any(seconds > 0 for seconds in waits)


def tick(state: State) -> None:
    """Let a second pass for all that counts them down."""
    system = state["system"]
    system["pin_wait_s"] = max(0, system["pin_wait_s"] - 1)
    for overlay in system["overlays"]:
        if overlay.get("seconds", 0) > 0:
            overlay["seconds"] -= 1


def get_path(state: State, path: str) -> Any:
    """Read ``a.b.0.c``.

    Raises:
        KeyError: nothing is there.
    """
    value: Any = state
    for part in path.split("."):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise KeyError(path) from error
    return value


def set_path(state: State, path: str, value: Any) -> None:
    """Write ``a.b.0.c``; a dictionary is merged into the one that is there."""
    parent, _, last = path.rpartition(".")
    target = get_path(state, parent) if parent else state
    if isinstance(target, list):
        target[int(last)] = value
    elif isinstance(value, dict) and isinstance(target.get(last), dict):
        target[last].update(value)
    else:
        target[last] = value


def toggle(state: State, path: str) -> None:
    """Turn a boolean over."""
    set_path(state, path, not get_path(state, path))


def start_app(state: State, package: str) -> None:
    """Bring an app to the front."""
    system = state["system"]
    leave_field(state)
    _clear_the_way(system, package)
    system["foreground"] = package
    if package != LAUNCHER:
        system["recents"] = [p for p in system["recents"] if p != package] + [package]


def _clear_the_way(system: State, package: str) -> None:
    """Take what other apps laid over themselves; an app that opens with an ad shows it."""
    overlays = [
        o for o in system["overlays"] if o["name"] not in APP_OVERLAYS or o["package"] == package
    ]
    seconds = system["opening_ads"].get(package, 0)
    if seconds and system["foreground"] != package:
        overlays.append({"name": "ad", "package": package, "seconds": seconds})
    system["overlays"] = overlays


def ask_permission(state: State, package: str, permission: str) -> None:
    """Let an app ask for a permission; the answer comes to stand in ``system.permissions``."""
    overlay = {"name": "permission", "package": package, "permission": permission}
    rest = [o for o in state["system"]["overlays"] if o["name"] != "permission"]
    state["system"]["overlays"] = [*rest, overlay]


def may(state: State, package: str, permission: str) -> bool:
    """Tell whether an app was given a permission."""
    answer = state["system"]["permissions"].get(package, {}).get(permission)
    return answer in ("granted", "once")


def go_home(state: State) -> None:
    """Show the launcher; what an app had laid over itself goes with it."""
    state["launcher"]["ui"]["recents"] = False
    state["system"]["shade"] = ""
    state["system"]["overlays"] = [
        o for o in state["system"]["overlays"] if o["name"] not in APP_OVERLAYS
    ]
    start_app(state, LAUNCHER)


def forget_app(state: State, package: str) -> None:
    """End an app: it leaves the recent list and the screen."""
    system = state["system"]
    system["recents"] = [p for p in system["recents"] if p != package]
    if system["foreground"] == package:
        go_home(state)


def enter_field(state: State, path: str, *, multiline: bool) -> None:
    """Put the caret into a text field; the on-screen keyboard rises if it is the current one."""
    system = state["system"]
    system.update(focus=path, multiline=multiline, symbols=False, shift=False, selected=False)
    system["keyboard"] = system["ime"] == SCREEN_KEYBOARD


def leave_field(state: State) -> None:
    """Take the caret away and lower the keyboard."""
    state["system"].update(focus=None, multiline=False, keyboard=False)


def type_text(state: State, text: str) -> bool:
    """Append to the focused field, or replace what is selected; False when there is none."""
    path = state["system"]["focus"]
    if not path:
        return False
    old = "" if state["system"]["selected"] else str(get_path(state, path))
    set_path(state, path, old + text)
    state["system"].update(shift=False, selected=False)
    return True


def press_enter(state: State) -> None:
    """Break the line, or finish a single-line field."""
    if state["system"]["multiline"]:
        type_text(state, "\n")
    else:
        state["system"]["keyboard"] = False


def delete_text(state: State, *, everything: bool = False) -> bool:
    """Delete the last character, or all, of the focused field; False when there is none."""
    path = state["system"]["focus"]
    if not path:
        return False
    everything = everything or state["system"]["selected"]
    set_path(state, path, "" if everything else str(get_path(state, path))[:-1])
    state["system"]["selected"] = False
    return True


def read_provider(state: State, namespace: str, key: str) -> str | None:
    """Return what ``settings get`` prints, None when unset."""
    if path := LINKED.get((namespace, key)):
        value = get_path(state, path)
        return str(int(value)) if isinstance(value, bool | int) else str(value)
    value = state["system"]["provider"].get(namespace, {}).get(key)
    return None if value is None else str(value)


def write_provider(state: State, namespace: str, key: str, value: str | None) -> None:
    """Do ``settings put``, or ``delete`` with None; linked keys change the app's own value."""
    path = LINKED.get((namespace, key))
    if path is None:
        table = state["system"]["provider"].setdefault(namespace, {})
        table.pop(key, None)
        if value is not None:
            table[key] = value
        return
    old = get_path(state, path)
    if isinstance(old, bool):
        set_path(state, path, value not in (None, "0", "false"))
    elif isinstance(old, int):
        set_path(state, path, int(value or 0))
    else:
        set_path(state, path, value or "")
    if path == "system.ime" and value != SCREEN_KEYBOARD:
        state["system"]["keyboard"] = False
