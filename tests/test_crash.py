"""What is left after a part died in the middle: nothing open, nothing held, nothing lost."""

from typing import Any

import httpx2

from tests.stack import Stack, follow, wait_for

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
