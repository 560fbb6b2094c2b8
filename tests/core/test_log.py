"""A run's events: the same for every reader, in order, whatever memory keeps."""

import threading

import pytest

from core.runs import log as log_module
from core.runs.events import Done, Failed, SessionStarted, TextDelta, ToolFinished, Usage
from core.runs.log import Bell, Entry, EventLog
from core.runs.wire import wire


def nothing_older(_after: int, _before: int) -> list[Entry]:
    return []


def make_log(boot: int = 0) -> EventLog:
    return EventLog("run1", boot, Bell(), nothing_older)


def test_two_readers_get_the_same_events_each_from_where_it_stands() -> None:
    log = make_log()
    for text in "abc":
        log.append(TextDelta(text))

    early = log.read(0)
    late = log.read(early[1].id)

    assert [entry.id for entry in early] == [1, 2, 3]
    assert late == early[2:]


def test_ids_after_a_restart_lie_above_all_ids_before_it() -> None:
    before, after = make_log(boot=4), make_log(boot=5)
    last = [before.append(TextDelta("x")) for _ in range(1000)][-1]

    first = after.append(TextDelta("y"))

    assert last is not None
    assert first is not None
    assert last.id < first.id < 2**53


def test_a_run_has_exactly_one_end() -> None:
    log = make_log()
    log.append(Done("ready"))

    with pytest.raises(RuntimeError, match="has ended"):
        log.append(Failed("interrupted", "", ""))


def test_what_outsiders_do_not_see_takes_no_id() -> None:
    log = make_log()

    assert log.append(SessionStarted("s1")) is None
    assert log.read(0) == []


def test_a_reader_before_what_memory_keeps_is_served_from_the_store(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(log_module, "MAX_EVENTS", 10)
    stored: list[Entry] = []
    log = EventLog("run1", 0, Bell(), lambda a, b: [e for e in stored if a < e.id < b])
    for n in range(600):
        log.append(TextDelta(str(n)))
        stored += log.unstored()
        log.mark_stored(log.unstored())

    read: list[Entry] = []
    while more := log.read(read[-1].id if read else 0):
        read += more

    assert [entry.id for entry in read] == list(range(1, 601))


def test_what_is_not_stored_yet_stays_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_module, "MAX_EVENTS", 10)
    log = make_log()
    for n in range(50):
        log.append(TextDelta(str(n)))

    assert len(log.read(0)) == 50


def test_a_waiting_reader_is_woken_by_the_end() -> None:
    bell = Bell(tick_s=3600)
    log = EventLog("run1", 0, bell, nothing_older)
    seen = bell.count()
    woken = threading.Event()

    def wait() -> None:
        bell.wait(seen, timeout_s=20)
        woken.set()

    reader = threading.Thread(target=wait)
    reader.start()
    log.append(Done("ready"))

    assert woken.wait(timeout=10)
    reader.join(timeout=10)


def test_the_wire_form_is_the_contracts() -> None:
    step = wire(ToolFinished("c1", "ok", "Tapped.", ms=12, n=3, name="de_tap", args={"element": 4}))
    usage = wire(Usage(100, 20, cache_read=64) + Usage(50, 5))
    done = wire(Done("完成", Usage(1, 2), stopped=True))

    assert step == (
        "step",
        {
            "n": 3,
            "tool": "de_tap",
            "args": {"element": 4},
            "ok": True,
            "status": "ok",
            "ms": 12,
            "text": "Tapped.",
        },
    )
    assert usage == (
        "usage",
        {
            "prompt_tokens": 150,
            "completion_tokens": 25,
            "total_tokens": 175,
            "calls": 2,
            "cached_tokens": 64,
        },
    )
    assert done is not None
    assert done[1]["stopped"] is True
    assert done[1]["verified"] is None
