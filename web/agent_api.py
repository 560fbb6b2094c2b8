"""Runs: started, watched and stopped; the agent's settings."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from flask import Blueprint, Response, request
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from core import conversations, retention, settings
from core.errors import Invalid, ModelUnset, NoDevice
from core.runs import store
from core.words import Lang, pick_lang
from mcp_agent.providers.base import PROVIDERS, load_providers, provider
from mcp_agent.runner import RunStart
from web import stream
from web.api import contract
from web.console import console
from web.errors import reader_lang
from web.guard import check_owner, needs, owners, principal
from web.schemas.base import Accepted, Ok, RowId
from web.schemas.config import (
    ConfigChange,
    ConfigShown,
    ProfileChange,
    ProfileShown,
    ProviderPage,
    StorageShown,
    TestResult,
)
from web.schemas.runs import (
    Again,
    Answer,
    EventPage,
    Followup,
    NewRun,
    RunDetail,
    RunPage,
    RunStarted,
    Snapshot,
)

blueprint = Blueprint("agent", __name__, url_prefix="/api/agent")

PAGE = 50
# a time at either end of the calendar cannot be turned to UTC
LONG_AGO, FAR_OFF = datetime(1970, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)


class RunQuery(BaseModel):
    """Which runs to list."""

    model_config = ConfigDict(extra="ignore")

    cursor: str | None = None
    conv_id: str | None = None
    serial: str | None = None
    status: (
        Literal["queued", "running", "waiting", "paused", "done", "failed", "stopped"] | None
    ) = None
    since: Annotated[AwareDatetime, Field(ge=LONG_AGO, le=FAR_OFF)] | None = None


class EventQuery(BaseModel):
    """Where the page before ended: the id of its last event."""

    model_config = ConfigDict(extra="ignore")

    cursor: RowId = 0


@blueprint.post("/run")
@contract(NewRun, RunStarted, status=202)
def run(json: NewRun) -> tuple[dict[str, Any], int]:
    """Start a run, or say with a 4xx what to do first."""
    chosen = settings.load(console().instance)
    serial = json.serial or chosen.agent_default_serial
    if json.conv_id:
        check_owner(json.conv_id)
    if not serial:
        raise NoDevice(path="serial")
    record = console().runner.start(
        RunStart(
            prompt=json.prompt,
            serial=serial,
            conv_id=json.conv_id,
            mode=json.mode,
            channel=json.channel,
            autonomy=json.autonomy,
            lang=pick_lang(principal().lang, request.headers.get("Accept-Language")),
            user_id=principal().user_id,
            replaces=json.replaces,
            attachments=json.attachments,
        )
    )
    return {"run_id": record.run_id, "conv_id": record.conv_id}, 202


@blueprint.get("/run")
@contract(gives=Snapshot)
def snapshot() -> dict[str, Any]:
    """Say what runs now."""
    return console().runner.snapshot()


@blueprint.get("/runs")
@contract(gives=RunPage, query=RunQuery)
def runs(query: RunQuery) -> dict[str, Any]:
    """List runs, newest first."""
    found = store.history(
        console().instance.db,
        PAGE + 1,
        query.cursor,
        query.since,
        conv_id=query.conv_id,
        serial=query.serial,
        status=query.status,
    )
    more = found[PAGE - 1].run_id if len(found) > PAGE else None
    return {"items": [each.shown() for each in found[:PAGE]], "next": more}


@blueprint.get("/runs/<run_id>")
@contract(gives=RunDetail)
def one_run(run_id: str) -> dict[str, Any]:
    """Return a run with its steps."""
    db = console().instance.db
    record = store.get(db, run_id)
    learned = conversations.noted(db, record.conv_id, run_id).get("learned")
    return {**record.shown(), "steps": stream.steps_of(run_id), "learned": learned}


@blueprint.get("/runs/<run_id>/events")
@contract(gives=EventPage, query=EventQuery)
def log(run_id: str, query: EventQuery) -> dict[str, Any]:
    """Give a page of a run's events, oldest first; neighbouring deltas of a kind are one."""
    return stream.page_of(run_id, query.cursor)


@blueprint.post("/runs/<run_id>/again")
@owners
@contract(Again, RunStarted, status=202)
def again(run_id: str, json: Again) -> tuple[dict[str, Any], int]:
    """Go on where a run broke off, or do it again from the beginning."""
    record = console().runner.again(run_id, json.how)
    return {"run_id": record.run_id, "conv_id": record.conv_id}, 202


