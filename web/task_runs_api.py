"""Runs of tasks: listed, looked at, stopped."""

from datetime import datetime
from typing import Any
from urllib.parse import quote

from flask import Blueprint, Response, render_template

from core.clock import aware
from core.errors import Invalid
from core.tasks import line, report, runs
from core.tasks.runs import STATUSES, Wish
from core.words import catalogue
from web.api import contract
from web.console import console
from web.errors import reader_lang
from web.schemas.base import Ok
from web.schemas.tasks import RunSearch, TaskRunDetail, TaskRunPage

REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)

blueprint = Blueprint("task_runs", __name__, url_prefix="/api/runs")


@blueprint.get("")
@contract(gives=TaskRunPage, query=RunSearch)
def listing(query: RunSearch) -> dict[str, Any]:
    """List task runs, newest first, by task, group, phone, status, name and time."""
    statuses = tuple(dict.fromkeys(each for each in query.status.split(",") if each))
    odd = [each for each in statuses if each not in STATUSES]
    if odd:
        raise Invalid(path="status", detail=f"status is one of {', '.join(STATUSES)}.")
    wish = Wish(
        task_id=query.task_id,
        group_id=query.group_id,
        serial=query.serial,
        status=statuses,
        search=query.q.strip(),
        since=_moment("since", query.since),
        until=_moment("until", query.until),
        before=query.cursor,
    )
    return runs.listing(console().instance.db, wish, reader_lang())


@blueprint.get("/<task_run_id>")
@contract(gives=TaskRunDetail)
def read(task_run_id: str) -> dict[str, Any]:
    """Return a run with its steps."""
    return runs.get(console().instance.db, task_run_id, reader_lang())


@blueprint.get("/<task_run_id>/report")
def whole_report(task_run_id: str) -> Response:
    """Give a run as one page with its pictures in it, to be kept or sent; it asks for nothing."""
    lang = reader_lang()
    run = report.report(console().instance, task_run_id, lang)
    words = {
        key: each for key, each in catalogue(lang)["phrases"].items() if key.startswith("report.")
    }
    answer = Response(render_template("task_run_report.html", run=run, lang=lang, words=words))
    answer.headers["Content-Security-Policy"] = REPORT_POLICY
    name = quote(f"{run['name']} {task_run_id}.html", safe="")
    answer.headers["Content-Disposition"] = f"inline; filename*=UTF-8''{name}"
    return answer


@blueprint.post("/<task_run_id>/stop")
@contract(gives=Ok)
def stop(task_run_id: str) -> dict[str, Any]:
    """Stop a run, whether it waits or runs; one that has ended stays as it is."""
    console().tasks.stop(line.stop(console().instance.db, task_run_id))
    return {"ok": True}


def _moment(name: str, text: str) -> datetime | None:
    if not text:
        return None
    try:
        return aware(datetime.fromisoformat(text))
    except ValueError as error:
        raise Invalid(path=name, detail=f"{name} is no time as 2026-11-30T08:00:00Z.") from error
