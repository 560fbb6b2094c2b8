"""What a chat run did on the phone becomes steps, which are done once without a model."""

from typing import Any

from core import settings as stored
from core.runs import acts
from core.tasks import drafts, from_run
from core.tasks.drafts import Kept
from mcp_agent.modes import CHECK
from tests.designing import APP, PROMPT, designs
from tests.fixtures_mcp import McpHouse
from tests.mcp_agent.conftest import Desk, Settings
from tests.mcp_agent.test_designer import end
from tests.policy_model import PolicyModel, Reply, Request
from virtual_phone.testing import PhoneHandle


def chats(request: Request) -> Reply:
    """Go the way of the designing policy, and answer instead of handing anything in."""
    reply = designs(request)
    handing_in = [call for call in reply.calls if call.name == "submit_task"]
    return Reply(content="打开了。") if handing_in else reply


def steps_of(desk: Desk, run_id: str) -> list[dict[str, Any]]:
    return from_run.steps_of(acts.of_run(desk.instance.db, run_id))


def test_the_acts_of_a_chat_run_are_done_again_without_a_model(
    desk: Desk, settings: Settings, phone: PhoneHandle
) -> None:
    with PolicyModel(chats) as model:
        desk.settings = settings(model.url)
        run_id = desk.start(PROMPT)
        desk.entries(run_id)
        asked = len(model.requests)
        steps = steps_of(desk, run_id)
        made = drafts.check("看咖啡计划", steps, {}, lambda name: (name, ()))
        drafts.keep(desk.instance.db, Kept(made, (), PROMPT, desk.serial))
        desk.settings = stored.load(desk.instance)
        entries = desk.run("验证草稿", mode=CHECK)

    assert [step["type"] for step in steps] == [
        "close_app",
        "open_app",
        "input_text",
        "click",
        "click",
    ]
    assert steps[0]["app"] == APP
    assert steps[2]["selector"] == {"resourceId": f"{APP}:id/search"}
    assert steps[3]["expect"]["app"] == APP
    done, kept = end(entries), stored.load(desk.instance).agent_task_draft or {}
    assert (done["verified"], done["mode"]) == (True, CHECK)
    assert done["draft"]["steps"] == steps
    assert kept["replay"]["ok"] and kept["prompt"] == PROMPT
    assert len(model.requests) == asked
    assert phone.get("xiaoji.ui.page") == "post"


def test_only_what_went_well_and_changed_something_is_kept(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    with mcp_house.run() as (run, token), mcp_house.tools(token) as tools:
        tools.call("de_open_app", app="设置")
        tools.call("de_tap_text", text="没有这个")
        tools.call("de_tap_text", text="设置", index=0)
        tools.call("de_tap_text", text="蓝牙", index=0)
        tools.call("prove", checks=[{"text": "蓝牙"}, {"text": "没有这个"}])
        tools.call("de_press_key", key="back")
        tools.call("de_swipe", direction="up")
        kept = acts.of_run(mcp_house.instance.db, run.run_id)

    assert [step["type"] for _, step in kept] == [
        "open_app",
        "click",
        "assert",
        "press_key",
        "swipe",
    ]
    assert kept[0] == ("com.android.settings", {"type": "open_app", "app": "设置"})
    assert kept[1][1]["selector"]
    assert kept[4][1] == {"type": "swipe", "direction": "up"}


def test_a_check_without_a_draft_says_so(
    desk: Desk, settings: Settings, phone: PhoneHandle
) -> None:
    desk.settings = settings()

    last = desk.run("验证草稿", mode=CHECK)[-1]

    assert last.name == "error" and "not_found" in last.data


def test_steps_of_a_run_begin_with_an_app_that_is_started_afresh() -> None:
    click = {"type": "click", "selector": {"text": "a"}}
    home = {"type": "press_key", "key": "home"}
    opening = {"type": "open_app", "app": "小集"}

    assert from_run.steps_of([]) == []
    assert from_run.steps_of([("x", home)]) == []
    assert from_run.steps_of([("x.y", click), ("x.y", click)]) == [
        {"type": "close_app", "app": "x.y"},
        {"type": "open_app", "app": "x.y"},
        click,
    ]
    assert from_run.steps_of([("", home), ("x.y", opening)])[0]["type"] == "close_app"


def test_an_icon_on_the_home_screen_is_no_app_to_be_closed() -> None:
    icon = {"type": "click", "selector": {"text": "小集"}}
    click = {"type": "click", "selector": {"text": "a"}}
    launcher = "com.example.launcher"

    alone = from_run.steps_of([(launcher, icon)])
    followed = from_run.steps_of([(launcher, icon), ("x.y", click)])

    assert alone == [{"type": "press_key", "key": "home"}, icon]
    assert followed == [
        {"type": "close_app", "app": "x.y"},
        {"type": "open_app", "app": "x.y"},
        click,
    ]
