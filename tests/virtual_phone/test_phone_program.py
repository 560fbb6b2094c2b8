"""``python -m virtual_phone`` as start.sh runs it, and the wire in its other mode."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from virtual_phone.adb_server import AdbServer, adb_program, free_port
from virtual_phone.testing import PhoneHandle, VirtualRack


def start(*words: str) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "virtual_phone", *words]
    return subprocess.Popen(line, stdout=subprocess.PIPE, text=True)


def ready(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    return process.stdout.readline().split()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_the_program_says_where_its_phones_are_and_ends_cleanly(ending: signal.Signals) -> None:
    process = start("--port", str(free_port()), "--phones", "2")
    with process:
        lines = [ready(process), ready(process)]

        process.send_signal(ending)

        assert process.wait(10) == 0
    ports = [int(address.rpartition(":")[2]) for _, address, _ in lines]
    assert [word for word, _, _ in lines] == ["ready", "ready"]
    assert ports[0] < ports[1]
    assert [serial for _, _, serial in lines] == [f"VP{port}" for port in ports]


def test_a_taken_port_is_passed_over() -> None:
    with VirtualRack(phones=1) as rack:
        taken = rack.phones[0].address.rpartition(":")[2]
        with start("--port", taken) as process:
            _, address, _ = ready(process)
            process.terminate()
            process.wait(10)

    assert int(address.rpartition(":")[2]) > int(taken)


@pytest.fixture
def burst() -> Iterator[AdbServer]:
    server = AdbServer(free_port(), {"ADB_BURST_MODE": "1"})
    yield server
    server.close()


def test_files_survive_a_server_that_sends_without_waiting(
    burst: AdbServer, tmp_path: Path
) -> None:
    sent, got = tmp_path / "sent", tmp_path / "got"
    sent.write_bytes(os.urandom(3_000_000))

    with VirtualRack(phones=1) as rack:
        address = rack.phones[0].address
        burst.connect(address)
        adb = [adb_program(), "-P", str(burst.port), "-s", address]
        mode = {**os.environ, "ADB_BURST_MODE": "1"}
        features = subprocess.check_output([*adb, "features"], text=True, env=mode).split()
        subprocess.run([*adb, "push", str(sent), "/sdcard/f"], check=True, capture_output=True)
        subprocess.run([*adb, "pull", "/sdcard/f", str(got)], check=True, capture_output=True)
        raw = subprocess.check_output([*adb, "exec-out", "screencap"])

    assert "delayed_ack" in features
    assert got.read_bytes() == sent.read_bytes()
    assert len(raw) == 16 + 1080 * 2400 * 4


def test_the_private_adb_server_dies_with_a_test_run_that_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys, time; from virtual_phone.adb_server import AdbServer, free_port;"
        "server = AdbServer(free_port()); print(server.port, flush=True); time.sleep(30)"
    )
    line, place = [sys.executable, "-c", code], {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(line, stdout=subprocess.PIPE, env=place) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())

        process.kill()

    assert gone(port)


def gone(port: int, limit_s: float = 5.0) -> bool:
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            return True
        time.sleep(0.02)
    return False


def test_a_phone_speaks_english_when_told(phone: PhoneHandle) -> None:
    phone.set("system.locale", "en-US")

    labels = phone.ask(lambda p: [n.text for w in p.windows() for n in w.root.walk() if n.text])

    assert {"Settings", "Notes"} <= set(labels)


def test_a_turned_phone_keeps_its_icons_on_the_screen(phone: PhoneHandle) -> None:
    phone.set("system.rotation", 1)

    found = phone.ask(lambda p: p.find(lambda n: n.text == "备忘录"))

    assert found is not None
    assert found.bounds.bottom < 1080
    assert phone.ask(lambda p: p.camera.picture().size) == (2400, 1080)
