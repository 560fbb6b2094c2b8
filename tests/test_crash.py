"""What is left after a part died in the middle: nothing open, nothing held, nothing lost."""

import os
import signal
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.crashing import Witness, show_switches, touched
from tests.policy_model import PolicyModel
from tests.stack import Stack, follow, wait_for
from virtual_phone.testing import PhoneHandle

VOLUME_UP = 24
WAITS = "等待 「永远不会出现的字」"


def start_run(client: httpx2.Client, stack: Stack, prompt: str) -> str:
    answer = client.post("/api/agent/run", json={"prompt": prompt, "serial": stack.addresses[0]})
    assert answer.status_code == 202, answer.text
    return str(answer.json()["run_id"])


def lease(client: httpx2.Client) -> Any:
    return client.get("/api/devices").json()["items"][0]["lease"]


def test_a_killed_console_closes_its_run_and_frees_the_phone_when_it_is_back(
    stack: Stack,
) -> None:
    with stack.client() as client:
        run_id = start_run(client, stack, WAITS)
        seen = []
        for event in follow(client, run_id):
            seen.append(event)
            if event[1] == "step_started":
                break
        assert lease(client)["holder"] == "agent"

        stack.kill("web")
        stack.start_web()
        log = list(follow(client, run_id))

        assert [name for _, name, _ in log].count("error") == 1
        assert log[-1][1] == "error"
        assert log[-1][2]["code"] == "interrupted"
        assert log[-1][0] > max(number for number, _, _ in seen)
        assert [number for number, _, _ in log] == sorted({number for number, _, _ in log})
        assert client.get("/api/agent/run").json()["running"] is False
        assert client.get(f"/api/agent/runs/{run_id}").json()["status"] == "failed"
        assert lease(client) is None
        again = start_run(client, stack, "返回")
        assert list(follow(client, again))[-1][1] == "done"


@pytest.fixture
def witness(stack: Stack, phone: PhoneHandle) -> Iterator[Witness]:
    """Let a model that turns switches on drive the phone, and see what it does."""
    made = Witness()
    with PolicyModel(made.policy) as model, stack.client() as client, made.watching(phone):
        drives = {"agent_api_base": model.url, "agent_model": "policy", "agent_autonomy": "auto"}
        assert client.put("/api/agent/config", json={**drives, "agent_api_key": "sk-1"}).is_success
        yield made
        assert client.put("/api/agent/config", json={"agent_model": ""}).is_success


@pytest.mark.parametrize(
    ("point", "nth"),
    [
        ("act sent", 1),
        pytest.param("model asked", 2, marks=pytest.mark.soak),
        pytest.param("act sent", 2, marks=pytest.mark.soak),
        pytest.param("act told", 1, marks=pytest.mark.soak),
        pytest.param("act told", 2, marks=pytest.mark.soak),
    ],
)
def test_a_console_that_is_killed_while_a_model_acts_repeats_no_act(
    stack: Stack, phone: PhoneHandle, witness: Witness, point: str, nth: int
) -> None:
    names = ["甲", "乙"]
    with stack.client() as client:
        web = stack.processes["web"].pid
        witness.aim(point, nth, lambda: os.killpg(web, signal.SIGKILL))

        run_id = start_run(client, stack, show_switches(phone, names))
        assert witness.killed.wait(20)
        stack.kill("web")
        stack.start_web()

        log = list(follow(client, run_id))
        assert [name for _, name, _ in log if name in ("done", "error")] == ["error"]
        assert log[-1][2]["code"] == "interrupted"
        taps = touched(phone, names)
        assert all(count == int(is_on) for count, is_on in taps.values()), taps
        assert lease(client) is None
        sent = client.get(f"/api/agent/runs/{run_id}").json()["prompt"]
        again = start_run(client, stack, sent)
        assert list(follow(client, again))[-1][1] == "done"
        assert touched(phone, names) == dict.fromkeys(names, (1, True))


