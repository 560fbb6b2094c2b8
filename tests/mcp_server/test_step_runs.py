"""Steps are carried out next to the phone and told line by line over the loopback."""

import io
import threading
import time
from typing import Any

import pytest
from PIL import Image

from core.devices import lease
from core.devices.lease import Claim
from core.errors import ElementGone, Invalid, LeaseLost, NeedsHuman
from core.steps import nag_rules
from core.steps.lines import Asked, Began, Ended, Shot, StepLine
from core.steps.nags import Nag
from core.steps.record import StepRecord
from tests.fixtures_mcp import McpHouse
from tests.stack import wait_for
from virtual_phone.testing import PhoneHandle

OWNER = "task-run-1"
OPEN = {"type": "open_app", "app": "设置"}
BLUETOOTH = {"type": "click", "selector": {"text": "{{page}}"}}
SEND = {"type": "click", "selector": {"description": "发送"}}
LONG = {"type": "wait", "seconds": 60}


def hold(house: McpHouse, phone: PhoneHandle) -> int:
    with house.instance.db.write() as session:
        return lease.take(session, phone.serialno, Claim("task", OWNER, "task"))


def run(house: McpHouse, phone: PhoneHandle, asked: Asked) -> list[StepLine]:
    fence = hold(house, phone)
    return list(house.phones.steps(house.serial, asked, OWNER, fence))


def of(kind: type, told: list[StepLine]) -> list[Any]:
    return [line for line in told if isinstance(line, kind)]


def test_each_step_is_told_and_the_last_line_is_the_verdict(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    title = {"type": "extract", "selector": {"text": "蓝牙"}, "into": "title"}
    steps = [OPEN, BLUETOOTH, title, {"type": "screenshot", "name": "shop"}]

    told = run(mcp_house, phone, Asked(steps, {"page": "蓝牙"}))

    assert [(each.path, each.status) for each in of(StepRecord, told)] == [
        (f"steps.{at}", "ok") for at in range(4)
    ]
    assert [each.path for each in of(Began, told)] == [f"steps.{at}" for at in range(4)]
    assert told[-1] == Ended("success", {"page": "蓝牙", "title": "蓝牙"})
    [shot] = of(Shot, told)
    assert (shot.path, shot.name) == ("steps.3", "shop")
    assert Image.open(io.BytesIO(shot.jpeg)).size[1] <= 960
    assert phone.log()[-1]["label"] == "蓝牙"


def test_a_run_goes_on_at_a_later_step_with_what_was_extracted(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start("com.android.settings")
    steps = [{"type": "click", "selector": {"text": "没有"}}, BLUETOOTH]

    told = run(mcp_house, phone, Asked(steps, {"page": "蓝牙"}, first=1))

    assert [each.path for each in of(StepRecord, told)] == ["steps.1"]
    assert told[-1].verdict == "success"  # type: ignore[union-attr]


def test_a_step_that_fails_comes_with_its_screen_in_words_and_as_a_picture(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    wrong = {"type": "click", "selector": {"text": "蓝牙耳机"}, "timeout_s": 0.1}
    steps = [OPEN, {"type": "repeat", "times": 2, "steps": [wrong]}]

    told = run(mcp_house, phone, Asked(steps))

    end = told[-1]
    assert isinstance(end, Ended)
    assert (end.verdict, end.path) == ("failed", "steps.1.steps.0")
    assert isinstance(end.error, ElementGone)
    assert "蓝牙" in end.seen
    assert [shot.path for shot in of(Shot, told)] == ["steps.1.steps.0"]


def test_a_picture_of_every_step_is_told_where_that_is_asked_for(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    steps = [OPEN, {"type": "press_key", "key": "home"}]

    told = run(mcp_house, phone, Asked(steps, pictures="all"))

    assert [shot.path for shot in of(Shot, told)] == ["steps.0", "steps.1"]


@pytest.mark.parametrize(
    ("autonomy", "verdict"), [("confirm_risky", "failed"), ("auto", "success")]
)
def test_a_risky_step_is_done_only_where_somebody_answers_for_it(
    mcp_house: McpHouse, phone: PhoneHandle, autonomy: str, verdict: str
) -> None:
    phone.start("com.android.messaging")
    phone.set("messages.ui", {**phone.get("messages.ui"), "page": "thread", "thread": 1})
    field = {"className": "android.widget.EditText"}
    write = {"type": "input_text", "text": "{{words}}", "selector": field}
    steps = [write, SEND]

    told = run(mcp_house, phone, Asked(steps, {"words": "你好"}, autonomy=autonomy))

    end = told[-1]
    assert isinstance(end, Ended)
    assert end.verdict == verdict
    assert isinstance(end.error, NeedsHuman) == (verdict == "failed")


def test_what_a_person_made_a_rule_of_is_pressed_away(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    missing = {"type": "click", "selector": {"text": "没有"}, "timeout_s": 0.5}
    nag_rules.save(mcp_house.instance.db, [Nag("bluetooth", "蓝牙.*", over="settings")])

    told = run(mcp_house, phone, Asked([OPEN, missing], pictures="none"))
    nag_rules.reset(mcp_house.instance.db)

    assert {note.code for note in of(StepRecord, told)[1].notes} == {"closed"}
    assert phone.log()[0]["label"] == "蓝牙"


def test_it_ends_at_once_when_the_lease_is_lost(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    fence = hold(mcp_house, phone)
    told = mcp_house.phones.steps(mcp_house.serial, Asked([LONG]), OWNER, fence)
    assert next(told) == Began("steps.0")

    with mcp_house.instance.db.write() as session:
        lease.release(session, OWNER)

    begun = time.monotonic()
    rest = list(told)
    assert [line.verdict for line in of(Ended, rest)] == ["stopped"]
    assert time.monotonic() - begun < 10  # and not the 60 s that it would have waited


def test_it_ends_when_its_reader_goes(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    taps = {"type": "repeat", "times": 100, "steps": [{"type": "press_key", "key": "volume_up"}]}
    fence = hold(mcp_house, phone)
    told = mcp_house.phones.steps(mcp_house.serial, Asked([taps]), OWNER, fence)
    next(told)

    told.close()  # type: ignore[attr-defined]

    seen = [-1]

    def is_still() -> bool:
        seen.append(len(phone.log()))
        time.sleep(0.3)
        return len(phone.log()) == seen[-1]

    wait_for(is_still, "the end of the touches")
    assert len(phone.log()) < 100


def test_it_is_stopped_by_its_reader(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    stop = threading.Event()
    fence = hold(mcp_house, phone)
    told = mcp_house.phones.steps(mcp_house.serial, Asked([LONG]), OWNER, fence, stop)
    next(told)

    stop.set()

    assert list(told) == [Ended("stopped", {})]


def test_what_does_not_fit_is_refused_before_anything_is_done(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    fence = hold(mcp_house, phone)

    with pytest.raises(Invalid) as wrong:
        list(mcp_house.phones.steps(mcp_house.serial, Asked([{"type": "click"}]), OWNER, fence))
    with pytest.raises(LeaseLost):
        list(mcp_house.phones.steps(mcp_house.serial, Asked([OPEN]), OWNER, fence + 1))

    assert wrong.value.path == "steps.0.selector"
    assert phone.log() == []
