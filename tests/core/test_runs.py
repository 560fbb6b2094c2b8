"""Runs start and end whole, and nothing accepted is lost."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlalchemy import update

from core import conversations
from core.devices import lease
from core.devices.lease import Claim
from core.errors import DeviceBusy, DeviceOffline, NoDevice, NotFound, RunOver, SlotBusy
from core.inbox import queue
from core.models import Device, MessageIn
from core.runs import parking, slots, store, tokens
from core.runs.log import Entry
from core.runs.record import Ending, RunRequest
from core.runs.slots import ONE_PER_PHONE
from core.setup import Instance

REQUEST = RunRequest(
    prompt="打开设置",
    serial="s1",
    conv_id=None,
    mode="chat",
    channel="phone",
    provider="offline",
    autonomy="confirm_risky",
    max_steps=40,
    lang="zh",
)
END = Ending(status="done", answer="好了", entries=[Entry(7, "done", "{}")])


@pytest.fixture(autouse=True)
def shelf(instance: Instance) -> None:
    with instance.db.write() as session:
        for n, state in ((1, "ready"), (2, "ready"), (3, "offline")):
            session.add(Device(serial=f"s{n}", hardware_serial=f"HW{n}", state=state))


def test_a_start_takes_slot_and_lease_and_keeps_the_message(instance: Instance) -> None:
    run = store.start(instance.db, REQUEST, slots=1)

    row = queue.claim(instance.db, "console")

    held = lease.holder_of(instance.db, "HW1")
    assert held is not None
    assert (held.owner, held.fence) == (run.run_id, run.fence)
    assert row is not None
    assert (row.run_id, row.text, row.attempt) == (run.run_id, "打开设置", 1)
    assert queue.claim(instance.db, "console") is None
    assert conversations.read(instance.db, run.conv_id)["messages"][0]["content"] == "打开设置"


def test_one_slot_per_ready_phone_grows_and_shrinks_with_the_shelf(instance: Instance) -> None:
    first = store.start(instance.db, REQUEST, slots=ONE_PER_PHONE)
    with instance.db.write() as session:
        session.execute(update(Device).where(Device.serial == "s1").values(state="offline"))
    second = store.start(instance.db, replace(REQUEST, serial="s2"), slots=ONE_PER_PHONE)

    with instance.db.write() as session:
        full = slots.are_taken(session, ONE_PER_PHONE)
        session.execute(update(Device).where(Device.serial == "s3").values(state="ready"))
        free = not slots.are_taken(session, ONE_PER_PHONE)

    assert (first.serial, second.serial) == ("s1", "s2")
    assert (full, free) == (True, True)


def test_without_a_ready_phone_there_is_still_one_slot(instance: Instance) -> None:
    with instance.db.write() as session:
        session.execute(update(Device).values(state="offline"))

        assert slots.how_many(session, ONE_PER_PHONE) == 1


@pytest.mark.parametrize(
    ("request_of", "refusal"),
    [
        (lambda: replace(REQUEST, serial="s1"), DeviceBusy),
        (lambda: replace(REQUEST, serial="s2"), SlotBusy),
        (lambda: replace(REQUEST, serial="s3"), DeviceOffline),
        (lambda: replace(REQUEST, serial="nobody"), NoDevice),
        (lambda: replace(REQUEST, conv_id="nothing"), NotFound),
    ],
)
def test_a_refused_start_leaves_no_row_behind(
    instance: Instance, request_of: Callable[[], RunRequest], refusal: type[Exception]
) -> None:
    first = store.start(instance.db, REQUEST, slots=1)

    with pytest.raises(refusal):
        store.start(instance.db, request_of(), slots=1)

    assert [run.run_id for run in store.open_runs(instance.db)] == [first.run_id]
    assert len(conversations.listing(instance.db)["items"]) == 1
    assert set(lease.all_held(instance.db)) == {"HW1"}


def test_two_slots_run_two_phones(instance: Instance) -> None:
    store.start(instance.db, REQUEST, slots=2)
    store.start(instance.db, replace(REQUEST, serial="s2"), slots=2)

    assert len(store.open_runs(instance.db)) == 2


def test_an_end_frees_slot_and_lease_and_says_the_answer_once(instance: Instance) -> None:
    run = store.start(instance.db, REQUEST, slots=1)
    store.begin(instance.db, run.run_id)

    ended, again = (store.finish(instance.db, run.run_id, END) for _ in range(2))

    assert (ended, again) == (True, False)
    assert lease.all_held(instance.db) == {}
    assert [e.name for e in store.events(instance.db, run.run_id, 0)] == ["done"]
    answers = conversations.read(instance.db, run.conv_id)["messages"]
    assert [(m["role"], m["content"]) for m in answers] == [
        ("user", "打开设置"),
        ("assistant", "好了"),
    ]
    store.start(instance.db, REQUEST, slots=1)


def test_a_follow_up_belongs_to_a_run_that_goes_on(instance: Instance) -> None:
    run = store.start(instance.db, REQUEST, slots=1)
    row = queue.add_followup(instance.db, run.run_id, "再看一眼")
    store.finish(instance.db, run.run_id, END)

    with pytest.raises(RunOver):
        queue.add_followup(instance.db, run.run_id, "太晚了")
    assert row.kind == "followup"


def test_a_follow_up_that_came_too_late_begins_the_next_run(instance: Instance) -> None:
    db = instance.db
    first = store.start(db, REQUEST, slots=1)
    store.begin(db, first.run_id)
    taken_in = queue.add_followup(db, first.run_id, "要深色")
    queue.complete(db, (taken_in.id,))
    for text in ("再看一眼", "然后返回"):
        queue.add_followup(db, first.run_id, text)

    store.finish(db, first.run_id, END)

    (after,) = store.open_runs(db)
    assert (after.status, after.prompt, after.serial) == ("queued", "再看一眼", "s1")
    assert lease.all_held(db)["HW1"].owner == after.run_id
    said = [(m["role"], m["content"]) for m in conversations.read(db, first.conv_id)["messages"]]
    assert said == [
        ("user", "打开设置"),
        ("user", "要深色"),
        ("assistant", "好了"),
        ("user", "再看一眼"),
        ("user", "然后返回"),
    ]
    claimed = queue.claim(db, "console")
    assert claimed is not None
    assert (claimed.run_id, claimed.text) == (after.run_id, "再看一眼")
    assert [row.text for row in queue.followups(db, after.run_id)] == ["然后返回"]
    assert conversations.history(db, first.conv_id, after.run_id)[-1] == ("assistant", "好了")


@pytest.mark.parametrize("status", ["stopped", "failed"])
def test_what_was_not_taken_in_ends_with_a_run_that_did_not_answer(
    instance: Instance, status: str
) -> None:
    run = store.start(instance.db, REQUEST, slots=1)
    row = queue.add_followup(instance.db, run.run_id, "再看一眼")

    store.finish(instance.db, run.run_id, replace(END, status=status))

    with instance.db.read() as session:
        kept = session.get(MessageIn, row.id)
    assert kept is not None
    assert kept.status == status
    shown = conversations.read(instance.db, run.conv_id)["messages"]
    assert [each.get("missed") for each in shown] == [None, True, None]
    assert store.open_runs(instance.db) == []


def test_a_follow_up_whose_phone_a_person_has_gets_a_run_that_says_so(instance: Instance) -> None:
    db = instance.db
    run = store.start(db, REQUEST, slots=1)
    store.begin(db, run.run_id)
    queue.add_followup(db, run.run_id, "再看一眼")
    parking.take_over(db, "HW1", Claim("human", "human:li", "li"), "zh")

    store.finish(db, run.run_id, END)

    (after,) = store.open_runs(db)
    with pytest.raises(DeviceBusy, match="li"):
        store.begin(db, after.run_id)


@pytest.mark.parametrize(
    ("kind", "acted", "again"),
    [
        ("schedule", False, True),
        ("webhook", True, False),
        ("chat", False, False),
    ],
)
def test_after_a_crash_only_what_nobody_watches_and_what_has_not_acted_runs_again(
    instance: Instance, kind: str, acted: bool, again: bool
) -> None:
    db = instance.db
    run = store.start(db, REQUEST, slots=1)
    with db.write() as session:
        session.execute(update(MessageIn).values(kind=kind))
    queue.claim(db, "console")
    store.begin(db, run.run_id)
    store.advance(db, run.run_id, 1, acted=acted)

    queue.give_back(db, "console")

    assert bool(store.orphans(db, "console")) != again
    assert (queue.claim(db, "console") is not None) == again


def test_a_run_token_reaches_its_current_run_and_dies_with_it(instance: Instance) -> None:
    run = store.start(instance.db, REQUEST, slots=1)
    secret = tokens.mint(instance.db, run.conv_id)
    queued = tokens.resolve(instance.db, secret)
    store.begin(instance.db, run.run_id)

    live = tokens.resolve(instance.db, secret)
    store.finish(instance.db, run.run_id, END)

    assert queued is None
    assert live is not None
    assert (live.run_id, live.serial, live.may_write) == (run.run_id, "s1", True)
    assert tokens.resolve(instance.db, secret) is None


def test_an_orphan_is_a_claimed_run_of_this_console_and_never_a_queued_one(
    instance: Instance,
) -> None:
    claimed = store.start(instance.db, REQUEST, slots=2)
    store.begin(instance.db, claimed.run_id)
    store.start(instance.db, replace(REQUEST, serial="s2"), slots=2)

    orphans = store.orphans(instance.db, "console")

    assert [run.run_id for run in orphans] == [claimed.run_id]


def test_history_goes_back_without_usage_and_without_the_current_run(instance: Instance) -> None:
    first = store.start(instance.db, REQUEST, slots=1)
    store.finish(instance.db, first.run_id, replace(END, extra={"reasoning": "…"}, tokens=9))
    second = store.start(instance.db, replace(REQUEST, conv_id=first.conv_id), slots=1)

    past = conversations.history(instance.db, first.conv_id, second.run_id)

    assert past == [("user", "打开设置"), ("assistant", "好了")]
    assert conversations.head(instance.db, first.conv_id)["tokens"] == 9
