"""Fixtures: a private adb server, a rack of one phone, and that phone, clean for every test.

The adb port is chosen when this file is imported, because adbutils reads it at its own import.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import pytest

from virtual_phone.adb_server import AdbServer, adb_program, free_port
from virtual_phone.testing import PhoneHandle, VirtualRack

_NAMES = ("ANDROID_ADB_SERVER_PORT", "ADBUTILS_ADB_PATH")
_SAVED = {name: os.environ.get(name) for name in _NAMES}
# here and not in a hook: the conftest files of folders below are imported before any hook runs
os.environ["ADBUTILS_ADB_PATH"] = adb_program()
os.environ["ANDROID_ADB_SERVER_PORT"] = str(free_port())


def pytest_unconfigure() -> None:
    """Put the environment back."""
    for name, value in _SAVED.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


@pytest.fixture(scope="session")
def adb_server() -> Iterator[AdbServer]:
    """Run a private adb server for the session."""
    server = AdbServer(int(os.environ["ANDROID_ADB_SERVER_PORT"]))
    yield server
    server.close()


@pytest.fixture(scope="session")
def adb_port(adb_server: AdbServer) -> int:
    """Give the port of the private adb server."""
    return adb_server.port


@pytest.fixture(scope="session")
def shelf() -> Iterator[VirtualRack]:
    """Run one phone for the session; tests ask for ``rack`` or ``phone`` instead."""
    with VirtualRack(phones=1) as rack:
        yield rack


@pytest.fixture
def rack(adb_server: AdbServer, shelf: VirtualRack) -> VirtualRack:
    """Give the rack with its phone reset and connected."""
    for phone in shelf.phones:
        phone.reset()
        if not phone.linked:
            reconnect(adb_server, phone.address)
    return shelf


@pytest.fixture
def phone(rack: VirtualRack) -> PhoneHandle:
    """Give the rack's one phone, reset and connected."""
    return rack.phones[0]


def reconnect(server: AdbServer, address: str) -> None:
    """Connect anew, forgetting a link that the server may still believe in."""
    with contextlib.suppress(OSError):  # when the server does not know it yet
        server.disconnect(address)
    server.connect(address)
