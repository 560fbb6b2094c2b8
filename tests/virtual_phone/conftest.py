"""The real clients, connected to the virtual phone."""

import subprocess
from collections.abc import Callable

import pytest
import uiautomator2

from virtual_phone.adb_server import adb_program
from virtual_phone.testing import PhoneHandle

Adb = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def adb(phone: PhoneHandle, adb_port: int) -> Adb:
    """Run the real adb program against the phone."""

    def run(*words: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        line = [adb_program(), "-P", str(adb_port), "-s", phone.address, *words]
        return subprocess.run(line, input=stdin, capture_output=True, timeout=20, check=False)

    return run


@pytest.fixture
def u2(phone: PhoneHandle) -> uiautomator2.Device:
    """Connect uiautomator2."""
    return uiautomator2.connect(phone.address)
