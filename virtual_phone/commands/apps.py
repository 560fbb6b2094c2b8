"""Commands about apps: the activity manager, the package manager, monkey and broadcasts."""

from __future__ import annotations

import base64
from dataclasses import replace

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


# -- pm, cmd package, monkey ----------------------------------------------------------------------


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
            return 0
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
    for app in apps:
        path = f"/data/app/{app.package}/base.apk=" if "-f" in words else ""
        await call.say(f"package:{path}{app.package}")
    return 0


def _preinstalled(app: App) -> bool:
    return app.system or app.package.startswith("com.android.")


@command("cmd")
async def cmd(call: Call) -> int:
    """Reach services by name: package, and settings as a long way round."""
    match call.argv[1:]:
        case ["package", "resolve-activity", *words]:
            return await _resolve(call, words)
        case ["package", "query-activities", *_]:
            for app in call.phone.apps:
                name = f"{app.package}{app.activity(call.phone.state)}"
                await call.say(f"  packageName={app.package}\n  name={name}")
            return 0
        case ["package", *words]:
            return await package_manager(replace(call, argv=["pm", *words]))
        case ["activity", *words]:
            return await activity_manager(replace(call, argv=["am", *words]))
        case words:
            call.phone.unknown.append(" ".join(call.argv))
            return await call.complain(f"cmd: Can't find service: {' '.join(words[:1])}", 20)


async def _resolve(call: Call, words: list[str]) -> int:
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
