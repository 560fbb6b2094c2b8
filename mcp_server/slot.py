"""A phone that is ready to be used."""

from dataclasses import dataclass

from core.devices.android import AndroidPhone
from core.devices.live import Live


@dataclass(frozen=True, slots=True)
class Slot:
    """A phone that is ready, with its live view."""

    phone: AndroidPhone
    live: Live
    hardware_serial: str
