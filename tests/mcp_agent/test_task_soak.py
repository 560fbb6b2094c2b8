"""A thousand task runs leave both processes as they were after a hundred."""

import gc
import logging
import os
from dataclasses import astuple
from pathlib import Path

import pytest

from core.clock import utc_now
from core.tasks import runs
from tests.mcp_agent.tasking import Shop
from tests.mcp_server.test_soak import GROWTH, Used, own_house, used
from virtual_phone.testing import PhoneHandle

__all__ = ["own_house"]

logger = logging.getLogger(__name__)

pytestmark = [pytest.mark.soak, pytest.mark.timeout(2400)]

WARM, RUNS, AT_ONCE = 100, 1000, 50
STEPS = [{"type": "press_key", "key": "home"}, {"type": "screenshot", "name": "home"}]


def own_files() -> int:
    """Count what this process, which carries the runs, holds beside the database."""
    gc.collect()
    found = 0
    for fd in Path("/proc/self/fd").iterdir():
        try:
            found += "phonedeck.db" not in os.readlink(fd)
        except FileNotFoundError:  # the listing's own
            continue
    return found


def test_a_thousand_task_runs_leave_nothing_behind(own_house, phone: PhoneHandle) -> None:  # type: ignore[no-untyped-def]
    shop = Shop(own_house)
    rows = [{"n": str(at)} for at in range(AT_ONCE)]
    task = shop.save(*STEPS, rows=rows, policy={"queue_s": 86_400})
    measured: dict[int, tuple[Used, int]] = {}
    begun = utc_now()

    for done in range(AT_ONCE, RUNS + 1, AT_ONCE):
        for run_id in shop.start(task).run_ids:
            assert shop.ended(run_id)["status"] == "success"
        if done in (WARM, RUNS):
            measured[done] = (used(own_house), own_files())

    shop.runner.shutdown()
    (early, own_early), (late, own_late) = measured[WARM], measured[RUNS]
    logger.info("task runs: after %d %s, after %d %s", WARM, measured[WARM], RUNS, measured[RUNS])
    assert astuple(late)[:3] == astuple(early)[:3]
    assert own_late == own_early
    assert late.rss_kb <= early.rss_kb * GROWTH, f"{early} {late}"
    ended = runs.listing(shop.db, runs.Wish(status=("failed",), since=begun), "en")
    assert ended["items"] == []
