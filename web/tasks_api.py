"""Tasks: kept, started, compared with what they were, written to files and read from them."""

from typing import Any
from urllib.parse import quote

from flask import Blueprint, Response, g
from pydantic import ValidationError

from core import schedule
from core.clock import iso, utc_now
from core.errors import Invalid
from core.schedule import Schedule
from core.steps import nag_rules
from core.steps.checks import misfit
from core.steps.nags import Nag
from core.tasks import diff, groups, line, runs, store, text
from core.tasks.groups import Start, Started
from core.tasks.schema import TaskSpec
from core.tasks.store import Task
from web.api import contract
from web.console import console
from web.errors import reader_lang
from web.schemas.base import Ok
from web.schemas.nags import NagRules, NagsShown
from web.schemas.tasks import (
    Against,
    Differences,
    GroupPage,
    GroupStarted,
    Matrix,
    NewTask,
    NextTimes,
    Planned,
    RevisionPage,
    RevisionWhole,
    Rollback,
    TaskChange,
    TaskFile,
    TaskPage,
    TaskSearch,
    TaskShown,
    TaskStart,
    TaskText,
)

blueprint = Blueprint("tasks", __name__, url_prefix="/api/tasks")


@blueprint.get("")
@contract(gives=TaskPage, query=TaskSearch)
def listing(query: TaskSearch) -> dict[str, Any]:
    """List tasks, last changed first, each with what came of its last start."""
    db = console().instance.db
    page = store.listing(db, query.q.strip(), query.cursor)
    last = runs.last_of(db, [task.task_id for task in page.tasks], reader_lang())
    items = [{**task.shown(), "last": last.get(task.task_id)} for task in page.tasks]
    return {"items": items, "unreadable": page.unreadable, "next": page.next}


@blueprint.post("")
@contract(NewTask, TaskShown, status=201)
def create(json: NewTask) -> tuple[dict[str, Any], int]:
    """Save a new task; a wrong place is named."""
    return _created(TaskSpec(**dict(json)))


@blueprint.post("/import")
@contract(TaskText, TaskShown, status=201)
def read_file(json: TaskText) -> tuple[dict[str, Any], int]:
    """Save a new task from YAML or JSON; it may come from anywhere, so it is read with care."""
    return _created(text.read(json.text))


@blueprint.get("/next")
@contract(gives=NextTimes, query=Planned)
def next_times(query: Planned) -> dict[str, Any]:
    """Say when a schedule would be due next; what is wrong with it is named."""
    try:
        plan = Schedule.model_validate(query.model_dump(exclude_none=True))
    except ValidationError as error:
        raise misfit(error, "schedule") from error
    now = utc_now()
    return {"items": [iso(each) for each in schedule.upcoming(plan, now, now)]}


@blueprint.get("/nags")
@contract(gives=NagsShown)
def nags() -> dict[str, Any]:
    """List the rules by which windows that nobody asked for are pressed away."""
    return nag_rules.shown(console().instance.db)


@blueprint.put("/nags")
@contract(NagRules, NagsShown)
def change_nags(json: NagRules) -> dict[str, Any]:
    """Put other rules in their place; policy judges what they press all the same."""
    db = console().instance.db
    nag_rules.save(db, [Nag(**dict(each)) for each in json.items])
    return nag_rules.shown(db)


@blueprint.delete("/nags")
@contract(gives=NagsShown)
def reset_nags() -> dict[str, Any]:
    """Go back to the rules as delivered."""
    db = console().instance.db
    nag_rules.reset(db)
    return nag_rules.shown(db)


@blueprint.get("/<task_id>")
@contract(gives=TaskShown)
def read(task_id: str) -> dict[str, Any]:
    """Return a task."""
    return _shown(store.get(console().instance.db, task_id))


@blueprint.put("/<task_id>")
@contract(TaskChange, TaskShown)
def change(task_id: str, json: TaskChange) -> dict[str, Any]:
    """Save a task anew; a conflict says who changed it since, and changes nothing."""
    fields = {name: value for name, value in json if name in TaskSpec.model_fields}
    return _saved(task_id, TaskSpec(**fields), json.revision, json.note)


@blueprint.delete("/<task_id>")
@contract(gives=Ok)
def remove(task_id: str) -> dict[str, Any]:
    """Forget a task and stop its runs; what came of them stays."""
    console().tasks.stop(store.remove(console().instance.db, task_id))
    return {"ok": True}


@blueprint.post("/<task_id>/pause")
@contract(gives=TaskShown)
def pause(task_id: str) -> dict[str, Any]:
    """Follow its schedule no more."""
    return _shown(store.pause(console().instance.db, task_id, True))


@blueprint.post("/<task_id>/resume")
@contract(gives=TaskShown)
def resume(task_id: str) -> dict[str, Any]:
    """Follow its schedule again, from now on."""
    return _shown(store.pause(console().instance.db, task_id, False))


