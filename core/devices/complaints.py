"""Turn what Android prints when it refuses into errors that say what to do.

Makers and versions word the same refusal differently, and ``am``, ``input`` and adb print it to
standard output with a line before it that looks like success.
"""

import re
from collections.abc import Callable

from core.errors import (
    DeviceOffline,
    DeviceUnauthorized,
    NoSuchApp,
    PhoneFault,
    StorageFull,
    TouchRefused,
)

Refusal = PhoneFault | DeviceOffline | NoSuchApp

_CLASS = re.compile(r"Activity class \{([^}]+)\}")

RULES = "The system's USB rules do not let this user reach it; see developer.android.com."


def complaint(serial: str, said: str) -> Refusal | None:
    """Recognise a refusal.

    Args:
        serial: Named in the error.
        said: A command's or adb's output, also with other lines around it.

    Returns:
        None when nothing in it is a refusal that we know.
    """
    for signs, make in _KNOWN:
        if any(sign in said for sign in signs):
            return make(serial, said)
    return None


def _app_missing(serial: str, said: str) -> Refusal:
    found = _CLASS.search(said)
    return NoSuchApp(app=found[1] if found else "", known="Its activity does not exist.")


def _fault(detail: str) -> Callable[[str, str], Refusal]:
    return lambda serial, said: PhoneFault(serial=serial, detail=detail)


_KNOWN: tuple[tuple[tuple[str, ...], Callable[[str, str], Refusal]], ...] = (
    (("INJECT_EVENTS",), lambda serial, said: TouchRefused(serial=serial)),
    (("No space left on device", "ENOSPC"), lambda serial, said: StorageFull(serial=serial)),
    (("device unauthorized",), lambda serial, said: DeviceUnauthorized(serial=serial)),
    (
        ("insufficient permissions", "no permissions"),
        lambda serial, said: DeviceOffline(serial=serial, reason=RULES),
    ),
    (
        ("more than one device",),
        lambda serial, said: DeviceOffline(
            serial=serial, reason="Two devices have this same serial; unplug one."
        ),
    ),
    (("Error type 3", "does not exist."), _app_missing),
    (
        ("Permission Denial: starting Intent",),
        _fault("the app does not let others open that screen."),
    ),
    (
        ("INSTALL_FAILED_USER_RESTRICTED",),
        _fault('"Install via USB" is off in its developer options, or was not confirmed.'),
    ),
    (("Unknown input method",), _fault("that keyboard is not installed or not enabled.")),
    (
        ("WRITE_SECURE_SETTINGS",),
        _fault('its settings are closed; switch on "USB debugging (Security settings)".'),
    ),
    (
        ("null root node", "could not get idle state", "Could not detect idle state"),
        _fault("the screen never came to rest, so its elements could not be read."),
    ),
    (("already registered",), _fault("another program holds UiAutomation; end it first.")),
)
