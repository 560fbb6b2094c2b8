"""Commands about apps: the activity manager, the package manager, monkey and broadcasts."""

from __future__ import annotations

import base64

from virtual_phone import state as st
from virtual_phone.apps import browser
from virtual_phone.apps.settings_index import ACTIONS
from virtual_phone.apps.settings_pages import open_page
from virtual_phone.commands.dumpsys import component
from virtual_phone.commands.table import command
from virtual_phone.scrcpyd import MAIN_CLASS, run_scrcpy
from virtual_phone.sh import Call
from virtual_phone.u2rpc import run_app_process
from virtual_phone.view import App, clear_app

_FEATURES = (
    "android.hardware.touchscreen",
    "android.hardware.wifi",
    "android.software.input_methods",
)
DEVICEKIT = "com.mobilenext.devicekit"
_DEVICEKIT = "devicekit.clipboard."
_NOT_INSTALLABLE = "Failure [INSTALL_FAILED_INTERNAL_ERROR: this phone runs its built-in apps only]"


def _option(words: list[str], *names: str) -> str | None:
    for name in names:
        if name in words[:-1]:
            return words[words.index(name) + 1]
    return None


# -- am -----------------------------------------------------------------------------------------


@command("am")
async def activity_manager(call: Call) -> int:
    """Start and stop apps, and take broadcasts."""
    verb = call.argv[1] if len(call.argv) > 1 else ""
    match verb:
        case "start" | "start-activity":
            return await _start(call)
        case "force-stop" | "kill":
            if app := call.phone.app(call.argv[-1]):
                call.phone.stop(app)
            return 0
        case "broadcast":
            return await _broadcast(call)
        case "get-current-user":
            await call.say("0")
            return 0
        case _:
            call.phone.unknown.append(" ".join(call.argv))
            return await call.complain(f"Unknown command: {verb}", 255)


async def _start(call: Call) -> int:
    name = _option(call.argv, "-n", "--component") or ""
    action = _option(call.argv, "-a") or ""
    package = name.partition("/")[0] or (_option(call.argv, "-p") or "")
    url = _option(call.argv, "-d", "--data") or ""
    if not package and action == "android.intent.action.VIEW" and url.startswith("http"):
        package = browser.PACKAGE
    if not package and (action in ACTIONS or action == "android.settings.SETTINGS"):
        package = "com.android.settings"
    intent = f"cmp={name}" if name else f"act={action}"
    await call.say(f"Starting: Intent {{ {intent} }}")
    app = call.phone.app(package)
    if app is None and not name:
        return await call.complain(
            f"Error: Activity not started, unable to resolve Intent {{ {intent} flg=0x10000000 }}"
        )
    if app is None:
        await call.complain("Error type 3")
        return await call.complain(f"Error: Activity class {{{name}}} does not exist.")
    if "-S" in call.argv:
        call.phone.stop(app)
    elif call.phone.foreground.package == app.package:
        await call.say(
            "Warning: Activity not started, intent has been delivered to currently running "
            "top-most instance."
        )
    if app.package == browser.PACKAGE and url:
        browser.open_url(call.phone.state, url)
    if page := ACTIONS.get(action):
        open_page(call.phone.state, page)
    call.phone.start(app)
    if "-W" in call.argv:
        await call.say(f"Status: ok\nActivity: {component(call.phone)}\nComplete")
    return 0


async def _broadcast(call: Call) -> int:
    action = _option(call.argv, "-a") or ""
    await call.say(f"Broadcasting: Intent {{ act={action} flg=0x400000 (has extras) }}")
    done = _receive(call, action)
    if done is None:
        await call.say("Broadcast completed: result=0")
    else:
        await call.say(f'Broadcast completed: result={-1 if done else 0}, data="{_word(done)}"')
    return 0


def _word(done: bool) -> str:
    return "success" if done else "no text field has the focus"


def _receive(call: Call, action: str) -> bool | None:
    """Let the keyboard that is chosen take a broadcast; None when nobody listens."""
    state = call.phone.state
    ime, text = state["system"]["ime"], _option(call.argv, "text", "msg")
    if action.startswith(_DEVICEKIT):
        return _device_kit(call, action.removeprefix(_DEVICEKIT), text or "")
    dialect = {st.U2_KEYBOARD: "ADB_KEYBOARD_", st.ADB_KEYBOARD: "ADB_"}.get(ime, "")
    if not dialect or not action.startswith(dialect):
        return None
    match action.removeprefix(dialect):
        case "INPUT_TEXT" if ime == st.ADB_KEYBOARD:
            done = st.type_text(state, text or "")
        case "INPUT_TEXT" | "INPUT_B64":
            done = st.type_text(state, base64.b64decode(text or "").decode("utf-8"))
        case "CLEAR_TEXT":
            done = st.delete_text(state, everything=True)
        case "HIDE":
            state["system"]["keyboard"], done = False, True
        case "EDITOR_CODE" | "SMART_ENTER":
            call.phone.enter()
            done = state["system"]["focus"] is not None
        case _:
            return None
    call.phone.changed()
    return done


