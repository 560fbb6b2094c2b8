"""A real MCP server process over the session's virtual phone, and ways to call it.

Import ``mcp_house`` (and ``mcp_url``) into a conftest to use them.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx2
import pytest
from anyio.from_thread import start_blocking_portal
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, ImageContent, TextContent, Tool

from core import auth, setup
from core.auth import Principal, Role
from core.config import Config
from core.devices import store
from core.devices.remote import RemotePhones
from core.people import users
from core.runs import store as runs
from core.runs import tokens
from core.runs.questions import QUESTION_META
from core.runs.record import Ending, RunRecord, RunRequest
from core.setup import Instance
from tests.stack import ROOT, free_port, wait_for
from virtual_phone.testing import VirtualRack

CALL_S = 40.0


@dataclass(frozen=True)
class Answer:
    """What a tool said."""

    text: str
    is_error: bool
    images: list[ImageContent]
    question: str | None = None


class Tools:
    """The official client, called from a test's own thread."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._token = token

    def __enter__(self) -> "Tools":
        self._portal_context = start_blocking_portal()
        self._portal = self._portal_context.__enter__()
        self._http = httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {self._token}"}, timeout=CALL_S
        )
        transport = streamable_http_client(self._url, http_client=self._http)
        self._client_context = self._portal.wrap_async_context_manager(Client(transport))
        self._client = self._client_context.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client_context.__exit__(None, None, None)
        self._portal.call(self._http.aclose)
        self._portal_context.__exit__(None, None, None)

    def names(self) -> list[str]:
        return [tool.name for tool in self.list()]

    def list(self) -> list[Tool]:
        return list(self._portal.call(self._client.list_tools).tools)

    def call(self, name: str, /, **arguments: Any) -> Answer:
        result: CallToolResult = self._portal.call(self._client.call_tool, name, arguments)
        assert result.structured_content is None
        texts = [block.text for block in result.content if isinstance(block, TextContent)]
        images = [block for block in result.content if isinstance(block, ImageContent)]
        asked = (result.meta or {}).get(QUESTION_META)
        return Answer("\n".join(texts), bool(result.is_error), images, asked)


@dataclass
class McpHouse:
    """One MCP server process and its instance."""

    data: Path
    addresses: list[str]
    allow_write: bool = True
    port: int = field(default_factory=free_port)
    adb_port: int | None = None

    def start(self) -> "McpHouse":
        config = Config(
            phonedeck_data=self.data, phonedeck_mcp_port=self.port, mcp_allow_write=self.allow_write
        )
        self.instance: Instance = setup.ensure(config)
        self._user = users.create_user(self.instance.db, "tester", "secret", "admin")
        self._serve()
        return self

    def restart(self) -> None:
        """Serve again after the process was killed."""
        store.all_offline(self.instance.db)
        self._serve()

    def _serve(self) -> None:
        env = {
            **os.environ,
            "PHONEDECK_DATA": str(self.data),
            "PHONEDECK_MCP_PORT": str(self.port),
            "PHONEDECK_CONNECT": ",".join(self.addresses),
            "MCP_ALLOW_WRITE": "1" if self.allow_write else "",
        }
        if not self.allow_write:
            del env["MCP_ALLOW_WRITE"]
        if self.adb_port is not None:
            env["ANDROID_ADB_SERVER_PORT"] = str(self.adb_port)
        with (self.data / "mcp.out").open("ab") as output:
            command = [sys.executable, "-m", "mcp_server.mcp_server"]
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=env, stdout=output, stderr=subprocess.STDOUT
            )
        self.wait_ready()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=10)
        self.instance.db.close()

    def wait_ready(self) -> None:
        def all_ready() -> bool:
            ready = {device.serial for device in store.ready(self.instance.db)}
            return ready >= set(self.addresses)

        wait_for(all_ready, "a ready phone")

    @property
    def url(self) -> str:
        return self.instance.config.mcp_url

    @property
    def serial(self) -> str:
        return self.addresses[0]

    @property
    def phones(self) -> RemotePhones:
        return RemotePhones(self.port, self.instance.loopback_secret)

    def token(self, role: Role = "operator") -> str:
        owner = Principal(self._user, "tester", "admin", "zh")
        return auth.create_token(self.instance.db, owner, f"program {role}", role)

    def tools(self, token: str | None = None) -> Tools:
        return Tools(self.url, token or self.token())

    @contextmanager
    def run(self, autonomy: str = "auto") -> Iterator[tuple[RunRecord, str]]:
        """Hold the phone for an agent run, as the console does, and give the run's token."""
        request = RunRequest(
            prompt="打开 Wi-Fi",
            serial=self.serial,
            conv_id=None,
            mode="chat",
            channel="phone",
            provider="offline",
            autonomy=autonomy,
            max_steps=40,
            lang="zh",
        )
        db = self.instance.db
        run = runs.begin(db, runs.start(db, request, slots=9).run_id)
        assert run is not None
        try:
            yield run, tokens.mint(db, run.conv_id)
        finally:
            runs.finish(db, run.run_id, Ending(status="done", answer="", entries=[]))


@pytest.fixture(scope="session")
def session_house(
    adb_port: int, shelf: VirtualRack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[McpHouse]:
    """Run one MCP server for the session; tests ask for ``mcp_house``."""
    addresses = [phone.address for phone in shelf.phones]
    house = McpHouse(tmp_path_factory.mktemp("mcp") / "data", addresses)
    try:
        yield house.start()
    finally:
        house.stop()


@pytest.fixture
def mcp_house(rack: VirtualRack, session_house: McpHouse) -> Iterator[McpHouse]:
    """Give the session's MCP server, its phone reset, ready and held by nobody."""
    session_house.wait_ready()
    yield session_house
    free_all(session_house.instance)


@pytest.fixture
def mcp_url(mcp_house: McpHouse) -> str:
    """Give the address where tools are called."""
    return mcp_house.url


def free_all(instance: Instance) -> None:
    """Give every lease back."""
    from core.devices import lease

    for held in lease.all_held(instance.db).values():
        with instance.db.write() as session:
            lease.release(session, held.owner)
