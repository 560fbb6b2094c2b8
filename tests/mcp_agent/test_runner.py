"""Runs over the real MCP server and the virtual phone: carried, stopped, cleaned up."""

import io
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest
from PIL import Image

from core import artifacts, conversations
from core.devices import lease
from core.errors import DeviceBusy, RunOver, SlotBusy
from core.inbox import queue
from core.runs import store
from core.runs.events import Activity, ProviderEvent, TextDelta, ToolStarted, TurnResult
from core.runs.log import BOOT_SHIFT, Entry
from core.runs.record import RunRequest
from core.settings import AgentSettings
from core.words import Lang
from mcp_agent import carrier, pulse
from mcp_agent.providers.base import PROVIDERS, Health, ProviderCaps, QueryInput, closed
from tests.mcp_agent.conftest import Desk, Settings, data, names
from tests.policy_model import Call, PolicyModel, Reply, Request, last_user, tool_texts
from tests.stack import free_port
from virtual_phone.testing import PhoneHandle


def wifi_policy(request: Request) -> Reply:
    """Turn Wi-Fi off as a model would that reads only what the tools told it."""
    seen = tool_texts(request)
    now = seen[-1] if seen else ""
    if not seen:
        return Reply(reasoning="I look first.", calls=(Call("de_ui_tree"),))
    if 'switch "Wi-Fi' in now and " off" in now.partition('switch "Wi-Fi')[2].partition("\n")[0]:
        return Reply(content="Wi-Fi 已关闭。")
    if 'switch "Wi-Fi' in now:
        return Reply(calls=(Call("de_tap_text", {"text": "Wi-Fi"}), Call("de_ui_tree")))
    if "网络和互联网" in now:
        return Reply(calls=(Call("de_tap_text", {"text": "网络和互联网"}), Call("de_ui_tree")))
    return Reply(calls=(Call("de_open_app", {"app": "设置"}), Call("de_ui_tree")))


def test_a_run_without_a_model_does_it_and_says_so(desk: Desk, phone: PhoneHandle) -> None:
    entries = desk.run("打开设置，把 Wi-Fi 关掉")

    assert phone.get("settings.wifi") is False
    assert names(entries)[0] == "route"
    assert names(entries).count("done") == 1
    assert "「Wi-Fi」已关闭" in data(entries[-1])["answer"]
    started = [data(e)["n"] for e in entries if e.name == "step_started"]
    assert started == list(range(1, len(started) + 1))


def test_each_touch_has_a_picture_of_before_and_of_what_came_of_it(
    desk: Desk, phone: PhoneHandle
) -> None:
    entries = desk.run("打开设置，把 Wi-Fi 关掉")

    acts = [data(e) for e in entries if e.name == "step" and data(e)["tool"] != "de_ui_tree"]
    assert len(acts) > 2
    for act in acts:
        assert act["before"] != act["image"]
        for address in (act["before"], act["image"]):
            stored = artifacts.find(desk.instance, address.rsplit("/", 1)[1])
            assert 360 < max(Image.open(io.BytesIO(stored.path.read_bytes())).size) <= 800
    kept = {act["image"] for act in acts} | {acts[0]["before"]}
    assert {act["before"] for act in acts[1:]} <= kept, "what did not change was kept twice"


def test_an_act_that_changes_nothing_keeps_no_second_picture(desk: Desk) -> None:
    desk.run("回到桌面")

    entries = desk.run("回到桌面")

    begun = next(data(e) for e in entries if e.name == "step_started")
    act = next(data(e) for e in entries if e.name == "step" and data(e)["tool"] == "de_press_key")
    assert act["before"] == act["image"]
    assert (act["status"], act["started"]) == ("ok", begun["started"])


def test_a_model_drives_the_phone_through_the_tools(
    desk: Desk, phone: PhoneHandle, settings: Settings
) -> None:
    with PolicyModel(wifi_policy) as model:
        desk.settings = settings(model.url)
        run_id = desk.start("关掉 Wi-Fi")
        entries = desk.entries(run_id)
        desk.run("谢谢", conv_id=store.get(desk.instance.db, run_id).conv_id)

    assert phone.get("settings.wifi") is False
    usage = data(entries[-1])["usage"]
    assert usage["calls"] == 5
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    message = _messages(desk, run_id)[1]
    assert (message["content"], message["reasoning"]) == ("Wi-Fi 已关闭。", "I look first.")
    assert "I look first." not in json.dumps(model.requests)
    roles = [(m["role"], m["content"]) for m in model.requests[5]["messages"][1:]]
    assert roles[:3] == [("user", "关掉 Wi-Fi"), ("assistant", "Wi-Fi 已关闭。"), ("user", "谢谢")]


