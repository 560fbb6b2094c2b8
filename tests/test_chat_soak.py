"""Hundreds of chats that are learned from leave the console as it was after the first ones."""

import json
import logging
import os
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.policy_model import Call, PolicyModel, Reply, Request, last_user, tool_texts
from tests.stack import Stack, follow, wait_for
from virtual_phone.testing import PhoneHandle

logger = logging.getLogger(__name__)

pytestmark = [pytest.mark.soak, pytest.mark.timeout(2400)]

# the MCP server takes its last 16 MB once, somewhere in the first 110 chats, and nothing after it
WARM, RUNS = 200, 400
GROWTH = 1.05
LOOKS, LOOK_S = 20, 0.25
PAGES = ("网络和互联网", "蓝牙", "显示", "声音", "电池", "存储")
WHY = ("看看有什么", "确认它在", "等下要用", "给我看一眼", "先到那里", "检查一下", "我想改点东西")


def job(number: int) -> str:
    """Say one of the jobs; some come back word by word, most do not."""
    page, why = PAGES[number % len(PAGES)], WHY[number % len(WHY)]
    return f"进入设置里的{page}页面，{why}" + (f"，第{number}回" if number % 3 else "")


def policy(request: Request) -> Reply:
    """Open the page that is asked for, and write down how when asked to."""
    said = last_user(request)
    page = next(each for each in PAGES if each in said)
    if "tools" not in request:
        if "JSON" in request["messages"][0]["content"]:
            steps = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
            answer = [{"name": f"打开{page}页", "aliases": [], "steps": steps}]
            return Reply(content=json.dumps(answer, ensure_ascii=False))
        return Reply(content=f"打开设置，找到{page}那一行点进去，看到标题就是到了。")
    ways = [Call("de_open_app", {"app": "设置"}), Call("de_tap_text", {"text": page})]
    done = tool_texts(request)
    return Reply(calls=(ways[len(done)],)) if len(done) < len(ways) else Reply(content="到了。")


def used(stack: Stack) -> dict[str, tuple[int, int]]:
    """Count files, beside the database's own, and resident kilobytes of each process.

    A look at a phone opens a connection for a moment, so the least of several looks counts.
    """
    looks = []
    for _ in range(LOOKS):
        time.sleep(LOOK_S)
        looks.append(_used_now(stack))
    return {name: min(look[name] for look in looks) for name in stack.processes}


def _used_now(stack: Stack) -> dict[str, tuple[int, int]]:
    return {name: _used(process.pid) for name, process in stack.processes.items()}


def _used(pid: int) -> tuple[int, int]:
    files = pages = 0
    for each in (pid, *_children(pid)):
        process = Path("/proc") / str(each)
        files += sum("phonedeck.db" not in _target(fd) for fd in (process / "fd").iterdir())
        pages += int((process / "statm").read_text().split()[1])
    return files, pages * os.sysconf("SC_PAGE_SIZE") // 1024


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _target(fd: Path) -> str:
    try:
        return os.readlink(fd)
    except FileNotFoundError:  # closed meanwhile
        return "phonedeck.db"


def chat(client: httpx2.Client, stack: Stack, number: int) -> dict[str, Any]:
    """Do one job to its end."""
    asked = {"prompt": job(number), "serial": stack.addresses[0]}
    answer = client.post("/api/agent/run", json=asked)
    assert answer.status_code == 202, answer.text
    return list(follow(client, answer.json()["run_id"]))[-1][2]


def learned(client: httpx2.Client) -> Any:
    return client.get("/api/agent/memory").json()


def test_hundreds_of_chats_leave_nothing_behind(stack: Stack, phone: PhoneHandle) -> None:
    measured: dict[int, dict[str, tuple[int, int]]] = {}
    with PolicyModel(policy) as model, stack.client() as client:
        drives = {"agent_api_base": model.url, "agent_model": "policy", "agent_api_key": "sk-1"}
        assert client.put("/api/agent/config", json=drives).is_success
        for number in range(1, RUNS + 1):
            assert chat(client, stack, number)["answer"], number
            if number in (WARM, RUNS):
                wait_for(lambda: client.get("/api/agent/run").json()["running"] is False, "the end")
                measured[number] = used(stack)
                logger.info("after %d chats %s, %s", number, measured[number], learned(client))
        assert client.get("/api/devices").json()["items"][0]["lease"] is None

    early, late = measured[WARM], measured[RUNS]
    for name in early:
        assert late[name][0] <= early[name][0], name
        assert late[name][1] <= early[name][1] * GROWTH, f"{name}: {early[name]} {late[name]}"
