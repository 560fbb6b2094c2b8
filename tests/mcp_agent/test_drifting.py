"""A job whose app was laid out anew: what was known of it is out of date, and is learned anew."""

from typing import Any

from core.clock import utc_now
from core.memory import evidence, experiences
from mcp_agent.recalling import remembered
from mcp_agent.runner import RunStart
from tests.designing import APP, POST, PROMPT, designs
from tests.mcp_agent.test_learning import School, is_aside, school, small
from tests.policy_model import Call, PolicyModel, Reply, Request, tool_texts
from virtual_phone.testing import PhoneHandle

__all__ = ["school", "small"]

RECIPE = "打开小集，在搜索框里输入咖啡，点旁边的按钮，再点开那篇预算 100 元的帖子。"
REWORDED = f"请{PROMPT}"
NEW = "xiaoji.redesigned"


def reads(request: Request) -> Reply:
    """Go to the post by what the tree shows, and write a recipe of it; no action is kept."""
    if is_aside(request):
        asks_pieces = "JSON" in request["messages"][0]["content"]
        return Reply(content="[]" if asks_pieces else RECIPE)
    reply = designs(request)
    said = tool_texts(request)
    searched = any(text.startswith('Tapped button "搜索"') for text in said)
    if searched and POST not in said[-1] and reply.calls[0].name == "de_tap":
        return Reply(calls=(Call("de_scroll_to", {"text": POST}),))
    handing_in = [call for call in reply.calls if call.name == "submit_task"]
    return Reply(content="打开了。") if handing_in else reply


def gives_up(request: Request) -> Reply:
    """Go on until something was tapped, and say that it did not work."""
    tapped = any(text.startswith("Tapped") for text in tool_texts(request))
    return Reply(content="没能做到。") if tapped else reads(request)


def known(school: School) -> dict[str, Any]:
    [kept] = school.known()
    return kept


def asides(model: PolicyModel) -> int:
    return len([request for request in model.requests if is_aside(request)])


def test_a_run_that_fails_in_an_app_laid_out_anew_flags_what_it_was_told(
    school: School, phone: PhoneHandle
) -> None:
    db = school.desk.instance.db
    with PolicyModel(reads) as model:
        school.run(model, PROMPT)
        phone.reset()
        phone.set(NEW, True)
        model.policy = gives_up
        school.run(model, REWORDED)
        flagged, card = known(school), school.card
        against = evidence.case(db, experiences.get(db, flagged["id"]), utc_now()).evidence
    told = remembered(school.desk.instance, school.lessons[-1].run)

    assert flagged["stale"] == "应用的界面变了：当时的 1 个界面，后来只遇到 0 个"
    assert [each.code for each in against] == ["stale"]
    assert card is not None and not card["ok"]
    assert card["text"].startswith("1 条经验与应用现在的界面不符，已标为过时；没有记下经验")
    assert told.prompt is not None and "仅作提示：应用的界面变了" in told.prompt
    assert told.known == ()  # so that the next run that goes well is learned from


def test_a_run_that_succeeds_in_an_app_laid_out_anew_renews_what_it_was_told(
    school: School, phone: PhoneHandle
) -> None:
    with PolicyModel(reads) as model:
        school.run(model, PROMPT)
        first = asides(model), school.lessons[-1].run.run_id
        phone.reset()
        phone.set(NEW, True)
        school.run(model, REWORDED)
        second, card = asides(model), school.card
        phone.reset()
        phone.set(NEW, True)
        school.run(model, REWORDED)

    assert card is not None and card["ok"]
    assert card["text"] == "1 条经验与应用现在的界面不符，已标为过时；更新了 1 条同类经验"
    kept = known(school)
    assert kept["stale"] == ""
    assert kept["run_id"] == school.lessons[1].run.run_id != first[1]
    assert (first[0], second, asides(model)) == (2, 4, 4)  # the third run taught nothing new
    assert school.card is not None
    assert school.card["text"] == "没有记下经验：这件事已经会了"


def test_another_size_and_another_state_of_the_app_leave_it_as_it_was(
    school: School, phone: PhoneHandle, small: PhoneHandle
) -> None:
    small.set("settings.dark_mode", True)
    small.set("xiaoji.ui.query", "露营")
    small.set("xiaoji.ui.searched", "露营")

    with PolicyModel(reads) as model:
        school.run(model, PROMPT)
        school.came.clear()
        run_id = school.desk.runner.start(RunStart(REWORDED, small.address)).run_id
        school.desk.entries(run_id)
        assert school.came.wait(10)
        school.learner.learn(school.lessons[-1])

    assert small.get("xiaoji.ui.page") == "post"
    assert [screen.app for screen in school.lessons[-1].screens][-1] == APP
    kept = known(school)
    assert (kept["stale"], kept["successes"], asides(model)) == ("", 1, 2)
