"""The pages, the built assets, and what machines ask: health, metrics, the API's description."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from flask import (
    Blueprint,
    Response,
    g,
    redirect,
    render_template,
    request,
    send_from_directory,
)
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from sqlalchemy import text
from werkzeug.wrappers import Response as BaseResponse

from core import artifacts
from core.errors import McpUnreachable
from web import metrics, stream
from web.api import description
from web.console import console
from web.guard import open_to_all

blueprint = Blueprint("pages", __name__)

STATIC = Path(__file__).resolve().parent.parent / "static"
MANIFEST = STATIC / "dist" / ".vite" / "manifest.json"
FOREVER = 365 * 86_400
PICTURES = frozenset({"image/jpeg", "image/png", "image/webp", "image/gif"})
SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'none'"


@blueprint.get("/")
@open_to_all
def shell() -> BaseResponse | str:
    """Serve the console, or send whoever is not logged in to the login page."""
    return render_template("shell.html") if g.principal else redirect("/login")


@blueprint.get("/login")
@open_to_all
def login() -> str:
    """Serve the login page."""
    return render_template("login.html")


@blueprint.get("/static/<path:name>")
@open_to_all
def static_file(name: str) -> Response:
    """Serve what was built; hashed names never change, so they are kept for ever."""
    hashed = name.startswith("dist/assets/")
    return send_from_directory(STATIC, name, max_age=FOREVER if hashed else 300)


@blueprint.get("/healthz")
@open_to_all
def healthz() -> dict[str, Any]:
    """Say that the console is up."""
    return {"ok": True}


@blueprint.get("/readyz")
@open_to_all
def readyz() -> tuple[dict[str, Any], int]:
    """Say whether it can work: the database answers, and so does the MCP server."""
    with console().instance.db.read() as session:
        session.execute(text("SELECT 1"))
    try:
        console().phones.health()
    except McpUnreachable:
        return {"ok": False, "database": True, "mcp": False}, 503
    return {"ok": True, "database": True, "mcp": True}, 200


@blueprint.get("/metrics")
def show_metrics() -> Response:
    """Give figures for Prometheus."""
    metrics.refresh(console())
    return Response(generate_latest(metrics.REGISTRY), content_type=CONTENT_TYPE_LATEST)


@blueprint.get("/openapi.json")
def openapi() -> dict[str, Any]:
    """Describe the API, from the models that check it."""
    return description()


@blueprint.get("/api/events")
def events() -> Response:
    """Follow several topics in one SSE stream; a browser opens only this one."""
    topics = [each for each in request.args.get("topics", "").split(",") if each]
    cursor = request.headers.get("Last-Event-ID") or request.args.get("cursor")
    return stream.events_stream(topics, cursor)


@blueprint.get("/api/artifacts/<artifact_id>")
def artifact(artifact_id: str) -> Response:
    """Return a picture or file of a run; what may carry script is only ever downloaded."""
    found = artifacts.find(console().instance, artifact_id)
    response = send_from_directory(
        found.path.parent,
        found.path.name,
        mimetype=found.mime,
        max_age=FOREVER,
        as_attachment=found.mime not in PICTURES,
        download_name=found.name or None,
    )
    response.cache_control.public, response.cache_control.private = False, True
    response.headers["Content-Security-Policy"] = SANDBOX
    return response


@lru_cache(maxsize=1)
def _manifest(_changed: float) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(MANIFEST.read_text(encoding="utf-8"))
    return loaded


def asset(entry: str) -> dict[str, Any]:
    """Return the addresses of a built entry, as ``{js, css}``.

    Raises:
        FileNotFoundError: The front end was not built; start.sh builds it.
    """
    built = _manifest(MANIFEST.stat().st_mtime)[entry]
    return {
        "js": f"/static/dist/{built['file']}",
        "css": [f"/static/dist/{name}" for name in built.get("css", [])],
    }
