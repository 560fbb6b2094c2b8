"""``dumpsys``: the few services that clients parse, in the lines that they look for."""

from __future__ import annotations

from collections.abc import Callable

from virtual_phone.android import Phone
from virtual_phone.commands.table import command
from virtual_phone.sh import Call
from virtual_phone.view import App

_DISPLAY_ID = "4619827259835644672"


def component(phone: Phone) -> str:
    """Return what is on the screen as ``package/.Activity``."""
    if "/" in phone.focus_title and phone.active_package != phone.foreground.package:
        return phone.focus_title  # another package's activity lies over the app
    return f"{phone.foreground.package}/{phone.activity}"


def _window(phone: Phone, words: list[str]) -> str:
    system = phone.state["system"]
    locked = "true" if system["locked"] else "false"
    policy = f"  KeyguardServiceDelegate\n    showing={locked}\n    inputRestricted={locked}"
    if words[:1] == ["policy"]:
        return f"WINDOW MANAGER POLICY STATE (dumpsys window policy)\n{policy}"
    if system["locked"] or not system["screen_on"]:
        return f"{policy}\n  mCurrentFocus=Window{{a1b2c3d u0 NotificationShade}}"
    head = f"{policy}\nWINDOW MANAGER WINDOWS (dumpsys window windows){_listed(phone)}"
    if words[:1] == ["windows"] and phone.profile.modern:
        return head  # Android 13 and later tell the focus elsewhere
    return (
        f"{head}\n"
        f"  mCurrentFocus=Window{{a1b2c3d u0 {phone.focus_title}}}\n"
        f"  mFocusedApp=ActivityRecord{{d4e5f6a u0 {component(phone)} t12}}"
    )


def _listed(phone: Phone) -> str:
    """List the windows from the top down, as Android 12 and later do."""
    windows = phone.listed_windows()
    return "".join(
        f"\n  Window #{number} Window{{c0ffee{number} u0 {title}}}:\n"
        f"    mOwnerUid=10101 showForAllUsers=false package={package} appop=NONE\n"
        f"    mAttrs={{(0,0)(fillxfill) sim={{adjust=pan}} ty=APPLICATION fmt=TRANSLUCENT\n"
        f"      fl=LAYOUT_IN_SCREEN {'SECURE ' if secure else ''}HARDWARE_ACCELERATED}}\n"
        f"    mViewVisibility=0x0 mHaveFrame=true mObscured=false\n"
        f"    Frames: parent=[0,0][{phone.size[0]},{phone.size[1]}] "
        f"frame=[{left},{top}][{right},{bottom}]\n"
        f"    isOnScreen=true\n    isVisible=true"
        for number, (title, package, (left, top, right, bottom), secure) in enumerate(windows)
    )


def _activity(phone: Phone, words: list[str]) -> str:
    if "top" in words:
        return (
            f"TASK {phone.foreground.package} id=12\n  ACTIVITY {component(phone)} 1a2b3c pid=4002"
        )
    return (
        "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\n"
        f"    topResumedActivity=ActivityRecord{{d4e5f6a u0 {component(phone)} t12}}\n"
        f"    mResumedActivity: ActivityRecord{{d4e5f6a u0 {component(phone)} t12}}"
    )


def _display(phone: Phone, words: list[str]) -> str:
    del words
    width, height = phone.size
    turn = phone.state["system"]["rotation"]
    state = "ON" if phone.state["system"]["screen_on"] else "OFF"
    return (
        f"DISPLAY MANAGER (dumpsys display)\n  mScreenState={state}\n"
        "  DisplayViewport{type=INTERNAL, valid=true, isActive=true, displayId=0, "
        f"uniqueId='local:{_DISPLAY_ID}', physicalPort=0, orientation={turn}, "
        f"logicalFrame=Rect(0, 0 - {width}, {height}), "
        f"deviceWidth={width}, deviceHeight={height}}}"
    )


