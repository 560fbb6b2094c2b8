"""The whole product as real processes, for tests: MCP server and console on free ports.

The phones and the adb server come from the virtual phone's fixtures; nothing here is faked.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from core import setup
from core.config import Config
from virtual_phone.adb_server import free_port

ROOT = Path(__file__).resolve().parent.parent
PASSWORD = "correct horse battery"
START_S = 30.0
MCP = ("-m", "mcp_server.mcp_server")
WEB = ("-m", "gunicorn", "-c", "web/gunicorn_conf.py", "web.app:create_app()")


@dataclass
class Stack:
    """One console with its MCP server over given phones; every process ends with `stop`."""

    data: Path
    addresses: list[str]
    adb_port: int
    web_port: int = field(default_factory=free_port)
    mcp_port: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.web_port}"

    @property
    def env(self) -> dict[str, str]:
        return {
            **os.environ,
            "PHONEDECK_DATA": str(self.data),
            "PHONEDECK_PORT": str(self.web_port),
            "PHONEDECK_MCP_PORT": str(self.mcp_port),
            "PHONEDECK_CONNECT": ",".join(self.addresses),
            "ANDROID_ADB_SERVER_PORT": str(self.adb_port),
            "MCP_ALLOW_WRITE": "1",
        }

    def start(self) -> "Stack":
        """Set up and start both, and wait until the console sees every phone."""
        config = Config(phonedeck_data=self.data, phonedeck_admin_password=PASSWORD)
        instance = setup.ensure(config)
        setup.first_admin(instance)
        instance.db.close()
        self._start("mcp", MCP)
        self._start("web", WEB)
        self._wait("mcp", "web")
        with self.client() as client:
            wait_for(lambda: self._ready(client) == len(self.addresses), "the phones")
        return self

    def start_mcp(self) -> None:
        self._start("mcp", MCP)
        self._wait("mcp")

    def start_web(self) -> None:
        self._start("web", WEB)
        self._wait("web")

    def kill(self, name: str) -> None:
        """End one of them the hard way, with everything in its process group."""
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=10)
        # a worker dies a moment after its parent, and holds the socket until then
        wait_for(lambda: not _listens(self._port(name)), f"the end of {name}")

    def stop(self) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(timeout=10)
        self.processes.clear()

    def client(self, language: str = "en") -> httpx2.Client:
        """Return a client with an administrator's token."""
        headers = {"Accept-Language": language}
        with httpx2.Client(base_url=self.url, headers=headers) as browser:
            login = {"username": "admin", "password": PASSWORD}
            csrf = browser.post("/api/auth/login", json=login).json()["csrf"]
            token = browser.post(
                "/api/auth/tokens",
                json={"name": "tests", "role": "admin"},
                headers={"X-CSRF-Token": csrf},
            ).json()["token"]
        headers["Authorization"] = f"Bearer {token}"
        return httpx2.Client(base_url=self.url, headers=headers, timeout=30)

    def output(self, name: str) -> str:
        return (self.data / f"{name}.out").read_text(errors="replace")

    def _start(self, name: str, command: tuple[str, ...]) -> None:
        self.data.mkdir(parents=True, exist_ok=True)
        with (self.data / f"{name}.out").open("ab") as output:
            self.processes[name] = subprocess.Popen(
                [sys.executable, *command],
                cwd=ROOT,
                env=self.env,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _port(self, name: str) -> int:
        return self.web_port if name == "web" else self.mcp_port

    def _wait(self, *names: str) -> None:
        for name in names:
            wait_for(lambda name=name: _listens(self._port(name)), name)

    def _ready(self, client: httpx2.Client) -> int:
        items = client.get("/api/devices").json()["items"]
        return sum(item["state"] == "ready" for item in items)


def wait_for(condition: Any, what: str, timeout_s: float = START_S) -> None:
    """Look again until it is so; a test never waits without a limit."""
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(0.05)


def follow(client: httpx2.Client, run_id: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield a run's events as ``(id, name, payload)`` until its stream ends."""
    with client.stream("GET", f"/api/agent/stream?run_id={run_id}") as response:
        fields: dict[str, str] = {}
        for line in response.iter_lines():
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif fields:
                if "event" in fields:
                    yield int(fields["id"]), fields["event"], json.loads(fields["data"])
                fields = {}


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
