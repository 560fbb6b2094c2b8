"""What the console does by the clock."""

from datetime import timedelta

from sqlalchemy import update

from core.clock import utc_now
from core.models import Run
from core.runs import store
from tests.web.conftest import Browser
from tests.web.test_agent_api import run_to_its_end
from web.console import Console


def test_old_runs_are_emptied_as_the_settings_say_and_their_readers_still_see_an_end(
    operator: Browser, admin: Browser, console: Console
) -> None:
    run_id, _ = run_to_its_end(operator)
    with console.instance.db.write() as session:
        session.execute(update(Run).values(ended=utc_now() - timedelta(days=8)))
    before = len(store.events(console.instance.db, run_id, 0))

    console.clock.sweep()
    kept = len(store.events(console.instance.db, run_id, 0))
    admin.put("/api/agent/config", json={"agent_retention_days": 7})
    console.clock.sweep()

    assert before == kept > 1
    assert [entry.name for entry in store.events(console.instance.db, run_id, 0)] == ["error"]
    assert console.clock.due()["retention"] < utc_now() + timedelta(minutes=5)
