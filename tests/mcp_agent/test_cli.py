"""The command line as a program: exit code, output, its own run, and a stop by signal."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from core.devices import lease
from core.models import Run
from core.runs import store
from tests.fixtures_mcp import McpHouse
from tests.policy_model import PolicyModel, Reply
from tests.stack import ROOT, free_port
from virtual_phone.testing import PhoneHandle

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def cli(mcp_house: McpHouse) -> Start:
    """Start the program with an environment of the instance and the given variables."""

    def start(*arguments: str, **variables: str) -> "subprocess.Popen[str]":
        env = {
            **os.environ,
            "PHONEDECK_DATA": str(mcp_house.data),
            "PHONEDECK_MCP_PORT": str(mcp_house.port),
            **variables,
        }
        return subprocess.Popen(
            [sys.executable, "-m", "mcp_agent.cli", *arguments],
            cwd=ROOT,
            env=env,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    return start


def test_a_command_is_a_run_of_its_own(cli: Start, phone: PhoneHandle, mcp_house: McpHouse) -> None:
    with cli("--json", "打开设置，把 Wi-Fi 关掉") as program:
        assert program.stdout
        out = program.stdout.read()
        program.wait(timeout=30)  # the end does not wait for its stdin, which stays open

    events = [json.loads(line) for line in out.splitlines()]
    assert (program.returncode, phone.get("settings.wifi")) == (0, False)
    assert events[-1]["event"] == "done"
    newest = store.history(mcp_house.instance.db, 1)[0]
    assert newest.status == "done"
    with mcp_house.instance.db.read() as session:
        run = session.get(Run, newest.run_id)
        assert run is not None
        assert run.owner.startswith("cli-")
    assert lease.all_held(mcp_house.instance.db) == {}


def test_with_a_token_it_only_drives(cli: Start, phone: PhoneHandle, mcp_house: McpHouse) -> None:
    before = len(store.history(mcp_house.instance.db, 50))

    program = cli("turn off Wi-Fi", AGENT_MCP_TOKEN=mcp_house.token())
    out, _ = program.communicate(timeout=30)

    assert (program.returncode, phone.get("settings.wifi")) == (0, False)
    assert '"Wi-Fi" is off now.' in out
    assert len(store.history(mcp_house.instance.db, 50)) == before


def test_an_interrupt_stops_the_run_and_frees_the_phone(cli: Start, mcp_house: McpHouse) -> None:
    with PolicyModel(lambda request: Reply(hang_s=20)) as model:
        program = cli("慢慢来", AGENT_API_BASE=model.url, AGENT_MODEL="policy")
        assert model.asked.wait(20)
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate(timeout=10)

    assert (program.returncode, out) == (130, "已停止。\n")
    assert store.history(mcp_house.instance.db, 1)[0].status == "stopped"
    assert lease.all_held(mcp_house.instance.db) == {}


def test_what_is_wrong_is_said_and_the_exit_code_tells(cli: Start) -> None:
    program = cli(
        "打开设置", AGENT_MCP_TOKEN="x", AGENT_MCP_URL=f"http://127.0.0.1:{free_port()}/mcp"
    )
    _, err = program.communicate(timeout=30)

    assert program.returncode == 1
    assert "不可达" in err


@pytest.mark.parametrize("as_json", [True, False])
def test_what_the_run_asks_is_answered_on_the_terminal(
    cli: Start, phone: PhoneHandle, as_json: bool
) -> None:
    phone.start("com.android.settings")
    arguments = ["--autonomy", "confirm_all", "--json", "回到桌面"]
    program = cli(*arguments if as_json else [each for each in arguments if each != "--json"])
    assert program.stdin and program.stdout and program.stderr

    answered = 0
    for line in program.stdout if as_json else program.stderr:
        if as_json and (event := json.loads(line))["event"] == "question":
            answer = json.dumps({"question_id": event["question_id"], "value": "approve"})
        elif not as_json and line.startswith("   1."):
            answer = "1"
        else:
            continue
        program.stdin.write(f"{answer}\n")
        program.stdin.flush()
        answered += 1
    program.communicate(timeout=30)

    assert (program.returncode, answered > 0) == (0, True)
    assert phone.get("system.foreground") != "com.android.settings"