@blueprint.post("/<task_id>/run")
@contract(TaskStart, GroupStarted, status=202)
def run(task_id: str, json: TaskStart) -> tuple[dict[str, Any], int]:
    """Put runs of a task in line: a phone each, or a row of data each."""
    asked = Start(
        who=g.principal.name,
        lang=reader_lang(),
        serials=tuple(json.serials),
        inputs=json.inputs,
        rows=None if json.rows is None else tuple(json.rows),
        first=json.first,
    )
    return _started(groups.start(console().instance.db, task_id, asked))


@blueprint.get("/<task_id>/export")
@contract(query=TaskFile)
def write_file(task_id: str, query: TaskFile) -> Response:
    """Give a task as a file of YAML or JSON."""
    spec = store.get(console().instance.db, task_id).spec
    kind = "application/json" if query.format == "json" else "application/yaml"
    answer = Response(text.write(spec, query.format), content_type=f"{kind}; charset=utf-8")
    name = quote(f"{spec.name}.{query.format}", safe="")
    answer.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{name}"
    return answer


@blueprint.get("/<task_id>/revisions")
@contract(gives=RevisionPage, query=TaskSearch)
def revisions(task_id: str, query: TaskSearch) -> dict[str, Any]:
    """List when and by whom a task was saved, newest first."""
    if query.cursor and not (query.cursor.isdecimal() and len(query.cursor) < 10):
        raise Invalid(path="cursor", detail="cursor is the next of the page before.")
    before = int(query.cursor) if query.cursor else None
    return store.revisions(console().instance.db, task_id, before)


@blueprint.get("/<task_id>/revisions/<int:number>")
@contract(gives=RevisionWhole)
def revision(task_id: str, number: int) -> dict[str, Any]:
    """Return a task as it was."""
    return store.revision(console().instance.db, task_id, number)


@blueprint.get("/<task_id>/revisions/<int:number>/diff")
@contract(gives=Differences, query=Against)
def differences(task_id: str, number: int, query: Against) -> dict[str, Any]:
    """Say what a revision changed, against the one before or any other."""
    db = console().instance.db
    new = store.revision(db, task_id, number)["task"]
    against = query.against or number - 1
    old = store.revision(db, task_id, against)["task"] if against else {}
    return {"old": against, "new": number, "items": diff.changes(old, new)}


@blueprint.post("/<task_id>/revisions/<int:number>/rollback")
@contract(Rollback, TaskShown)
def rollback(task_id: str, number: int, json: Rollback) -> dict[str, Any]:
    """Save a task as it was at a revision; that is a new revision."""
    old = store.revision(console().instance.db, task_id, number)["task"]
    return _saved(task_id, store.as_spec(old), json.revision, f"= {number}")


@blueprint.get("/<task_id>/groups")
@contract(gives=GroupPage, query=TaskSearch)
def group_listing(task_id: str, query: TaskSearch) -> dict[str, Any]:
    """List the starts of a task, newest first."""
    return runs.group_listing(console().instance.db, task_id, query.cursor)


@blueprint.get("/<task_id>/groups/<group_id>")
@contract(gives=Matrix)
def matrix(task_id: str, group_id: str) -> dict[str, Any]:
    """Lay out what came of a start, a cell a phone and row."""
    return runs.matrix(console().instance.db, task_id, group_id, reader_lang())


@blueprint.post("/<task_id>/groups/<group_id>/retry")
@contract(gives=GroupStarted, status=202)
def retry(task_id: str, group_id: str) -> tuple[dict[str, Any], int]:
    """Begin anew what did not succeed, in its place, with the task as it is now."""
    asked = Start(who=g.principal.name, lang=reader_lang())
    return _started(groups.retry(console().instance.db, task_id, group_id, asked))


@blueprint.post("/<task_id>/groups/<group_id>/stop")
@contract(gives=Ok)
def stop_group(task_id: str, group_id: str) -> dict[str, Any]:
    """Stop every open run of a start."""
    db = console().instance.db
    runs.matrix(db, task_id, group_id, reader_lang())
    console().tasks.stop(line.stop_all(db, group_id=group_id))
    return {"ok": True}


def _started(started: Started) -> tuple[dict[str, Any], int]:
    console().tasks.wake()
    return {"group_id": started.group_id, "run_ids": started.run_ids}, 202


def _created(spec: TaskSpec) -> tuple[dict[str, Any], int]:
    return _shown(store.create(console().instance.db, spec, g.principal.name)), 201


def _saved(task_id: str, spec: TaskSpec, seen: int, note: str) -> dict[str, Any]:
    db = console().instance.db
    return _shown(store.change(db, task_id, spec, seen, g.principal.name, note))


def _shown(task: Task) -> dict[str, Any]:
    last = runs.last_of(console().instance.db, [task.task_id], reader_lang())
    return {**task.shown(), "last": last.get(task.task_id)}