def test_a_killed_mcp_server_is_said_clearly_and_the_next_run_works(stack: Stack) -> None:
    with stack.client() as client:
        stack.kill("mcp")
        down = list(follow(client, start_run(client, stack, "返回")))
        stack.start_mcp()
        wait_for(lambda: client.get("/readyz").status_code == 200, "the MCP server")
        wait_for(
            lambda: client.get("/api/devices").json()["items"][0]["state"] == "ready", "the phone"
        )
        up = list(follow(client, start_run(client, stack, "返回")))

    assert down[-1][1] == "error"
    assert down[-1][2]["code"] == "mcp_unreachable"
    assert "MCP" in down[-1][2]["message"]
    assert up[-1][1] == "done"


def start_task(client: httpx2.Client, stack: Stack, *steps: dict[str, Any], **more: Any) -> str:
    body = {"name": "任务", "steps": steps, "targets": {"serials": stack.addresses}, **more}
    task = client.post("/api/tasks", json=body).json()
    started = client.post(f"/api/tasks/{task['task_id']}/run", json={})
    assert started.status_code == 202, started.text
    return str(started.json()["run_ids"][0])


def task_run(client: httpx2.Client, run_id: str) -> dict[str, Any]:
    shown: dict[str, Any] = client.get(f"/api/runs/{run_id}").json()
    return shown


def test_a_killed_console_closes_its_task_run_and_does_not_begin_it_again(
    stack: Stack, phone: PhoneHandle
) -> None:
    louder, long = {"type": "press_key", "key": "volume_up"}, {"type": "wait", "seconds": 60}
    with stack.client() as client:
        run_id = start_task(client, stack, louder, long, policy={"retries": 3})
        wait_for(lambda: task_run(client, run_id)["at"] == "steps.1", "the second step")

        stack.kill("web")
        stack.start_web()
        wait_for(lambda: task_run(client, run_id)["ended"] is not None, "the end")
        after = start_task(client, stack, {"type": "press_key", "key": "home"})
        wait_for(lambda: task_run(client, after)["ended"] is not None, "the next one")

        run = task_run(client, run_id)
        assert (run["status"], run["error"]["code"], run["path"]) == (
            "failed",
            "interrupted",
            "steps.1",
        )
        assert [step["path"] for step in run["steps"]] == ["steps.0"]
        assert task_run(client, after)["status"] == "success"
        assert lease(client) is None
        assert [each.get("code") for each in phone.log()].count(VOLUME_UP) == 1


def test_a_task_run_whose_mcp_server_is_killed_fails_and_the_next_one_waits_for_it(
    stack: Stack,
) -> None:
    with stack.client() as client:
        run_id = start_task(client, stack, {"type": "wait", "seconds": 60})
        wait_for(lambda: task_run(client, run_id)["at"] == "steps.0", "the step")

        stack.kill("mcp")
        wait_for(lambda: task_run(client, run_id)["ended"] is not None, "the end")
        after = start_task(client, stack, {"type": "press_key", "key": "home"})
        stack.start_mcp()
        wait_for(lambda: task_run(client, after)["ended"] is not None, "the next one")

        run = task_run(client, run_id)
        assert (run["status"], run["error"]["code"]) == ("failed", "mcp_unreachable")
        assert task_run(client, after)["status"] == "success"
        assert lease(client) is None


def test_a_stopped_run_says_so_and_frees_the_phone(stack: Stack) -> None:
    with stack.client() as client:
        run_id = start_run(client, stack, WAITS)
        for _, name, _ in follow(client, run_id):
            if name == "step_started":
                break

        client.post(f"/api/agent/run/{run_id}/stop")
        last = list(follow(client, run_id))[-1]

        assert last[1] == "done"
        assert last[2]["stopped"] is True
        assert lease(client) is None
        assert client.get(f"/api/agent/runs/{run_id}").json()["status"] == "stopped"
