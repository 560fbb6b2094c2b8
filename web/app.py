"""Make the console: one Flask application with everything it shares.

Threads start in the process that serves: `web.gunicorn_conf` calls `Console.start` there.
"""

from functools import partial

from flask import Flask, Response
from werkzeug.middleware.proxy_fix import ProxyFix

from core import artifacts, settings
from core.config import Config
from core.devices import store as devices
from core.devices.remote import RemotePhones
from core.runs import store as runs
from core.runs.logs import EventLogs
from core.setup import ensure
from core.tasks import runs as task_runs
from mcp_agent.heal import Healer
from mcp_agent.learner import Learner
from mcp_agent.runner import Runner
from mcp_agent.task_runner import TaskRunner
from web import (
    agent_api,
    attachments_api,
    auth_api,
    conversations_api,
    devices_api,
    drafts_api,
    errors,
    guard,
    library_api,
    memory_api,
    pages,
    people_api,
    proposals_api,
    review_api,
    rules_api,
    task_runs_api,
    tasks_api,
)
from web.api import spec
from web.board import Board
from web.clock import Clock
from web.console import KEY, Console

MAX_BODY = 32 * 1024 * 1024
BLUEPRINTS = (
    auth_api.blueprint,
    people_api.blueprint,
    agent_api.blueprint,
    attachments_api.blueprint,
    conversations_api.blueprint,
    devices_api.blueprint,
    pages.blueprint,
    rules_api.blueprint,
    memory_api.blueprint,
    review_api.blueprint,
    library_api.blueprint,
    tasks_api.blueprint,
    task_runs_api.blueprint,
    drafts_api.blueprint,
    proposals_api.blueprint,
)
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data: blob:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "worker-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def create_app(config: Config | None = None) -> Flask:
    """Make the application; `Console.start` begins to work."""
    app = Flask(__name__, static_folder=None, template_folder="../templates")
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    config = config or Config()
    app.extensions[KEY] = _console(config)
    if config.phonedeck_proxies:
        known = {"x_for": config.phonedeck_proxies, "x_proto": config.phonedeck_proxies}
        app.wsgi_app = ProxyFix(app.wsgi_app, **known)  # type: ignore[method-assign]
    app.jinja_env.globals["asset"] = pages.asset
    errors.install(app)
    guard.install(app)
    auth_api.limiter.init_app(app)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    spec.register(app)
    app.after_request(_add_headers)
    return app


def console_of(app: Flask) -> Console:
    """Return the console behind an application."""
    found: Console = app.extensions[KEY]
    return found


def _console(config: Config) -> Console:
    instance = ensure(config)
    logs = EventLogs(instance.db, runs.next_boot(instance.db))
    runner = Runner(instance, logs)
    learner = Learner(instance, partial(settings.load, instance))
    phones = RemotePhones(config.phonedeck_mcp_port, instance.loopback_secret)
    tasks = TaskRunner(instance, phones)
    tasks.mender = Healer(instance, phones, partial(settings.load, instance))
    board = Board(
        logs.bell,
        {
            "runs": lambda _lang: runner.snapshot(),
            "devices": lambda lang: {"items": devices.listing(instance.db, lang)},
            "memory": lambda _lang: {"learned": learner.newest},
            "storage": lambda _lang: {"low": artifacts.is_low(instance)},
            "tasks": lambda lang: {"items": task_runs.open_runs(instance.db, lang)},
        },
        {"task_run": lambda run_id, lang: task_runs.get(instance.db, run_id, lang)},
    )
    runner.changed = tasks.changed = learner.changed = board.changed
    runner.learn = learner.consider
    return Console(
        instance, logs, runner, tasks, phones, board, Clock(instance, phones, tasks.wake), learner
    )


def _add_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response
