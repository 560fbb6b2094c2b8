"""The tools over a real connection: deadlines, stops, and a server that goes away in mid-call."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import McpRefused, McpUnreachable
from mcp_agent.abort import Abort
from mcp_agent.mcp_client import McpClient
from mcp_agent.model import ToolCall
from mcp_agent.providers.base import Http
from tests.fixtures_mcp import McpHouse
from tests.small_mcp import SmallMcp
from tests.stack import free_port, wait_for
from virtual_phone.testing import PhoneHandle


@pytest.fixture(scope="module")
def server() -> Iterator[SmallMcp]:
    """Run the small server for the module; a test that kills it starts it again."""
    running = SmallMcp().start()
    yield running
    running.kill()


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall("c1", name, dict(arguments))


def test_nobody_at_the_address_is_said_with_the_address() -> None:
    url = f"http://127.0.0.1:{free_port()}/mcp"

    with pytest.raises(McpUnreachable, match=url), McpClient(Http(url), Abort()):
        pass


def test_a_token_that_the_server_does_not_take_is_said(mcp_house: McpHouse) -> None:
    server = Http(mcp_house.url, {"Authorization": "Bearer wrong"})

    with pytest.raises(McpRefused, match="401"), McpClient(server, Abort()) as client:
        client.tools()


def test_tools_are_listed_with_what_they_do(server: SmallMcp) -> None:
    with McpClient(Http(server.url), Abort()) as client:
        listed = {tool.name: tool.read_only for tool in client.tools()}
        unknown = client.call(call("nothing"))

    assert (listed["look"], listed["act"]) == (True, False)
    assert unknown.status == "error"
    assert "nothing" in unknown.text


def test_an_act_tells_which_screen_it_led_to(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    server = Http(mcp_house.url, {"Authorization": f"Bearer {mcp_house.token()}"})

    with McpClient(server, Abort()) as client:
        opened = [client.call(call("de_open_app", app=app)).screen for app in ("设置", "时钟")]
        again = client.call(call("de_open_app", app="设置")).screen
        looked = client.call(call("de_ui_tree")).screen

    assert opened[0] and opened[0] != opened[1]
    assert (again, looked) == (opened[0], None)


def test_pictures_and_text_come_back_from_the_phone(mcp_house: McpHouse) -> None:
    server = Http(mcp_house.url, {"Authorization": f"Bearer {mcp_house.token()}"})

    with McpClient(server, Abort()) as client:
        outcome = client.call(call("de_screenshot"))

    assert outcome.pictures[0].data.startswith(b"\xff\xd8")
    assert "1080x2400" in outcome.text


def test_a_stop_ends_the_waiting_at_once(server: SmallMcp) -> None:
    abort = Abort()

    with McpClient(Http(server.url), abort) as client:
        client.tools()
        threading.Timer(0.2, abort.set, ["stopped"]).start()
        begun = time.monotonic()
        outcome = client.call(call("act", seconds=3))

    assert outcome.status == "aborted"
    assert time.monotonic() - begun < 1


def test_a_call_that_takes_too_long_is_not_called_done(server: SmallMcp) -> None:
    with McpClient(Http(server.url), Abort(), call_s=0.3) as client:
        outcome = client.call(call("act", seconds=1))

    assert outcome.status == "error"
    assert "not known whether" in outcome.text


@pytest.mark.parametrize(("tool", "calls"), [("look", 2), ("act", 1)])
def test_only_a_read_is_asked_again_after_the_server_went_away(
    server: SmallMcp, tmp_path: Path, tool: str, calls: int
) -> None:
    mark = tmp_path / "calls"

    def restart() -> None:
        wait_for(mark.exists, "the call")
        server.kill()
        server.start()

    restarting = threading.Thread(target=restart)
    with McpClient(Http(server.url), Abort()) as client:
        client.tools()
        restarting.start()
        outcome = client.call(call(tool, seconds=1.5, mark=str(mark)))
        restarting.join(20)

    assert mark.read_text().count("called") == calls
    assert outcome.status == ("ok" if tool == "look" else "error")
    assert ("not known whether" in outcome.text) == (tool == "act")


def test_a_stop_is_heard_while_the_server_does_not_even_answer() -> None:
    abort = Abort()
    threading.Timer(0.2, abort.set, ["stopped"]).start()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begun = time.monotonic()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/mcp"
        with McpClient(Http(url), abort) as client:
            outcome = client.call(call("look"))

    assert outcome.status == "aborted"
    assert time.monotonic() - begun < 1
