"""Commands about the device: properties, settings, display size, radios, processes, network."""

from __future__ import annotations

import re

from virtual_phone import state as st
from virtual_phone.commands.table import command
from virtual_phone.sh import Call
from virtual_phone.u2rpc import MAIN_CLASS, end_servers

_ADDRESS = "192.168.1.57"
_FIRST_PID = 4001
_SIZE = re.compile(r"(\d{3,4})x(\d{3,4})")


@command("getprop")
async def getprop(call: Call) -> int:
    """Print one property, or all."""
    phone = call.phone
    properties = phone.profile.properties(str(phone.state["system"]["locale"]))
    if len(call.argv) > 1:
        await call.say(properties.get(call.argv[1], *call.argv[2:3] or [""]))
        return 0
    for name, value in sorted(properties.items()):
        await call.say(f"[{name}]: [{value}]")
    return 0


@command("settings")
async def settings(call: Call) -> int:
    """Read and write the settings provider; linked keys are the Settings app's own values."""
    words = [w for w in call.argv[1:] if w not in ("--user", "0", "current")]
    if call.argv[1:2] == ["put"]:
        words = call.argv[1:]
    verb, namespace, *rest = [*words, "", ""][: max(2, len(words))]
    state = call.phone.state
    match verb, rest:
        case "get", [key, *_]:
            value = st.read_provider(state, namespace, key)
            await call.say("null" if value is None else value)
        case "put", [key, value, *_]:
            st.write_provider(state, namespace, key, value)
            call.phone.changed()
        case "delete", [key, *_]:
            st.write_provider(state, namespace, key, None)
            call.phone.changed()
            await call.say("Deleted 1 rows")
        case "list", _:
            await _list_settings(call, namespace)
        case _:
            return await call.complain("Invalid command: " + " ".join(call.argv[1:]), 255)
    return 0


async def _list_settings(call: Call, namespace: str) -> None:
    state = call.phone.state
    keys = [k for space, k in st.LINKED if space == namespace]
    keys += state["system"]["provider"].get(namespace, {})
    for key in sorted(keys):
        await call.say(f"{key}={st.read_provider(state, namespace, key)}")


@command("wm")
async def window_manager(call: Call) -> int:
    """Print or override the size of the screen, print its density, turn it."""
    phone, profile = call.phone, call.phone.profile
    match call.argv[1:]:
        case ["size"]:
            await call.say(f"Physical size: {profile.width}x{profile.height}")
            if override := phone.state["system"]["wm_size"]:
                await call.say(f"Override size: {override[0]}x{override[1]}")
        case ["size", "reset"]:
            phone.set("system.wm_size", None)
        case ["size", size] if match := _SIZE.fullmatch(size):
            phone.set("system.wm_size", [int(match[1]), int(match[2])])
        case ["density"]:
            await call.say(f"Physical density: {profile.density}")
        case ["user-rotation", *words]:
            return await _user_rotation(call, words)
        case _:
            phone.unknown.append(" ".join(call.argv))
            return await call.complain(f"Unknown command: {' '.join(call.argv[1:])}", 255)
    return 0


async def _user_rotation(call: Call, words: list[str]) -> int:
    phone = call.phone
    match words:
        case []:
            free = phone.state["settings"]["auto_rotate"]
            turn = phone.state["system"]["rotation"]
            await call.say("free" if free else f"lock {turn}")
        case ["free"]:
            phone.set("settings.auto_rotate", True)
        case ["lock", *turn] if turn[:1] in ([], ["0"], ["1"], ["2"], ["3"]):
            phone.set("settings.auto_rotate", False)
            if turn:
                phone.set("system.rotation", int(turn[0]))
        case _:
            return await call.complain("Error: rotation must be free or lock 0 to 3", 255)
    return 0


@command("svc")
async def service_control(call: Call) -> int:
    """Turn a radio on or off, the same value that the Settings app shows."""
    paths = {"wifi": "wifi", "data": "mobile_data", "bluetooth": "bluetooth"}
    match call.argv[1:]:
        case [name, "enable" | "disable" as verb] if name in paths:
            call.phone.set(f"settings.{paths[name]}", verb == "enable")
        case ["power", "stayon", *_]:
            call.phone.set("system.screen_on", True)
        case _:
            return await call.complain("Unknown service or command: " + " ".join(call.argv[1:]))
    return 0


