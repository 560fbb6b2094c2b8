"""What the memory earned, by the days of whoever reads it."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from core.memory import actions, earned, experiences
from core.memory.earned import Earned
from core.memory.experiences import NewExperience, Went
from core.setup import Instance

LATE = datetime(2026, 3, 10, 17, 40, tzinfo=UTC)  # the next day has begun in Shanghai
NOTHING = {"succeeded": 0, "failed": 0, "replays": 0, "steps_saved": 0, "tokens_saved": 0}


def test_an_hour_belongs_to_the_day_of_the_readers_zone(instance: Instance) -> None:
    with instance.db.write() as session:
        earned.note(session, Earned(succeeded=1, steps_saved=4), LATE)
        earned.note(session, Earned(failed=1, steps_saved=-1), LATE)

    there = earned.days(instance.db, ZoneInfo("Asia/Shanghai"), LATE, most=3)
    here = earned.days(instance.db, ZoneInfo("UTC"), LATE, most=3)

    assert [each["day"] for each in there] == ["2026-03-09", "2026-03-10", "2026-03-11"]
    assert there[1] == {"day": "2026-03-10", **NOTHING}
    assert there[2] == {
        **NOTHING,
        "day": "2026-03-11",
        "succeeded": 1,
        "failed": 1,
        "steps_saved": 3,
    }
    assert here[2] == {**there[2], "day": "2026-03-10"}


def test_what_is_older_than_the_days_shown_is_left_out(instance: Instance) -> None:
    with instance.db.write() as session:
        earned.note(session, Earned(replays=1), datetime(2026, 3, 7, 15, tzinfo=UTC))
        earned.note(session, Earned(replays=2), datetime(2026, 3, 7, 16, tzinfo=UTC))

    found = earned.days(instance.db, ZoneInfo("Asia/Shanghai"), LATE, most=4)

    assert [each["replays"] for each in found] == [2, 0, 0, 0]


def test_told_runs_and_replays_count_into_the_day_on_which_they_end(instance: Instance) -> None:
    now = datetime.now(UTC)
    steps = [{"type": "press_key", "key": "home"}]
    action = actions.create(instance.db, actions.NewAction("回到桌面", steps))
    with instance.db.write() as session:
        known = experiences.add(session, NewExperience("打开蓝牙", "去设置。", steps=9, tokens=900))
        other = experiences.add(
            session, NewExperience("打开飞行模式", "去设置。", steps=5, tokens=1)
        )
        for went in (Went(True, 3, 300), Went(False, 20, 2_000)):
            experiences.credit(session, [known.experience_id, other.experience_id], went)
    actions.replayed(instance.db, action, None)

    today = {"succeeded": 1, "failed": 1, "replays": 1, "steps_saved": 6, "tokens_saved": 600}
    found = earned.days(instance.db, ZoneInfo("UTC"), now, most=2)

    assert today in [{name: each[name] for name in today} for each in found]
    kept = experiences.get(instance.db, known.experience_id)
    assert (kept.steps_saved, kept.tokens_saved, kept.successes, kept.failures) == (6, 600, 1, 1)
    assert experiences.get(instance.db, other.experience_id).steps_saved == 0
