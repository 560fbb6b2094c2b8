"""Look whether a phone is fit for a task before the first step, so that none is left half done."""

from core.errors import BatteryLow, NoSuchApp, StorageLow
from core.steps.lines import Ready
from core.steps.types import UNLOCK
from mcp_server.access import Device
from mcp_server.acting import SHUT
from mcp_server.device_apps import package_of
from mcp_server.hands import Ways
from mcp_server.sight import look


def check(ways: Ways, device: Device, ready: Ready) -> None:
    """Make sure that a phone has what is asked for; it is unlocked for that, if need be.

    What a phone does not tell is no reason to leave it alone.

    Raises:
        BatteryLow, StorageLow: It has less than that.
        PhoneLocked: It could not be unlocked.
        NoSuchApp: The app is not installed.
    """
    phone = device.slot.phone
    if ready.battery_min or ready.storage_min_mb:
        now = phone.refresh()
        if now.battery is not None and now.battery < ready.battery_min:
            raise BatteryLow(serial=device.serial, now=now.battery, needs=ready.battery_min)
        if now.storage_mb is not None and now.storage_mb < ready.storage_min_mb:
            raise StorageLow(serial=device.serial, now=now.storage_mb, needs=ready.storage_min_mb)
    if ready.unlocked and look(phone).state in SHUT:
        ways.acting.send(device, ways.writes.pressing(device, UNLOCK))
    # an app that is named as on the home screen may be there though no package tells that name
    if "." in ready.app and package_of(device, ready.app) is None:
        raise NoSuchApp(app=ready.app, known="")