def _device_kit(call: Call, verb: str, text: str) -> bool | None:
    """Let mobile-mcp's helper copy: input can type no characters outside ASCII, pasting can."""
    if verb not in ("set", "clear") or DEVICEKIT not in call.phone.state["system"]["helpers"]:
        return None
    plain = base64.b64decode(text).decode() if "base64" in call.argv else text
    call.phone.set("system.clipboard", plain if verb == "set" else "")
    return True


# -- pm, monkey ----------------------------------------------------------------------


@command("pm")
async def package_manager(call: Call) -> int:
    """List, locate, clear and (refuse to) install packages."""
    verb, words = (call.argv[1], call.argv[2:]) if len(call.argv) > 1 else ("", [])
    match verb:
        case "list":
            return await _list(call, words)
        case "path":
            app = call.phone.app(words[-1])
            if app is None:
                return 1
            await call.say(f"package:/data/app/{app.package}/base.apk")
        case "clear":
            app = call.phone.app(words[-1])
            if app is None:
                return await call.complain("Failed")
            clear_app(call.phone.state, app)
            call.phone.changed()
            await call.say("Success")
        case "grant" | "revoke":
            return await _permit(call, words, verb == "grant")
        case "install" | "install-create":
            if size := _option(words, "-S"):
                await _swallow(call, int(size))
            await call.say(_NOT_INSTALLABLE)
            return 1
        case "uninstall":
            known = call.phone.app(words[-1]) is not None
            why = "DELETE_FAILED_INTERNAL_ERROR" if known else "not installed for 0"
            await call.say(f"Failure [{why}]")
            return 1
        case _:
            call.phone.unknown.append(" ".join(call.argv))
            return await call.complain(f"Unknown command: {verb}", 255)
    return 0


async def _permit(call: Call, words: list[str], granted: bool) -> int:
    package, name = [*words, "", ""][:2]
    if call.phone.app(package) is None:
        return await call.complain(
            f"Exception occurred while executing: Unknown package: {package}"
        )
    given = call.phone.state["system"]["permissions"].setdefault(package, {})
    given[name.removeprefix("android.permission.")] = "granted" if granted else "denied"
    call.phone.changed()
    return 0


async def _swallow(call: Call, size: int) -> None:
    while size > 0 and (data := await call.source()):
        size -= len(data)


async def _list(call: Call, words: list[str]) -> int:
    if words[:1] == ["features"]:
        await call.say("\n".join(f"feature:{name}" for name in _FEATURES))
        return 0
    apps = list(call.phone.apps)
    if "-3" in words:
        apps = [a for a in apps if not _preinstalled(a)]
    if "-s" in words:
        apps = [a for a in apps if _preinstalled(a)]
    if "-d" in words:
        apps = []
    wanted = next((w for w in words[1:] if not w.startswith("-")), "")
    apps = [a for a in apps if wanted in a.package]
    for app in apps:
        path = f"/data/app/{app.package}/base.apk=" if "-f" in words else ""
        await call.say(f"package:{path}{app.package}")
    for package in call.phone.state["system"]["helpers"]:
        if wanted in package and not {"-s", "-d"} & set(words):
            await call.say(f"package:{package}")
    return 0


def _preinstalled(app: App) -> bool:
    return app.system or app.package.startswith("com.android.")


async def resolve_activity(call: Call, words: list[str]) -> int:
    """Say which activity a package starts with."""
    app = call.phone.app(words[-1]) if words else None
    if app is None:
        await call.say("No activity found")
        return 0
    await call.say("priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true")
    await call.say(f"{app.package}/{app.activity({**call.phone.fresh_state()})}")
    return 0


@command("monkey")
async def monkey(call: Call) -> int:
    """Start an app's first page by its package alone."""
    app = call.phone.app(_option(call.argv, "-p") or "")
    if app is None:
        await call.say("** No activities found to run, monkey aborted.")
        return 252
    call.phone.start(app)
    await call.say("Events injected: 1")
    return 0


@command("app_process")
async def app_process(call: Call) -> int:
    """Run uiautomator2's or scrcpy's server for as long as this shell is open."""
    if MAIN_CLASS in call.argv:
        return await run_scrcpy(call)
    return await run_app_process(call)