@command("ime")
async def input_method(call: Call) -> int:
    """List and choose keyboards; both dialects of adb keyboards are installed."""
    match call.argv[1:]:
        case ["list", *_]:
            await call.say("\n".join(st.KEYBOARDS))
        case ["enable", name] if name in st.KEYBOARDS:
            await call.say(f"Input method {name}: now enabled for user #0")
        case ["disable", name] if name in st.KEYBOARDS:
            if call.phone.state["system"]["ime"] == name:
                _choose(call, st.SCREEN_KEYBOARD)
            await call.say(f"Input method {name}: now disabled for user #0")
        case ["set", name] if name in st.KEYBOARDS:
            _choose(call, name)
            await call.say(f"Input method {name} selected for user #0")
        case ["reset"]:
            _choose(call, st.SCREEN_KEYBOARD)
            await call.say(f"Reset current and enabled IMEs for user #0\n{st.SCREEN_KEYBOARD}")
        case _:
            name = call.argv[-1]
            return await call.complain(f"Error: Unknown id: {name} for user #0")
    return 0


def _choose(call: Call, name: str) -> None:
    st.write_provider(call.phone.state, "secure", "default_input_method", name)
    call.phone.changed()


def processes(call: Call) -> list[tuple[int, str]]:
    """Return what runs: the system, the launcher and each recent app."""
    phone = call.phone
    names = ["com.android.systemui", phone.apps[0].package, *phone.state["system"]["recents"]]
    return [(_FIRST_PID + number, name) for number, name in enumerate(names)]


@command("ps")
async def process_list(call: Call) -> int:
    """List processes in nine columns."""
    await call.say("USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME")
    await call.say("root             1     0 10871M   6024 0                   0 S init")
    for pid, name in processes(call):
        await call.say(f"u0_a{pid % 1000:<8} {pid:>6}   312 14261M 142000 0            0 S {name}")
    return 0


@command("pidof")
async def pid_of(call: Call) -> int:
    """Print the process id of a running app."""
    found = [str(pid) for pid, name in processes(call) if name in call.argv[1:]]
    if found:
        await call.say(" ".join(found))
    return 0 if found else 1


@command("kill")
async def kill(call: Call) -> int:
    """End apps by process id; the system and the launcher are not ours to end."""
    phone, code = call.phone, 0
    names = {str(pid): name for pid, name in processes(call)}
    for pid in (w for w in call.argv[1:] if not w.startswith("-")):
        app = phone.app(names.get(pid, ""))
        if app is None or app.package not in phone.state["system"]["recents"]:
            why = "Operation not permitted" if pid in names else "No such process"
            code = await call.complain(f"kill: {pid}: {why}")
        else:
            phone.stop(app)
    return code


@command("pkill")
async def pkill(call: Call) -> int:
    """End what runs uiautomator2's server, by a pattern of its command line; apps are not ours."""
    patterns = [word for word in call.argv[1:] if not word.startswith("-")]
    line = f"app_process / {MAIN_CLASS}"
    found = "-f" in call.argv and any(re.search(pattern, line) for pattern in patterns)
    return 0 if found and end_servers(call.phone) else 1


@command("reboot")
async def reboot(call: Call) -> int:
    """Start anew: the apps are closed and the link drops; what they stored stays."""
    call.phone.reboot()
    return 0


@command("ip")
async def ip(call: Call) -> int:
    """Print the address or the route that Wi-Fi gives, nothing while it is off."""
    if not call.phone.state["settings"]["wifi"]:
        return 0
    if "route" in call.argv:
        await call.say(f"192.168.1.0/24 dev wlan0 proto kernel scope link src {_ADDRESS}")
        return 0
    await call.say("12: wlan0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 state UP")
    await call.say(f"    inet {_ADDRESS}/24 brd 192.168.1.255 scope global wlan0")
    return 0


@command("ifconfig")
async def ifconfig(call: Call) -> int:
    """Print the Wi-Fi interface."""
    name = call.argv[1] if len(call.argv) > 1 else "wlan0"
    if name != "wlan0" or not call.phone.state["settings"]["wifi"]:
        return await call.complain(f"ifconfig: {name}: No such device")
    await call.say("wlan0     Link encap:UNSPEC")
    await call.say(f"          inet addr:{_ADDRESS}  Bcast:192.168.1.255  Mask:255.255.255.0")
    return 0


@command("logcat")
async def logcat(call: Call) -> int:
    """Print the touches as log lines; this phone logs nothing else."""
    if not {"-c", "--clear"} & set(call.argv):
        for touch in call.phone.touches:
            await call.say(f"03-12 10:08:00.000  4001  4001 I Touch   : {touch}")
    return 0
