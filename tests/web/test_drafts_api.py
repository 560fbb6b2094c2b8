"""The newest draft, and a run that becomes one, over HTTP."""

from core.devices import lease
from core.devices.lease import Claim
from core.runs import acts, store
from core.steps.checks import parse_steps
from core.tasks import drafts
from core.tasks.drafts import Draft, Kept
from tests.stack import wait_for
from tests.web.conftest import Browser
from web.console import Console

OPEN = {"type": "open_app", "app": "设置"}
CLICK = {"type": "click", "selector": {"text": "蓝牙"}}


def run_of(operator: Browser, console: Console) -> str:
    """Have a run that has ended, for the MCP server is down."""
    asked = {"prompt": "打开 蓝牙", "serial": "s1"}
    run_id = str(operator.post("/api/agent/run", json=asked).get_json()["run_id"])
    console.runner.stop(run_id)
    db = console.instance.db
    wait_for(lambda: store.get(db, run_id).ended is not None, "the run's end")
    return run_id


def test_without_a_draft_every_key_is_there_and_empty(operator: Browser) -> None:
    answer = operator.get("/api/agent/draft")

    assert answer.status_code == 200
    assert answer.get_json() == {
        "draft": None,
        "warnings": [],
        "prompt": "",
        "serial": "",
        "created": None,
        "replay": None,
    }
    assert operator.post("/api/agent/draft/check", json={}).status_code == 404


def test_the_newest_draft_is_the_only_one(operator: Browser, console: Console) -> None:
    for name in ("旧的", "新的"):
        made = Draft(name, parse_steps([OPEN]), {})
        drafts.keep(console.instance.db, Kept(made, ("小心",), "做点什么", "s1"))

    shown = operator.get("/api/agent/draft").get_json()

    assert shown["draft"] == {"name": "新的", "steps": [OPEN], "inputs": {}}
    assert (shown["warnings"], shown["prompt"]) == (["小心"], "做点什么")
    assert shown["replay"] is None and shown["created"].endswith("Z")


def test_a_runs_acts_become_a_draft_and_its_check_begins(
    operator: Browser, console: Console
) -> None:
    run_id = run_of(operator, console)
    acts.keep(console.instance.db, run_id, "com.android.settings", OPEN)
    acts.keep(console.instance.db, run_id, "com.android.settings", CLICK)

    answer = operator.post(f"/api/agent/runs/{run_id}/task")

    made = answer.get_json()
    assert answer.status_code == 201
    close = {"type": "close_app", "app": "com.android.settings"}
    assert made["draft"] == {"name": "打开 蓝牙", "steps": [close, OPEN, CLICK], "inputs": {}}
    assert made["run_id"] and made["conv_id"]
    assert operator.get(f"/api/agent/runs/{made['run_id']}").get_json()["mode"] == "check"


def test_a_phone_that_is_not_free_leaves_the_draft_unchecked(
    operator: Browser, console: Console
) -> None:
    run_id = run_of(operator, console)
    acts.keep(console.instance.db, run_id, "com.android.settings", OPEN)
    with console.instance.db.write() as session:
        lease.take(session, "HW1", Claim("human", "user:li", "li"))

    made = operator.post(f"/api/agent/runs/{run_id}/task").get_json()

    assert made["run_id"] is None
    assert any("没有在手机上验证" in warning for warning in made["warnings"])
    assert operator.get("/api/agent/draft").get_json()["warnings"] == made["warnings"]


def test_a_run_that_did_nothing_makes_no_draft(operator: Browser, console: Console) -> None:
    answer = operator.post(f"/api/agent/runs/{run_of(operator, console)}/task")

    assert answer.status_code == 400
    assert operator.post("/api/agent/runs/nope/task").status_code == 404
