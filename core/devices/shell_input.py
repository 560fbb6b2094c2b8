"""Touch and press by Android's own ``input``, for a phone whose uiautomator2 server cannot run.

It starts a program for each act, so it is slow, and it knows no text but ASCII.
"""

from core.devices.adb import Link
from core.devices.complaints import complaint
from core.errors import PhoneFault

STEP_MS = 5  # uiautomator moves the finger once in this time
FAILED = ("Error", "Exception", "Killed")


def send(link: Link, method: str, params: tuple[int, ...], timeout_s: float) -> None:
    """Do once what uiautomator2's server would do by this method.

    Raises:
        TouchRefused: The phone's settings forbid it.
        PhoneFault: Android refused for another reason, in its own words.
    """
    said = link.shell(command(method, params), timeout_s).strip()
    refused = complaint(link.serial, said)
    if refused is not None:
        raise refused
    if any(sign in said for sign in FAILED):
        raise PhoneFault(serial=link.serial, detail=said.splitlines()[0][:200])


def command(method: str, params: tuple[int, ...]) -> str:
    """Give the command line for one of the server's methods."""
    match method, params:
        case "click", (x, y):
            return f"input tap {x} {y}"
        case "click", (x, y, ms):
            return f"input swipe {x} {y} {x} {y} {ms}"
        case "swipe", (left, top, right, bottom, steps):
            return f"input swipe {left} {top} {right} {bottom} {steps * STEP_MS}"
        case "pressKeyCode", (code,):
            return f"input keyevent {code}"
        case _:
            raise ValueError(f"{method} with {len(params)} numbers is no act of input")
