"""A phone that cannot be had, or does not do what it was asked."""

from core.errors.base import Conflict, ConsoleError, Invalid, Unreachable


class NoDevice(Invalid):
    """No device was chosen and none is the default, or the chosen one is not known."""

    code = "no_device"


class DeviceBusy(Conflict):
    """Someone else holds the device's lease; details: ``serial``, ``holder``."""

    code = "device_busy"


class DeviceOffline(Conflict):
    """The device is known but does not answer; details: ``serial``, ``reason``."""

    code = "device_offline"


class DeviceUnauthorized(DeviceOffline):
    """The phone has not accepted this computer's key yet; details: ``serial``."""

    code = "device_unauthorized"


class NotPaired(Conflict):
    """The phone did not pair; details: ``address``, ``detail`` in adb's words."""

    code = "not_paired"


class LeaseLost(Conflict):
    """The writer's lease lapsed or was taken; details: ``serial``."""

    code = "lease_lost"


class BatteryLow(Conflict):
    """A phone has less charge than a task asks for; details: ``now``, ``needs`` in percent."""

    code = "battery_low"


class StorageLow(Conflict):
    """A phone has less free space than a task asks for; details: ``now``, ``needs`` in MB."""

    code = "storage_low"


class AdbDown(Unreachable):
    """The adb server does not answer, so no phone can be seen."""

    code = "adb_down"


class PhoneFault(ConsoleError):
    """The phone did not do what it was asked; details: ``serial``, ``detail``."""

    status = 502
    code = "device_fault"


class DeviceLost(PhoneFault):
    """The link to the phone broke during a call."""

    code = "device_lost"


class DeviceSlow(PhoneFault):
    """The phone did not answer in time, so whether the act happened is not known."""

    code = "device_slow"


class PhoneLocked(PhoneFault):
    """The keyguard is in the way and could not be opened; details: ``detail``."""

    code = "device_locked"


class TouchRefused(PhoneFault):
    """The phone's settings do not let adb inject touches."""

    code = "touch_refused"


class StorageFull(PhoneFault):
    """Nothing can be written to the phone any more."""

    code = "storage_full"


class CaptureFailed(PhoneFault):
    """The phone gave no picture; that is never shown as a black one."""

    code = "capture_failed"


class ScreenSecure(CaptureFailed):
    """The app in front forbids pictures; its elements can still be read."""

    code = "screen_secure"


class ScreenBlack(CaptureFailed):
    """The picture is black and nothing says why."""

    code = "screen_black"


class ScreenOff(CaptureFailed):
    """The display is dark."""

    code = "screen_off"


class ScreenUnreadable(PhoneFault):
    """The phone gave no hierarchy that can be read."""

    code = "screen_unreadable"


class TextNotTyped(PhoneFault):
    """The text was sent and is not in the field; details: ``detail``."""

    code = "text_not_typed"
