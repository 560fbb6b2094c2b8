"""Task runs on a real virtual phone: done without a model, ended once, and never begun twice."""

import time
from typing import Any

from sqlalchemy import update

from core import artifacts
from core.clock import utc_now
from core.devices import lease
from core.devices.lease import Claim
from core.models import Device, TaskRun
from core.tasks import groups, line, store
from core.tasks.groups import Start
from mcp_agent.task_carrier import Failure
from tests.fixtures_mcp import McpHouse
from tests.mcp_agent.tasking import LONG, OPEN, Shop, click
from tests.stack import wait_for
from virtual_phone.testing import PhoneHandle

WRONG = click("没有这个", timeout_s=0.1)


def is_free(house: McpHouse, phone: PhoneHandle) -> bool:
    return lease.holder_of(house.instance.db, phone.serialno) is None


def test_a_run_does_its_steps_and_keeps_what_came_of_each(
    shop: Shop, mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    title = {"type": "extract", "selector": {"text": "蓝牙"}, "into": "title"}
    steps = [OPEN, click("{{page}}"), title, {"type": "screenshot", "name": "page"}]

    run = shop.run(*steps, inputs={"page": "蓝牙"})

    assert (run["status"], run["error"], run["values"]["title"]) == ("success", None, "蓝牙")
    assert [(step["path"], step["status"]) for step in run["steps"]] == [
        (f"steps.{at}", "ok") for at in range(4)
    ]
    [picture] = run["steps"][3]["pictures"]
    kept = artifacts.find(mcp_house.instance, picture["url"].rsplit("/", 1)[1])
    assert (picture["name"], kept.path.read_bytes()[:2]) == ("page", b"\xff\xd8")
    assert is_free(mcp_house, phone)


def test_an_optional_step_that_fails_makes_the_run_partial(shop: Shop) -> None:
    assert shop.run(OPEN, {**WRONG, "optional": True})["status"] == "partial"


def test_a_step_that_fails_ends_the_run_with_its_screen(shop: Shop) -> None:
    run = shop.run(OPEN, WRONG, OPEN)

    assert (run["status"], run["path"], run["error"]["code"]) == (
        "failed",
        "steps.1",
        "element_gone",
    )
    assert "蓝牙" in run["seen"]
    assert len(run["steps"][1]["pictures"]) == 1
    assert len(run["steps"]) == 2


def test_a_risky_step_needs_a_person_unless_the_task_may_do_such(
    shop: Shop, phone: PhoneHandle
) -> None:
    def stand_in_a_thread() -> None:
        phone.start("com.android.messaging")
        ui = {**phone.get("messages.ui"), "page": "thread", "thread": 1}
        phone.set("messages.ui", ui)

    write = {
        "type": "input_text",
        "text": "我到了",
        "selector": {"className": "android.widget.EditText"},
    }
    send = {"type": "click", "selector": {"description": "发送"}}
    stand_in_a_thread()
    refused = shop.run(write, send)
    stand_in_a_thread()
    allowed = shop.run({**write, "clear": True}, send, policy={"may_risk": True})

    assert (refused["status"], refused["path"]) == ("needs_human", "steps.1")
    assert "this sends something" in refused["error"]["message"]
    assert allowed["status"] == "success"


def test_a_run_that_failed_is_begun_anew_as_often_as_its_policy_says(shop: Shop) -> None:
    run = shop.run(WRONG, policy={"retries": 2, "retry_after_s": 0})

    assert (run["status"], run["attempt"], len(run["steps"])) == ("failed", 3, 1)


def test_a_run_ends_when_its_time_is_up(shop: Shop) -> None:
    run = shop.run(LONG, policy={"timeout_s": 1})

    assert (run["status"], run["error"]["code"]) == ("failed", "run_timeout")


def test_a_stop_frees_the_phone_within_a_second(
    shop: Shop, mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    [run_id] = shop.start(shop.save(LONG)).run_ids
    shop.at(run_id, "steps.0")

    begun = time.monotonic()
    shop.runner.stop(line.stop(shop.db, run_id))

    wait_for(lambda: is_free(mcp_house, phone), "the phone")
    assert time.monotonic() - begun < 5  # the step would have waited for a minute
    assert shop.ended(run_id)["status"] == "stopped"


def test_a_task_that_is_deleted_while_it_runs_ends_its_run(
    shop: Shop, mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    task = shop.save(LONG)
    [run_id] = shop.start(task).run_ids
    shop.at(run_id, "steps.0")

    shop.runner.stop(store.remove(shop.db, task.task_id))

    assert shop.ended(run_id)["status"] == "stopped"
    assert is_free(mcp_house, phone)


def test_a_busy_phone_is_waited_for(shop: Shop, phone: PhoneHandle) -> None:
    with shop.db.write() as session:
        lease.take(session, phone.serialno, Claim("human", "human:1", "Wang"))
    [run_id] = shop.start(shop.save(OPEN)).run_ids
    time.sleep(0.3)
    waiting = shop.status(run_id)

    with shop.db.write() as session:
        lease.release(session, "human:1")

    assert waiting == "queued"
    assert shop.ended(run_id)["status"] == "success"


def test_a_run_waits_no_longer_for_its_phone_than_its_policy_says(
    shop: Shop, phone: PhoneHandle
) -> None:
    with shop.db.write() as session:
        lease.take(session, phone.serialno, Claim("human", "human:1", "Wang"))
    [run_id] = shop.start(shop.save(OPEN, policy={"queue_s": 0})).run_ids

    line.expire(shop.db)

    run = shop.get(run_id)
    assert (run["status"], run["error"]["code"]) == ("failed", "device_busy")
    assert "Wang" in run["error"]["message"]


def test_two_runs_of_one_phone_go_one_after_the_other(shop: Shop) -> None:
    task = shop.save(OPEN)
    first, second = shop.start(task).run_ids[0], shop.start(task).run_ids[0]

    one, two = shop.ended(first), shop.ended(second)

    assert (one["status"], two["status"]) == ("success", "success")
    assert one["ended"] <= two["started"]


def test_a_phone_that_is_not_fit_is_left_alone(shop: Shop, phone: PhoneHandle) -> None:
    phone.set("system.battery", 12)

    low = shop.run(OPEN, policy={"battery_min": 30})
    full = shop.run(OPEN, policy={"storage_min_mb": 1_000_000})
    no_app = shop.run({"type": "open_app", "app": "com.nobody.has"})
    named = shop.run({"type": "open_app", "app": "{{app}}"}, inputs={"app": "com.nobody.has"})
    touched = phone.log()
    phone.set("system.pin", "2580")
    phone.set("system.locked", True)
    shut = shop.run({"type": "press_key", "key": "home"})

    assert (low["status"], low["error"]["code"], low["steps"]) == ("failed", "battery_low", [])
    assert (full["error"]["code"], full["steps"]) == ("storage_low", [])
    assert (no_app["error"]["code"], no_app["steps"]) == ("no_app", [])
    assert (named["error"]["code"], named["steps"]) == ("no_app", [])
    assert (shut["error"]["code"], shut["steps"]) == ("device_locked", [])
    assert touched == []


def test_what_a_dead_console_left_open_is_closed_and_not_begun_again(
    shop: Shop, mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    shop.runner.shutdown()
    [run_id] = groups.start(shop.db, shop.save(OPEN).task_id, Start(who="li")).run_ids
    job = line.claim(shop.db, "console", 9)
    assert job is not None

    again = Shop(mcp_house)  # the next console

    run = again.ended(run_id)
    assert (run["status"], run["error"]["code"], run["attempt"]) == ("failed", "interrupted", 1)
    assert is_free(mcp_house, phone)
    assert phone.log() == []
    again.runner.shutdown()


def test_a_run_whose_mcp_server_is_gone_before_the_first_step_waits_in_line(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    shop = Shop(mcp_house)
    shop.runner.phones.port = 9  # nobody listens there
    [run_id] = shop.start(shop.save(OPEN)).run_ids
    wait_for(lambda: shop.get(run_id)["error"] is not None, "the first try")
    waiting = shop.get(run_id)

    shop.runner.phones.port = mcp_house.port

    run = shop.ended(run_id)
    assert (waiting["status"], waiting["attempt"]) == ("queued", 0)
    assert (run["status"], run["attempt"]) == ("success", 1)
    shop.runner.shutdown()


def test_a_run_whose_mcp_server_dies_at_a_step_ends_and_the_next_one_goes(
    shop: Shop, mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    [run_id] = shop.start(shop.save(OPEN, LONG)).run_ids
    shop.at(run_id, "steps.1")

    mcp_house.process.kill()
    mcp_house.process.wait(timeout=10)
    run = shop.ended(run_id)
    mcp_house.restart()

    assert (run["status"], run["path"], run["error"]["code"]) == (
        "failed",
        "steps.1",
        "mcp_unreachable",
    )
    assert is_free(mcp_house, phone)
    assert shop.run(OPEN)["status"] == "success"


def test_a_schedule_is_paused_after_too_many_failures_in_a_row(shop: Shop) -> None:
    task = shop.save(WRONG, schedule={"every_s": 3600}, policy={"pause_after": 2})
    with shop.db.write() as session:
        row = store.row_of(session, task.task_id)
        plan = groups.plan_of(shop.db, task.spec, Start())
        started = [groups.put(session, row, plan, Start(), "schedule") for _ in range(2)]
    shop.runner.wake()

    for each in started:
        shop.ended(each.run_ids[0])

    now = store.get(shop.db, task.task_id)
    assert (now.paused, now.next_at, now.failures) == (True, None, 2)


def test_a_mender_lets_the_run_go_on_from_the_step_that_failed(
    shop: Shop, phone: PhoneHandle
) -> None:
    asked: list[Failure] = []

    def mend(failure: Failure, _stop: Any) -> list[Any] | None:
        asked.append(failure)
        steps = [*failure.steps]
        steps[failure.index or 0] = click("蓝牙")
        return steps

    shop.runner.mender = mend
    run = shop.run(OPEN, WRONG)

    assert [failure.ended.path for failure in asked] == ["steps.1"]
    assert [(step["n"], step["path"], step["status"]) for step in run["steps"]] == [
        (1, "steps.0", "ok"),
        (2, "steps.1", "failed"),
        (3, "steps.1", "ok"),
    ]
    assert run["status"] == "success"


def test_a_lapsed_run_of_another_process_is_closed(shop: Shop, phone: PhoneHandle) -> None:
    shop.runner.shutdown()
    [run_id] = groups.start(shop.db, shop.save(OPEN).task_id, Start()).run_ids
    line.claim(shop.db, "another", 9)
    kept = line.close_orphans(shop.db, "console", set())
    with shop.db.write() as session:
        session.execute(update(TaskRun).where(TaskRun.id == run_id).values(alive_until=utc_now()))

    closed = line.close_orphans(shop.db, "console", set())

    assert (kept, closed) == ([], [run_id])


def test_a_phone_that_is_away_is_waited_for(shop: Shop, phone: PhoneHandle) -> None:
    mine = update(Device).where(Device.hardware_serial == phone.serialno)
    with shop.db.write() as session:
        session.execute(mine.values(state="offline"))
    [run_id] = shop.start(shop.save({"type": "press_key", "key": "home"})).run_ids
    time.sleep(0.2)
    waiting = shop.status(run_id)

    with shop.db.write() as session:
        session.execute(mine.values(state="ready"))

    assert waiting == "queued"
    assert shop.ended(run_id)["status"] == "success"