def _battery(phone: Phone, words: list[str]) -> str:
    del words
    return (
        "Current Battery Service state:\n  AC powered: false\n  USB powered: true\n"
        "  Wireless powered: false\n  Dock powered: false\n  status: 2\n  health: 2\n"
        f"  present: true\n  level: {phone.state['system']['battery']}\n  scale: 100\n"
        "  voltage: 4210\n  temperature: 290\n  technology: Li-ion"
    )


def _power(phone: Phone, words: list[str]) -> str:
    del words
    on = bool(phone.state["system"]["screen_on"])
    return (
        f"POWER MANAGER (dumpsys power)\n  mWakefulness={'Awake' if on else 'Asleep'}\n"
        f"  mHoldingDisplaySuspendBlocker={'true' if on else 'false'}"
    )


def _input_method(phone: Phone, words: list[str]) -> str:
    del words
    system = phone.state["system"]
    shown = "true" if system["keyboard"] else "false"
    head = "Current Input Method Manager state:"
    return f"{head}\n  mCurMethodId={system['ime']}\n  mInputShown={shown}"


def _package(phone: Phone, words: list[str]) -> str:
    found = [app for app in phone.apps if not words or app.package in words]
    if not found:
        return f"Unable to find package: {words[0]}"
    return "Packages:\n" + "\n".join(_package_lines(phone, app) for app in found)


def _package_lines(phone: Phone, app: App) -> str:
    given = phone.state["system"]["permissions"].get(app.package, {})
    flags = "SYSTEM HAS_CODE" if app.system else "HAS_CODE ALLOW_CLEAR_USER_DATA"
    return (
        f"  Package [{app.package}] (9f8e7d6):\n    codePath=/data/app/{app.package}\n"
        "    versionCode=1 minSdk=24 targetSdk=34\n    versionName=1.0\n"
        "    signatures=PackageSignatures{1a2b3c4 version:2, signatures:[5d6e7f80], past:[]}\n"
        f"    pkgFlags=[ {flags} ]\n"
        "    firstInstallTime=2026-01-01 00:00:00\n    lastUpdateTime=2026-01-01 00:00:00\n"
        "    runtime permissions:" + "".join(_permission(name, given[name]) for name in given)
    )


def _permission(name: str, value: object) -> str:
    granted = "false" if value == "denied" else "true"
    return f"\n      android.permission.{name}: granted={granted}, flags=[ USER_SET ]"


def _surface_flinger(phone: Phone, words: list[str]) -> str:
    del phone, words
    return f'Display {_DISPLAY_ID} (HWC display 0): port=0 pnpId=GGL displayName="Virtual"'


def _notification(phone: Phone, words: list[str]) -> str:
    del words
    notes = phone.state["system"]["notifications"]
    records = [f"    NotificationRecord(0x{n['id']:08x}: pkg={n['package']})" for n in notes]
    return "\n".join(["Current Notification Manager state:", "  Notification List:", *records])


def _deviceidle(phone: Phone, words: list[str]) -> str:
    del phone
    return "\n".join(f"Added: {word[1:]}" for word in words if word.startswith("+"))


SERVICES: dict[str, Callable[[Phone, list[str]], str]] = {
    "window": _window,
    "activity": _activity,
    "display": _display,
    "battery": _battery,
    "power": _power,
    "input_method": _input_method,
    "package": _package,
    "SurfaceFlinger": _surface_flinger,
    "notification": _notification,
    "deviceidle": _deviceidle,
}


@command("dumpsys")
async def dumpsys(call: Call) -> int:
    """Print what a service says of itself."""
    words = call.argv[1:]
    if not words or words[0] == "-l":
        await call.say("Currently running services:\n  " + "\n  ".join(sorted(SERVICES)))
        return 0
    service = SERVICES.get(words[0])
    if service is None:
        call.phone.unknown.append(" ".join(call.argv))
        return await call.complain(f"Can't find service: {words[0]}")
    await call.say(service(call.phone, words[1:]))
    return 0
