"""Devices, and what a person does with them."""

from typing import Annotated, Any, Literal

from pydantic import Field

from web.schemas.base import Gives, Ok, Takes


class LeaseShown(Gives):
    """Who holds a device."""

    holder: str
    label: str
    since: str
    until: str


class DeviceShown(Gives):
    """One device."""

    serial: str
    hardware_serial: str
    alias: str
    tags: list[str]
    model: str
    android: str
    state: str
    since: str
    lease: LeaseShown | None
    width: int
    height: int
    reason: str | None = None
    battery: int | None = None
    storage_mb: int | None = None
    has_pin: bool = False


class DevicePage(Gives):
    """All devices."""

    items: list[DeviceShown]
    next: str | None = None


class Connect(Takes):
    """A phone's network address, ``host:port``."""

    address: str = Field(min_length=3, max_length=128, pattern=r"^[A-Za-z0-9_.:\-\[\]%]+$")


class Pair(Takes):
    """What a phone shows under Wireless debugging, Pair device with pairing code."""

    address: str = Field(min_length=3, max_length=128, pattern=r"^[A-Za-z0-9_.:\-\[\]]+$")
    code: str = Field(pattern=r"^\d{6}$")


class DeviceEdit(Takes):
    """What a person calls a device and sorts it by; what is left out stays."""

    alias: str | None = Field(default=None, max_length=64)
    tags: list[Annotated[str, Field(min_length=1, max_length=32)]] | None = Field(
        default=None, max_length=20
    )


class DevicePin(Takes):
    """The PIN of a device's lock; null forgets it."""

    pin: str | None = Field(pattern=r"^\d{4,16}$")


class FindingShown(Gives):
    """Something that hampers a device, and what to do about it."""

    code: str
    message: str
    hint: str


class Examined(Gives):
    """What was found on a device; nothing when ``ok``."""

    ok: bool
    findings: list[FindingShown]


class Connected(Gives):
    """The device as adb names it now."""

    serial: str


class Input(Takes):
    """A person's touch on the live picture, in the device's pixels.

    ``screen`` is the size that the picture named; when the phone was turned since, the touch is
    refused. ``record`` asks for the step that does the same.
    """

    type: Literal["tap", "long_press", "swipe", "key", "text"]
    x: int | None = Field(default=None, ge=0)
    y: int | None = Field(default=None, ge=0)
    from_: tuple[int, int] | None = Field(default=None, alias="from")
    to: tuple[int, int] | None = None
    ms: int | None = Field(default=None, ge=1, le=10_000)
    key: str | None = Field(default=None, max_length=32)
    text: str | None = Field(default=None, max_length=5_000)
    screen: tuple[int, int] | None = None
    record: bool = False


class InputDone(Ok):
    """It is done; ``step`` does the same, when it was asked for and there is such a step."""

    step: dict[str, Any] | None = None


class LiveSteps(Takes):
    """Steps to be carried out on a phone in a person's hands, from ``first`` on.

    With ``risky`` the person answers for what could cost something; else such a step fails.
    """

    steps: list[dict[str, Any]]
    inputs: dict[str, Any] = Field(default_factory=dict)
    first: int = Field(default=0, ge=0)
    risky: bool = False


class SelectorRank(Gives):
    """A selector that means this one element, and how long it is likely to."""

    selector: dict[str, str | int]
    lasting: Literal["strong", "fair", "weak"]


class ElementShown(Gives):
    """Something on a screen; ``bounds`` is left, top, right, bottom in pixels."""

    number: int
    kind: str
    label: str
    bounds: tuple[int, int, int, int]
    clickable: bool
    covered: str
    selectors: list[SelectorRank]


class ElementsShown(Gives):
    """A screen of that size and what is on it."""

    package: str
    activity: str
    state: str
    width: int
    height: int
    elements: list[ElementShown]
