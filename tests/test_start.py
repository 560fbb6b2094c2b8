"""start.sh as an operator meets it: real programs, real ports, real signals."""

import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.launch.adb_server import is_listening, ready_serials
from tests.stack import free_port

ROOT = Path(__file__).resolve().parent.parent
LAST_LINE = "Ctrl-C ends it."

pytestmark = pytest.mark.timeout(180)  # the first start on a machine installs


@dataclass
class Started:
    """A running start.sh, in a session of its own."""

    process: subprocess.Popen[str]
    web: int
    mcp: int
    adb: int
    lines: list[str]

    def pids(self, word: str = "") -> list[int]:
        """List the living processes of its session, those with a word in their command."""
        return [pid for pid in session_members(self.process.pid) if word in command_of(pid)]


Start = Callable[..., Started]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[Started] = []

    def begin(fails: bool = False, **env: str) -> Started:
        running.append(launch(tmp_path / "data", env))
        lines = running[-1].lines
        assert fails or lines[-1:] == [LAST_LINE], "\n".join(lines)
        return running[-1]

    yield begin
    for started in running:
        for pid in session_members(started.process.pid):
            os.kill(pid, signal.SIGKILL)
        started.process.communicate(timeout=20)


def launch(data: Path, env: dict[str, str]) -> Started:
    web, mcp, adb = free_port(), free_port(), free_port()
    settings = {
        "PHONEDECK_DATA": str(data),
        "PHONEDECK_PORT": str(web),
        "PHONEDECK_MCP_PORT": str(mcp),
        "ANDROID_ADB_SERVER_PORT": str(adb),
        **env,
    }
    process = subprocess.Popen(
        ["./start.sh"],
        cwd=ROOT,
        env={**os.environ, "ADB_MDNS": "0", **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip())
        if lines[-1] == LAST_LINE:
            break
    return Started(process, web, mcp, adb, lines)


def session_members(session: int) -> list[int]:
    """List the processes of a session that are not zombies."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            state, its_session = state_and_session(entry)
            if its_session == session and state not in "ZX":
                found.append(int(entry.name))
    return found


def state_and_session(entry: Path) -> tuple[str, int]:
    try:
        fields = (entry / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return "X", -1
    return fields[0], int(fields[3])


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def wait_until(holds: Callable[[], object], limit_s: float = 30) -> bool:
    limit = time.monotonic() + limit_s
    while not holds() and time.monotonic() < limit:
        time.sleep(0.05)
    return bool(holds())


def test_the_first_start_says_all_and_ends_whole_and_the_next_does_no_work_again(
    start: Start,
) -> None:
    started = start(PHONEDECK_VIRTUAL_PHONES="1", PYTHONDONTWRITEBYTECODE="1")
    text = "\n".join(started.lines)
    with urllib.request.urlopen(f"http://127.0.0.1:{started.web}/healthz") as answer:
        health = answer.status
    phones_seen = wait_until(lambda: ready_serials(started.adb))

    started.process.send_signal(signal.SIGTERM)
    code = started.process.wait(timeout=30)

    assert (health, phones_seen, code) == (200, True, 0)
    assert f"http://127.0.0.1:{started.web}" in text
    assert f"http://127.0.0.1:{started.mcp}/mcp" in text
    assert "(virtual, " in text
    assert "First password, shown only now: admin: " in text
    assert started.pids() == []
    assert not is_listening(started.adb)
    assert list((ROOT / ".venv/pycache").rglob("mcp_server.*.pyc"))

    second = start(PHONEDECK_VIRTUAL_PHONES="0")
    second.process.send_signal(signal.SIGINT)

    assert second.process.wait(timeout=30) == 130
    text = "\n".join(second.lines)
    assert not any(word in text for word in ("Installing", "Building", "Making", "password"))


def test_a_killed_mcp_server_comes_back_and_a_killed_start_sh_leaves_no_child(
    start: Start,
) -> None:
    started = start(PHONEDECK_VIRTUAL_PHONES="1")
    before = started.pids("mcp_server.mcp_server")

    os.kill(before[0], signal.SIGKILL)

    assert wait_until(lambda: set(started.pids("mcp_server.mcp_server")) - set(before))
    assert wait_until(lambda: is_listening(started.mcp))

    started.process.kill()
    started.process.wait(timeout=30)

    assert wait_until(lambda: not started.pids()), [command_of(pid) for pid in started.pids()]
    assert not is_listening(started.adb)


def test_a_taken_port_ends_the_start_with_the_variable_to_change(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        started = start(fails=True, PHONEDECK_PORT=str(port))

    assert started.process.wait(timeout=30) == 1
    assert f"port {port} is taken" in started.lines[-1]
    assert "PHONEDECK_PORT" in started.lines[-1]
    assert started.pids() == []