@blueprint.delete("/runs/<run_id>/again")
@owners
@contract(gives=Ok)
def leave(run_id: str) -> dict[str, Any]:
    """Leave a run that broke off as it is: it is not offered any more."""
    conversations.leave_as_is(console().instance.db, run_id)
    return {"ok": True}


@blueprint.post("/run/<run_id>/stop")
@contract(gives=Ok)
def stop(run_id: str) -> dict[str, Any]:
    """Stop a run; it ends as ``done`` with ``stopped``. One that has ended stays as it is."""
    console().runner.stop(run_id)
    return {"ok": True}


@blueprint.post("/run/<run_id>/message")
@owners
@contract(Followup, Accepted, status=202)
def message(run_id: str, json: Followup) -> tuple[dict[str, Any], int]:
    """Add something to a run that goes on."""
    return {"message_id": console().runner.message(run_id, json.text, json.attachments)}, 202


@blueprint.post("/run/<run_id>/answer")
@contract(Answer, Ok)
def answer(run_id: str, json: Answer) -> dict[str, Any]:
    """Answer what a run asks; the first answer counts."""
    console().runner.answer(run_id, json.question_id, json.value, principal().name)
    return {"ok": True}


@blueprint.get("/stream")
def follow() -> Response:
    """Follow the run ``run_id`` as SSE, for programs; a browser uses ``/api/events``."""
    # not under `contract`: what checks answers there would read the stream to its end first
    run_id = request.args.get("run_id", "")
    if not run_id:
        raise Invalid(path="run_id", detail="run_id")
    return stream.run_stream(run_id, request.headers.get("Last-Event-ID"))


@blueprint.get("/config")
@contract(gives=ConfigShown)
def config() -> dict[str, Any]:
    """Return the agent's settings, the key masked."""
    return _shown(settings.load(console().instance))


@blueprint.put("/config")
@needs("admin")
@contract(ConfigChange, ConfigShown)
def change_config(json: ConfigChange) -> dict[str, Any]:
    """Change the settings that the body names."""
    _check_provider(json)
    return _shown(settings.save(console().instance, json.settings))


@blueprint.get("/config/profile")
@contract(gives=ProfileShown)
def profile() -> dict[str, Any]:
    """Return what is known of the configured model."""
    return _profile(settings.load(console().instance))


@blueprint.put("/config/profile")
@needs("admin")
@contract(ProfileChange, ProfileShown)
def change_profile(json: ProfileChange) -> dict[str, Any]:
    """Say how many pictures a conversation with the configured model keeps."""
    chosen = settings.load(console().instance)
    if not chosen.agent_model:
        raise ModelUnset
    chosen.profiles.learn(chosen.agent_api_base, chosen.agent_model, **json.model_dump())
    return _profile(chosen)


@blueprint.get("/config/storage")
@contract(gives=StorageShown)
def storage() -> dict[str, Any]:
    """Say what is kept of runs now, and whether there is room for more."""
    return asdict(retention.kept(console().instance))


@blueprint.get("/config/providers")
@contract(gives=ProviderPage)
def providers() -> dict[str, Any]:
    """Say of each brain whether it would answer now; costs no tokens."""
    chosen, lang = settings.load(console().instance), reader_lang()
    return {"items": [_state_of(name, chosen, lang) for name in load_providers()], "next": None}


@blueprint.post("/config/test")
@needs("admin")
@contract(ConfigChange, TestResult)
def test_config(json: ConfigChange) -> dict[str, Any]:
    """Try the configured brain out, with unsaved changes applied."""
    _check_provider(json)
    trial = settings.tried(console().instance, json.settings)
    lang = pick_lang(principal().lang, request.headers.get("Accept-Language"))
    return PROVIDERS.get(trial.provider)().examine(trial, lang).shown(lang)


def _check_provider(change: ConfigChange) -> None:
    if change.agent_provider and change.agent_provider not in PROVIDERS:
        raise Invalid(path="agent_provider", detail=", ".join(PROVIDERS))


def _state_of(name: str, chosen: settings.AgentSettings, lang: Lang) -> dict[str, Any]:
    brain = provider(name)
    return {
        "name": name,
        "chosen": name == chosen.provider,
        "caps": asdict(brain.caps),
        **brain.check(chosen).shown(lang),
    }


def _shown(chosen: settings.AgentSettings) -> dict[str, Any]:
    return {**settings.masked(chosen), "providers": list(PROVIDERS)}


def _profile(chosen: settings.AgentSettings) -> dict[str, Any]:
    base, model = chosen.agent_api_base, chosen.agent_model
    return {"api_base": base, "model": model, **asdict(chosen.profiles.get(base, model))}
