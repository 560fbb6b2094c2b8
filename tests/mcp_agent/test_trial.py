"""Saved actions are tried at night, on a phone that nobody uses, and only where that is allowed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import delete

from core.devices import lease
from core.devices.lease import Claim
from core.devices.remote import RemotePhones
from core.memory import actions, audit, experiences
from core.memory.actions import NewAction, Origin
from core.memory.experiences import NewExperience
from core.models import Experience, ExperienceAudit
from core.settings import AgentSettings
from mcp_agent.abort import Abort
from mcp_agent.review import review
from mcp_agent.trial import try_out
from tests.fixtures_mcp import McpHouse
from tests.stack import free_port, wait_for
from virtual_phone.testing import PhoneHandle

OPEN = {"type": "open_app", "app": "设置"}
WORKS = [OPEN, {"type": "click", "selector": {"text": "蓝牙"}}]
MOVED = [OPEN, {"type": "click", "selector": {"text": "赚金币"}, "timeout_s": 1}]


def save(house: McpHouse, name: str, steps: object, run_id: str = "r1") -> str:
    db = house.instance.db
    with db.write() as session:
        made = actions.add(session, NewAction(name, steps), Origin(run_id=run_id))
        return made.action_id


def labels(phone: PhoneHandle) -> list[str]:
    return [touch["label"] for touch in phone.log() if "label" in touch]


@pytest.fixture(autouse=True)
def empty_libraries(mcp_house: McpHouse) -> Iterator[None]:
    """Have nothing saved but what a test saves: the house serves other tests as well."""

    def empty() -> None:
        for item in actions.listing(mcp_house.instance.db)["items"]:
            actions.remove(mcp_house.instance.db, item["id"])
        with mcp_house.instance.db.write() as session:
            session.execute(delete(Experience))
            session.execute(delete(ExperienceAudit))

    empty()
    yield
    empty()


def test_what_works_is_proved_and_what_does_not_is_a_hint_only(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    db = mcp_house.instance.db
    works, moved = save(mcp_house, "打开蓝牙页", WORKS), save(mcp_house, "领金币", MOVED)
    brought = save(mcp_house, "别人的动作", WORKS, run_id="")

    tried = try_out(db, mcp_house.phones, "zh", Abort())
    again = try_out(db, mcp_house.phones, "zh", Abort())

    assert (tried, again) == (2, 0)
    assert actions.get(db, works).proved
    assert not actions.get(db, brought).proved  # nobody here has ever done or replayed it
    assert "赚金币" in actions.get(db, moved).stale
    assert lease.all_held(db) == {}


def test_a_phone_in_somebodys_hands_is_left_alone(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    db = mcp_house.instance.db
    save(mcp_house, "打开蓝牙页", WORKS)
    with db.write() as session:
        lease.take(session, phone.serialno, Claim("human", "user", "a person"))
    before = len(phone.log())

    tried = try_out(db, mcp_house.phones, "zh", Abort())

    assert (tried, len(phone.log())) == (0, before)
    with db.write() as session:
        lease.release(session, "user")


def test_a_phone_that_cannot_be_reached_is_logged_and_speaks_against_no_action(
    mcp_house: McpHouse, caplog: pytest.LogCaptureFixture
) -> None:
    db = mcp_house.instance.db
    kept = save(mcp_house, "打开蓝牙页", WORKS)
    nowhere = RemotePhones(free_port(), "secret", 1)

    tried = try_out(db, nowhere, "zh", Abort())

    assert tried == 1
    assert "经验巡检: 动作回放 打开蓝牙页: " in caplog.text
    assert not actions.get(db, kept).stale


@pytest.mark.soak
def test_a_server_that_is_killed_while_it_tries_an_action_speaks_against_none(
    mcp_house: McpHouse, phone: PhoneHandle, caplog: pytest.LogCaptureFixture
) -> None:
    db = mcp_house.instance.db
    kept = save(mcp_house, "等一等", [*WORKS, {"type": "wait", "seconds": 60}])
    before = actions.get(db, kept)

    with ThreadPoolExecutor(1) as pool:
        trying = pool.submit(try_out, db, mcp_house.phones, "zh", Abort())
        wait_for(lambda: labels(phone) == ["蓝牙"], "the tap")
        mcp_house.process.kill()
        tried = trying.result(30)
    held = lease.all_held(db)
    mcp_house.process.wait(10)
    mcp_house.restart()

    assert (tried, held) == (1, {})
    assert actions.get(db, kept) == before
    assert "动作回放 等一等" in caplog.text
    assert labels(phone) == ["蓝牙"]


def test_a_review_that_may_try_actions_knows_what_no_longer_works(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    db = mcp_house.instance.db
    save(mcp_house, "领金币", MOVED, run_id="run1")
    with db.write() as session:
        kept = experiences.add(session, NewExperience("领金币", "点赚金币。", run_id="run1"))
    may_not = review(mcp_house.instance, AgentSettings(), "zh", mcp_house.phones)
    allowed = AgentSettings(agent_audit_replay=True)

    told = review(mcp_house.instance, allowed, "zh", mcp_house.phones)

    assert (may_not["suggested"], told["suggested"]) == (0, 1)
    [asked] = audit.queue(db, "zh")["items"]
    assert asked["experience_id"] == kept.experience_id
    assert [each["code"] for each in asked["evidence"]] == ["replay"]
