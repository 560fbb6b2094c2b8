"""Several phones in one process: start them, find their addresses, stop them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from virtual_phone import recorded
from virtual_phone.android import Phone
from virtual_phone.daemon import HOST, Daemon, listen
from virtual_phone.profile import Profile


@dataclass(frozen=True, slots=True)
class Placed:
    """A phone that is listening."""

    phone: Phone
    daemon: Daemon
    port: int

    @property
    def address(self) -> str:
        """What ``adb connect`` takes."""
        return f"{HOST}:{self.port}"


def with_recording(profile: Profile, path: str) -> Profile:
    """Return a phone of the size that was recorded, with the recording on it.

    Raises:
        RecordingError: the recording cannot be used.
    """
    width, height = recorded.load(path).size
    return replace(profile, width=width, height=height, recorded=path)


async def place(profile: Profile, first_port: int) -> Placed:
    """Start one phone on the first free port; its serial number is made of the port."""
    server, port, owner = await listen(first_port)
    phone = Phone(replace(profile, serialno=f"VP{port}"))
    daemon = Daemon(phone, server)
    owner.append(daemon)
    return Placed(phone, daemon, port)


async def place_many(profile: Profile, first_port: int, number: int) -> list[Placed]:
    """Start several phones, each on the next free port."""
    phones: list[Placed] = []
    for _ in range(number):
        port = phones[-1].port + 1 if phones and first_port else first_port
        phones.append(await place(profile, port))
    return phones