def test_whoever_read_the_end_can_start_the_next_run(desk: Desk) -> None:
    for _ in range(3):
        desk.run("屏幕上有什么？")

    assert lease.all_held(desk.instance.db) == {}
    assert desk.runner.snapshot() == {"running": False, "run": None, "runs": []}


def test_a_second_run_is_refused_while_one_goes_on(desk: Desk, settings: Settings) -> None:
    with PolicyModel(lambda request: Reply(hang_s=20)) as model:
        desk.settings = settings(model.url)
        run_id = desk.start("一")
        assert model.asked.wait(10)

        with pytest.raises((DeviceBusy, SlotBusy)) as caught:
            desk.start("二")
        desk.runner.stop(run_id)
        desk.entries(run_id)

    assert "一" in caught.value.details["holder"]


def test_every_reader_sees_the_same_events_and_so_does_the_database(desk: Desk) -> None:
    run_id = desk.start("打开设置")
    readers: list[list[Entry]] = [[], []]
    threads = [
        threading.Thread(target=lambda mine=mine: mine.extend(desk.entries(run_id)))
        for mine in readers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert readers[0] == readers[1]
    assert store.events(desk.instance.db, run_id, 0) == readers[0]


def test_a_follow_up_reaches_the_running_model(desk: Desk, settings: Settings) -> None:
    added = threading.Event()

    def policy(request: Request) -> Reply:
        if last_user(request) == "换成英文":
            return Reply(content="In English.")
        if len(model.requests) > 1:
            added.wait(10)
        return Reply(calls=(Call("de_current_app"),))

    with PolicyModel(policy) as model:
        desk.settings = settings(model.url)
        run_id = desk.start("看一看")
        desk.entries(run_id, until="step_started")
        desk.runner.message(run_id, "换成英文")
        added.set()
        entries = desk.entries(run_id)

    assert data(entries[-1])["answer"] == "In English."
    names = [entry.name for entry in entries if entry.name in ("message", "taken")]
    said, taken = (data(e) for e in entries if e.name in names)
    assert names == ["message", "taken"]
    assert (said["text"], said["from"]) == ("换成英文", "user")
    assert taken == {"message_ids": [said["message_id"]]}
    assert queue.followups(desk.instance.db, run_id) == []
    with pytest.raises(RunOver):
        desk.runner.message(run_id, "zu spät")


def test_a_follow_up_that_came_too_late_is_answered_by_the_next_run(
    desk: Desk, settings: Settings
) -> None:
    def policy(request: Request) -> Reply:
        if last_user(request) == "换成英文":
            return Reply(content="In English.")
        if "tools" in request:
            return Reply(calls=(Call("de_current_app"),))
        desk.runner.message(run_id, "换成英文")  # the last model call of this run is under way
        return Reply(content="做了一半。")

    with PolicyModel(policy) as model:
        desk.settings = settings(model.url, agent_max_steps=1)
        run_id = desk.start("看一看")
        first = desk.entries(run_id)
        second = desk.entries(store.history(desk.instance.db, 1)[0].run_id)

    assert data(first[-1])["answer"] == "做了一半。"
    assert [e.name for e in first if e.name in ("message", "taken")] == ["message"]
    assert data(second[-1])["answer"] == "In English."
    said = [(m["role"], m["content"]) for m in _messages(desk, run_id)]
    assert said[1:] == [
        ("assistant", "做了一半。"),
        ("user", "换成英文"),
        ("assistant", "In English."),
    ]
    assert lease.all_held(desk.instance.db) == {}


def test_at_the_step_limit_the_run_ends_with_a_summary(desk: Desk, settings: Settings) -> None:
    def policy(request: Request) -> Reply:
        return Reply(calls=(Call("de_current_app"),)) if "tools" in request else Reply(content="半")

    with PolicyModel(policy) as model:
        desk.settings = settings(model.url, agent_max_steps=2)
        entries = desk.run("做很多")

    assert len(model.requests) == 3
    assert data(entries[-1])["answer"] == "半"
    assert "step_limit" in [data(e)["code"] for e in entries if e.name == "notice"]


def test_a_model_without_a_key_ends_the_run_with_words(desk: Desk, settings: Settings) -> None:
    desk.settings = settings(agent_provider="openai", agent_model="")

    entries = desk.run("打开设置", lang="en")

    assert names(entries)[-1] == "error"
    assert data(entries[-1])["code"] == "model_unset"
    assert "configuration" in data(entries[-1])["hint"]


def test_a_dead_mcp_server_is_said_in_words(desk: Desk, settings: Settings) -> None:
    config = desk.instance.config.model_copy(update={"phonedeck_mcp_port": free_port()})
    desk.runner.instance = type(desk.instance)(config, desk.instance.db, desk.instance.key)

    entries = desk.run("打开设置")

    assert data(entries[-1])["code"] == "mcp_unreachable"
    assert str(config.phonedeck_mcp_port) in data(entries[-1])["message"]
    assert store.history(desk.instance.db, 1)[0].status == "failed"


def test_a_run_that_takes_too_long_ends_as_such(
    desk: Desk, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carrier, "RUN_LIMIT_S", 0.3)
    with PolicyModel(lambda request: Reply(hang_s=20)) as model:
        desk.settings = settings(model.url)
        entries = desk.run("慢慢来")

    assert data(entries[-1])["code"] == "run_timeout"


def test_a_run_that_lost_its_phone_ends_as_such(
    desk: Desk, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulse, "RENEW_S", 0.1)
    with PolicyModel(lambda request: Reply(hang_s=20)) as model:
        desk.settings = settings(model.url)
        run_id = desk.start("慢慢来")
        assert model.asked.wait(10)
        with desk.instance.db.write() as session:
            lease.release(session, run_id)
        entries = desk.entries(run_id)

    assert data(entries[-1])["code"] == "lease_lost"


def test_a_brain_without_a_sign_of_life_is_given_up(
    desk: Desk, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulse, "RENEW_S", 0.1)
    monkeypatch.setattr(pulse, "SILENCE_S", 0.3)
    with PolicyModel(lambda request: Reply(hang_s=20)) as model:
        desk.settings = settings(model.url)
        entries = desk.run("慢慢来")

    assert data(entries[-1])["code"] == "provider_silent"


def test_what_a_crash_left_open_is_closed_at_the_next_start(desk: Desk) -> None:
    db = desk.instance.db
    desk.close()
    run_id = store.start(db, _request(desk, lang="en"), slots=1).run_id
    store.begin(db, run_id)

    again = Desk(desk.instance, desk.serial, desk.settings).open()
    try:
        entries = again.entries(run_id)
    finally:
        again.close()

    assert data(entries[-1])["code"] == "interrupted"
    assert "restarted" in data(entries[-1])["message"]
    assert entries[-1].id > again.logs.boot << BOOT_SHIFT
    assert lease.all_held(db) == {}


def test_what_nobody_had_begun_runs_after_a_crash(desk: Desk, phone: PhoneHandle) -> None:
    desk.close()
    run_id = store.start(desk.instance.db, _request(desk), slots=1).run_id

    again = Desk(desk.instance, desk.serial, desk.settings).open()
    try:
        entries = again.entries(run_id)
    finally:
        again.close()

    assert entries[-1].name == "done"


def test_the_end_of_the_console_interrupts_what_runs(desk: Desk, settings: Settings) -> None:
    with PolicyModel(lambda request: Reply(hang_s=20)) as model:
        desk.settings = settings(model.url)
        run_id = desk.start("慢慢来")
        assert model.asked.wait(10)

        desk.runner.shutdown()

    assert data(desk.entries(run_id)[-1])["code"] == "interrupted"


class OddProvider:
    """A brain that misbehaves; ``how`` says in which way."""

    name = "odd"
    caps = ProviderCaps()

    def __init__(self, how: Callable[[QueryInput], Iterator[ProviderEvent]]) -> None:
        self.how = how

    def check(self, settings: AgentSettings) -> Health:
        return Health(True, self.name)

    def query(self, query: QueryInput) -> "OddQuery":
        return OddQuery(self.how(query))

    def is_session_invalid(self, result: object) -> bool:
        return False

    def should_rotate(self, continuation: str) -> str | None:
        return None

    def close(self) -> None:
        pass


class OddQuery:
    """Its query, which does not listen to anybody."""

    def __init__(self, events: Iterator[ProviderEvent]) -> None:
        self._events = events

    def push(self, text: str, input_id: str) -> Literal["injected", "queued"]:
        return "queued"

    def end(self) -> None:
        pass

    def abort(self, reason: str) -> None:
        pass

    def answer(self, question_id: str, value: str) -> None:
        pass

    def events(self) -> Iterator[ProviderEvent]:
        return self._events


@pytest.fixture
def odd(desk: Desk, settings: Settings) -> Iterator[Callable[..., Desk]]:
    """Let the desk's runs be driven by an odd brain."""

    def use(how: Callable[[QueryInput], Iterator[ProviderEvent]]) -> Desk:
        PROVIDERS._things["odd"] = lambda: OddProvider(how)
        carrier.provider.cache_clear()
        desk.settings = settings(agent_provider="odd")
        return desk

    yield use
    PROVIDERS._things.pop("odd", None)
    carrier.provider.cache_clear()


def raises(query: QueryInput) -> Iterator[ProviderEvent]:
    yield ToolStarted("a", "de_tap", {})
    raise KeyError("bug")


def ends_early(query: QueryInput) -> Iterator[ProviderEvent]:
    yield Activity()


@pytest.mark.parametrize(("how", "code"), [(raises, "internal"), (ends_early, "provider_failed")])
def test_a_broken_provider_ends_its_run_and_not_the_runner(
    odd: Callable[..., Desk], how: Any, code: str
) -> None:
    desk = odd(how)

    first, second = desk.run("一"), desk.run("二")

    assert [data(entries[-1])["code"] for entries in (first, second)] == [code, code]


def test_a_brain_may_tell_by_its_result_which_messages_it_took_in(odd: Callable[..., Desk]) -> None:
    added: list[str] = []
    pushed = threading.Event()

    def tells_late(query: QueryInput) -> Iterator[ProviderEvent]:
        yield ToolStarted("a", "de_current_app", {})
        pushed.wait(20)
        yield TurnResult("ok", "都做了。", consumed=(query.input_id, *added))

    desk = odd(tells_late)
    run_id = desk.start("一")
    desk.entries(run_id, until="step_started")
    added.append(desk.runner.message(run_id, "二"))
    pushed.set()
    entries = desk.entries(run_id)

    taken = [data(entry) for entry in entries if entry.name == "taken"]
    assert taken == [{"message_ids": added}]
    assert store.history(desk.instance.db, 1)[0].run_id == run_id  # no other run follows


def test_the_log_keeps_what_kind_of_failure_ended_a_run(
    odd: Callable[..., Desk], caplog: pytest.LogCaptureFixture
) -> None:
    def refused(query: QueryInput) -> Iterator[ProviderEvent]:
        yield TurnResult("error", error_class="model_rate", http_status=429)
        yield closed("model_rate")

    odd(refused).run("一")

    assert "odd failed: model_rate (rate, http status 429), the same may do better" in caplog.text


def test_a_provider_that_does_not_stop_is_left_behind(odd: Callable[..., Desk]) -> None:
    let_go, over = threading.Event(), threading.Event()

    def deaf(query: QueryInput) -> Iterator[ProviderEvent]:
        yield ToolStarted("a", "de_current_app", {})
        let_go.wait(20)
        yield TextDelta("too late")
        over.set()

    desk = odd(deaf)
    run_id = desk.start("听不见")
    desk.entries(run_id, until="step_started")

    desk.runner.stop(run_id)
    last = desk.entries(run_id)[-1]
    let_go.set()

    assert (last.name, data(last)["stopped"]) == ("done", True)
    assert lease.all_held(desk.instance.db) == {}
    assert over.wait(10)
    assert desk.logs.read(run_id, last.id) == []


def _request(desk: Desk, lang: Lang = "zh") -> RunRequest:
    return RunRequest(
        prompt="屏幕上有什么？",
        serial=desk.serial,
        conv_id=None,
        mode="chat",
        channel="phone",
        provider="offline",
        autonomy="auto",
        max_steps=40,
        lang=lang,
    )


def _messages(desk: Desk, run_id: str) -> list[dict[str, Any]]:
    db = desk.instance.db
    return list(conversations.read(db, store.get(db, run_id).conv_id)["messages"])
