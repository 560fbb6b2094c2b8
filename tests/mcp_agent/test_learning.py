"""A job that was done once is known: what is learned of it, what is not, and what it saves."""

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import delete

from core import conversations
from core.devices import store as devices
from core.memory import actions, experiences
from core.memory.actions import Action
from core.model_profiles import ProfileBook
from core.models import RunLesson
from core.runs import store
from mcp_agent.learner import Learner
from mcp_agent.lessons import Lesson
from mcp_agent.runner import RunStart
from tests.fixtures_mcp import McpHouse
from tests.mcp_agent.conftest import Desk, Settings
from tests.policy_model import Call, PolicyModel, Refusal, Reply, Request, tool_texts
from tests.stack import wait_for
from virtual_phone.adb_server import AdbServer
from virtual_phone.profile import Profile
from virtual_phone.testing import PhoneHandle, VirtualRack

TASK = "进入系统的蓝牙设置页面"
RECIPE = "打开设置，找到蓝牙那一行点进去，看到蓝牙开关就是到了。"
Policy = Callable[[Request], Reply | Refusal]


class School:
    """A desk whose runs are learned from, one at a time, when the test says so."""

    def __init__(self, desk: Desk, settings: Settings) -> None:
        self.desk = desk
        self.make_settings = settings
        self.lessons: list[Lesson] = []
        self.came = threading.Event()
        self.learner = Learner(desk.instance, lambda: desk.settings)
        desk.runner.learn = self._take

    def _take(self, lesson: Lesson) -> None:
        self.lessons.append(lesson)
        self.came.set()

    def run(self, model: PolicyModel, prompt: str, **asked: Any) -> list[Any]:
        """Do a run, learn from it, and return its events."""
        self.desk.settings = self.make_settings(model.url, profiles=ProfileBook())
        self.came.clear()
        entries = self.desk.run(prompt, **asked)
        assert self.came.wait(10)
        self.learner.learn(self.lessons[-1])
        return entries

    @property
    def card(self) -> dict[str, Any] | None:
        run = self.lessons[-1].run
        card: dict[str, Any] | None = conversations.noted(
            self.desk.instance.db, run.conv_id, run.run_id
        ).get("learned")
        return card

    def known(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = experiences.listing(self.desk.instance.db)["items"]
        return items

    def actions(self) -> list[Action]:
        return actions.most_used(self.desk.instance.db, 100)


@pytest.fixture
def school(desk: Desk, settings: Settings) -> Iterator[School]:
    """Give a desk with an empty memory, and nothing left to learn."""
    db = desk.instance.db
    with db.write() as session:
        session.execute(delete(RunLesson))
        for item in experiences.listing(db)["items"]:
            experiences.remove(session, item["id"])
    for each in actions.most_used(db, 1_000):
        actions.remove(db, each.action_id)
    yield School(desk, settings)


@pytest.fixture
def small(desk: Desk, mcp_house: McpHouse, adb_server: AdbServer) -> Iterator[PhoneHandle]:
    """Connect a second phone, of another size and density, for one test."""
    profile = Profile(serialno="SMALL", width=720, height=1280, density=320)
    with VirtualRack(phones=1, profile=profile) as extra:
        [phone] = extra.phones
        adb_server.connect(phone.address)
        wait_for(
            lambda: phone.address in {each.serial for each in devices.ready(desk.instance.db)},
            "the small phone",
        )
        yield phone
        adb_server.disconnect(phone.address)
        mcp_house.phones.forget(phone.address)


def is_aside(request: Request) -> bool:
    return "tools" not in request


def asked_of(model: PolicyModel) -> list[Request]:
    """Return the requests of the runs themselves, as the server's log has them."""
    return [request for request in model.requests if not is_aside(request)]


def worker(request: Request) -> Reply:
    """Open the Bluetooth page by what the prompt and the tools say; replay what fits."""
    system, done = request["messages"][0]["content"], tool_texts(request)
    known = [each for each in ("打开蓝牙页",) if f"「{each}」" in system]
    if known and not done:
        return Reply(calls=(Call("de_run_action", {"name": known[0]}),))
    if known and done[-1].startswith("Ran"):
        return Reply(content="已经进入蓝牙设置页面。")
    ways = [
        Call("de_ui_tree"),
        Call("de_open_app", {"app": "设置"}),
        Call("de_ui_tree"),
        Call("de_tap_text", {"text": "蓝牙"}),
    ]
    if len(done) < len(ways):
        return Reply(calls=(ways[len(done)],))
    return Reply(content="已经进入蓝牙设置页面。")


def pupil(request: Request) -> Reply:
    """Write a recipe, or name the pieces, from the record alone."""
    said = request["messages"][-1]["content"]
    if "JSON" not in request["messages"][0]["content"]:
        return Reply(content=RECIPE)
    steps = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    action = {"name": "打开蓝牙页", "aliases": ["蓝牙页面"], "steps": steps}
    return Reply(content=json.dumps([action], ensure_ascii=False))


def both(request: Request) -> Reply:
    return pupil(request) if is_aside(request) else worker(request)


def test_the_second_run_of_a_job_is_told_and_makes_fewer_calls(
    school: School, phone: PhoneHandle
) -> None:
    with PolicyModel(both) as model:
        school.run(model, TASK)
        first = len(asked_of(model))
        card = school.card
        phone.reset()
        entries = school.run(model, f"请{TASK}吧")
        second = len(asked_of(model)) - first

    assert card is not None and card["ok"]
    assert card["text"] == "记下了 1 条经验；1 个动作：打开蓝牙页"
    assert card["args"]["experience_id"] == school.known()[0]["id"]
    assert card["args"]["action_ids"] == [each.action_id for each in school.actions()]
    steps = [json.loads(entry.data) for entry in entries if entry.name == "step"]
    assert [step["tool"] for step in steps] == [
        "memory.experiences",
        "memory.actions",
        "de_run_action",
    ]
    answer = conversations.read(school.desk.instance.db, school.lessons[-1].run.conv_id)
    told = answer["messages"][-1]["told"]
    assert [card["tool"] for card in told] == ["memory.experiences", "memory.actions"]
    assert (first, second) == (5, 2)
    assert phone.log()[-1]["label"] == "蓝牙"
    [kept] = school.known()
    assert (kept["hits"], kept["successes"], kept["confidence"]) == (1, 1, 0.667)
    assert (kept["steps"], kept["steps_saved"]) == (4, 3)
    assert kept["tokens_saved"] > 0
    assert (kept["app"], kept["package"]) == ("设置", "com.android.settings")
    assert kept["app_version"] == "1.0"


def test_a_run_teaches_what_was_done_in_it_and_no_word_of_a_screen(
    school: School, phone: PhoneHandle
) -> None:
    with PolicyModel(both) as model:
        entries = school.run(model, TASK)

    aside = [request for request in model.requests if is_aside(request)]
    said = [request["messages"][-1]["content"] for request in aside]
    assert [request["thinking"] for request in aside] == [{"type": "disabled"}] * 2
    assert all(TASK in each and "蓝牙" in each for each in said)
    for word in ("Tapped", "已经进入", "WLAN"):  # a tool's words, the answer's, the screen's
        assert not any(word in each for each in said)
    [action] = school.actions()
    assert (action.name, action.app) == ("打开蓝牙页", "设置")
    assert set(action.aliases) == {"蓝牙页面", TASK}  # it is all of the job, which asks nothing
    assert [step["type"] for step in action.raw] == ["open_app", "click"]
    assert not action.proved  # nothing was checked
    run, card = school.lessons[-1].run, school.card
    assert action.run_id == run.run_id
    stored = store.events(school.desk.instance.db, run.run_id, 0)
    assert [entry.name for entry in stored if entry.terminal] == ["done"]
    assert stored[-1].id == entries[-1].id
    assert card is not None
    assert (card["tool"], card["n"]) == ("memory.learned", 5)
    said_last = conversations.read(school.desk.instance.db, run.conv_id)["messages"][-1]
    assert said_last["learned"] == card
    assert school.learner.newest is not None
    assert school.learner.newest["run_id"] == run.run_id


def test_what_was_added_on_the_way_is_a_part_of_the_job(school: School, phone: PhoneHandle) -> None:
    added = "再看看配对过哪些设备"

    def interrupted(request: Request) -> Reply:
        if not is_aside(request) and not tool_texts(request):
            running = school.desk.runner.snapshot()["run"]
            school.desk.runner.message(running["run_id"], added)
        return both(request)

    with PolicyModel(interrupted) as model:
        school.run(model, TASK)

    assert school.lessons[-1].task == f"{TASK}\n{added}"
    [action] = school.actions()
    assert TASK not in action.aliases  # the first sentence alone asks for less than was done


def test_a_server_that_tells_no_tokens_saves_none(school: School, phone: PhoneHandle) -> None:
    def counting_nothing(request: Request) -> Reply | Refusal:
        if "stream_options" in request:
            return Refusal(400, "unknown field stream_options", "stream_options")
        return both(request)

    with PolicyModel(both) as model:
        school.run(model, TASK)
        model.policy = counting_nothing
        phone.reset()
        school.run(model, TASK)

    [kept] = school.known()
    assert kept["tokens"] > 0
    assert (kept["successes"], kept["steps_saved"], kept["tokens_saved"]) == (1, 3, 0)


def test_a_job_that_was_proved_costs_no_model_call_from_then_on(
    school: School, phone: PhoneHandle
) -> None:
    def proving(request: Request) -> Reply:
        if is_aside(request):
            return pupil(request)
        done = tool_texts(request)
        if len(done) == 4:
            return Reply(calls=(Call("prove", {"checks": [{"text": "蓝牙"}]}),))
        return worker(request)

    with PolicyModel(proving) as model:
        first = school.run(model, TASK)
        phone.reset()
        asked = len(asked_of(model))
        school.run(model, TASK)

    [kept] = school.known()
    assert json.loads(first[-1].data)["verified"] is True
    assert kept["tokens_saved"] == kept["tokens"] > 0
    assert len(asked_of(model)) == asked
    assert phone.log()[-1]["label"] == "蓝牙"


@pytest.mark.parametrize("answer", ["很抱歉，没能找到蓝牙设置。", "Sorry, I could not do it."])
def test_a_job_that_was_not_done_teaches_nothing(
    school: School, phone: PhoneHandle, answer: str
) -> None:
    def giving_up(request: Request) -> Reply:
        done = tool_texts(request)
        return Reply(calls=(Call("de_ui_tree"),)) if not done else Reply(content=answer)

    with PolicyModel(giving_up) as model:
        school.run(model, TASK)

    assert [request for request in model.requests if is_aside(request)] == []
    assert school.card is not None
    assert school.card["text"] == "没有记下经验：这件事没有做成"


def test_a_talk_in_which_nothing_was_done_is_no_lesson(school: School) -> None:
    with PolicyModel(lambda request: Reply(content="你好。")) as model:
        school.run(model, "你好")

    assert len(model.requests) == 1
    assert school.card is None


def test_a_known_job_is_not_learned_again_and_a_failure_counts_against_it(
    school: School, phone: PhoneHandle
) -> None:
    def failing(request: Request) -> Reply:
        done = tool_texts(request)
        return Reply(calls=(Call("de_ui_tree"),)) if not done else Reply(content="没能做到。")

    with PolicyModel(both) as model:
        school.run(model, TASK)
        school.run(model, TASK)
        known_again = school.card
        model.policy = failing
        school.run(model, "进入系统的蓝牙设置那个页面")

    assert known_again is not None and known_again["text"] == "没有记下经验：这件事已经会了"
    assert len([request for request in model.requests if is_aside(request)]) == 2
    [kept] = school.known()
    assert (kept["successes"], kept["failures"]) == (1, 1)


def test_what_was_learned_of_another_version_is_a_hint_only(
    school: School, phone: PhoneHandle
) -> None:
    with PolicyModel(both) as model:
        school.run(model, TASK)
        db = school.desk.instance.db
        [action], [kept] = school.actions(), school.known()
        actions.replayed(db, action, None)  # it would be run first, and without the model
        with db.write() as session:
            actions.mark_stale(session, action.action_id, "", "0.9")
            experiences.mark_stale(session, kept["id"], "", "0.9")
        phone.reset()
        asked = len(asked_of(model))
        school.run(model, TASK)

    [action], [kept] = school.actions(), school.known()
    system = asked_of(model)[asked]["messages"][0]["content"]
    assert "com.android.settings 0.9 → 1.0" in system
    assert kept["app_version"] == action.app_version == "1.0"
    assert action.stale == ""  # the model tried it, and it was done to its end
    assert kept["stale"] == "com.android.settings 0.9 → 1.0"  # nobody went its way again


def test_what_was_learned_on_one_phone_is_replayed_on_a_smaller_one(
    school: School, phone: PhoneHandle, small: PhoneHandle
) -> None:
    with PolicyModel(both) as model:
        school.run(model, TASK)
        [action] = school.actions()
        actions.replayed(school.desk.instance.db, action, None)
        asked = len(asked_of(model))
        run_id = school.desk.runner.start(RunStart(TASK, small.address)).run_id
        entries = school.desk.entries(run_id)

    assert entries[-1].name == "done"
    assert len(asked_of(model)) == asked  # no model call at all
    assert small.log()[-1]["label"] == "蓝牙"
    assert (small.log()[-1]["x"], small.log()[-1]["y"]) != (
        phone.log()[-1]["x"],
        phone.log()[-1]["y"],
    )


def test_a_switch_that_stands_as_it_was_asked_for_is_not_turned_back(
    school: School, phone: PhoneHandle
) -> None:
    phone.start("com.android.settings")
    phone.set("settings.ui", {"stack": ["main", "network"]})
    phone.set("settings.airplane", False)
    with PolicyModel(flies) as model:
        school.run(model, "打开系统的飞行模式开关")
        [action] = school.actions()
        actions.replayed(school.desk.instance.db, action, None)
        taught = len(asked_of(model))
        entries = school.desk.run("打开飞行模式")
        without = len(asked_of(model)) - taught

    replay = [json.loads(each.data) for each in entries if each.name == "step"][-1]
    assert "stands already" in replay["text"]
    assert phone.get("settings.airplane")
    assert without == 0


def flies(request: Request) -> Reply:
    """Turn airplane mode on, and call what was done so."""
    said = request["messages"][-1]["content"]
    if is_aside(request):
        steps = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        action = {"name": "打开飞行模式", "steps": steps}
        asks_pieces = "JSON" in request["messages"][0]["content"]
        recipe = "在网络和互联网页面点飞行模式的开关，看到它打开就是好了。"
        return Reply(content=json.dumps([action], ensure_ascii=False) if asks_pieces else recipe)
    tap = Call("de_tap_text", {"text": "飞行模式", "index": 0})
    return Reply(content="好了。") if tool_texts(request) else Reply(calls=(tap,))
