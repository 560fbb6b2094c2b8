"""Find out why a phone cannot be driven well, and say what to do about each reason.

Only a key without meaning is pressed, to learn whether touches are refused.
"""

from collections.abc import Callable

from core.devices import dumpsys, u2_program
from core.devices.android import AndroidPhone
from core.devices.complaints import complaint
from core.devices.finding import Finding
from core.devices.gate import Need
from core.errors import PhoneFault, TouchRefused

SHELL_S = 10.0
STORAGE_LOW_MB = 500
BATTERY_LOW = 15
BATTERY_HOT_C = 45
NO_KEY = "input keyevent 0"
CONDITION = "dumpsys battery; df /data"
AIRPLANE = "settings get global airplane_mode_on"


def examine(phone: AndroidPhone, twins: list[str]) -> list[Finding]:
    """Look at everything that commonly goes wrong.

    Args:
        phone: It is ready, so what is found here hampers it and does not stop it.
        twins: Other phones that report the same hardware serial.
    """
    checks: tuple[Callable[[AndroidPhone], list[Finding]], ...] = (
        _condition,
        _network,
        _helper,
        _touches,
        _lock,
    )
    found = [finding for check in checks for finding in _asked(check, phone)]
    if twins:
        found.append(Finding("same_serial", {"serialno": phone.hardware().serial}))
    return found


def _asked(check: Callable[[AndroidPhone], list[Finding]], phone: AndroidPhone) -> list[Finding]:
    try:
        with phone.gate.hold(Need.LOOK):
            return check(phone)
    except PhoneFault as error:
        return [Finding("silent", {"detail": str(error)})]


def _condition(phone: AndroidPhone) -> list[Finding]:
    said = phone.link.shell(CONDITION, SHELL_S)
    battery, free = dumpsys.battery(said), dumpsys.free_mb(said)
    found = []
    if free is not None and free < STORAGE_LOW_MB:
        found.append(Finding("storage_low", {"free": free}))
    if battery.level is not None and battery.level < BATTERY_LOW and not battery.charging:
        found.append(Finding("battery_low", {"level": battery.level}))
    if battery.celsius is not None and battery.celsius >= BATTERY_HOT_C:
        found.append(Finding("battery_hot", {"celsius": f"{battery.celsius:g}"}))
    return found


def _network(phone: AndroidPhone) -> list[Finding]:
    if phone.link.shell("ip route", SHELL_S).strip():
        return []
    airplane = phone.link.shell(AIRPLANE, SHELL_S).strip() == "1"
    return [Finding("no_network", {"airplane": airplane})]


def _helper(phone: AndroidPhone) -> list[Finding]:
    found = [] if u2_program.is_installed(phone.link) else [Finding("helper_stale")]
    try:
        phone.size()
        trouble = phone.server.trouble
    except PhoneFault as error:
        trouble = error
    if trouble is not None:
        found.append(Finding("helper_dead", {"detail": str(trouble)}))
    return found


def _touches(phone: AndroidPhone) -> list[Finding]:
    refused = complaint(phone.serial, phone.link.shell(NO_KEY, SHELL_S))
    return [Finding("touch_refused")] if isinstance(refused, TouchRefused) else []


def _lock(phone: AndroidPhone) -> list[Finding]:
    return [Finding("locked")] if phone.keyguard.is_locked() else []
