"""The report of a task run is one page: whole, escaped, and asking for nothing."""

import base64
import re

import pytest
from sqlalchemy import update

from core import artifacts
from core.errors import ElementGone
from core.models import TaskRun, TaskRunStep
from core.steps.record import StepRecord
from tests.web.conftest import Browser
from tests.web.test_tasks_api import save, start
from web.console import Console

NASTY = '<script src="https://evil.example/x.js"></script><img src="//evil.example/a.png">'


@pytest.fixture
def run_id(operator: Browser, console: Console) -> str:
    """Have a run that failed at its second step, with everything that a screen may say."""
    made = save(operator, name=f"签到 {NASTY}"[:100], targets={"serials": ["s2"]})
    run_id: str = start(operator, made)["run_ids"][0]
    picture = artifacts.save(console.instance, run_id, b"\xff\xd8jpeg", "image/jpeg", of_task=True)
    error = ElementGone(wanted=NASTY, nearest=NASTY)
    records = [
        StepRecord(1, "steps.0", "open_app", "ok", 40, said=NASTY),
        StepRecord(2, "steps.1", "click", "failed", 10_000, error=error),
    ]
    with console.instance.db.write() as session:
        for number, record in enumerate(records, start=1):
            pictures = [{"url": picture, "name": NASTY}, {"url": "/api/artifacts/gone", "name": ""}]
            session.add(
                TaskRunStep(
                    run_id=run_id,
                    attempt=0,
                    number=number,
                    record=record.wire(),
                    pictures=pictures if record.error else [],
                )
            )
        session.execute(
            update(TaskRun)
            .where(TaskRun.id == run_id)
            .values(status="failed", error=error.wire(), path="steps.1", seen=NASTY)
        )
    return run_id


def test_a_report_holds_the_run_with_its_pictures(operator: Browser, run_id: str) -> None:
    answer = operator.get(f"/api/runs/{run_id}/report", headers={"Accept-Language": "en"})

    page = answer.text
    assert answer.status_code == 200
    assert base64.b64encode(b"\xff\xd8jpeg").decode() in page
    assert "The picture is no longer kept." in page
    assert "steps.1" in page
    assert "Failed" in page


def test_a_report_asks_for_nothing_and_runs_nothing(viewer: Browser, run_id: str) -> None:
    answer = viewer.get(f"/api/runs/{run_id}/report")

    page = answer.text
    fetched = re.findall(r'(?:src|href|action)="([^"]*)"', page)
    assert "<script" not in page
    assert "url(" not in page
    assert fetched
    assert all(each.startswith("data:image/jpeg;base64,") for each in fetched)
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in page
