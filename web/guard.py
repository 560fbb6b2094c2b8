"""Who may ask what: decided before a view runs, in the order 421, 401, 403, 404, 400.

A view says the role it needs with `needs`; one that says nothing needs a login, and an operator
for anything but reading. Open are only the views marked with `open_to_all`. Every unsafe request of
someone known is written down in the audit log, also one that was refused.
"""

import logging
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from flask import Flask, Response, current_app, g, request
from werkzeug.exceptions import BadRequest

from core import auth, conversations
from core.auth import Principal, Role
from core.devices import store as devices
from core.errors import (
    BadCsrf,
    ConsoleError,
    FileTooLarge,
    Forbidden,
    Invalid,
    NotFound,
    NotYours,
    TooLarge,
    Unauthorized,
    WrongHost,
)
from core.memory import actions, experiences
from core.people import audit
from core.runs import store
from core.tasks import runs as task_runs
from core.tasks import store as tasks
from web.console import console
from web.odd_values import odd_place

logger = logging.getLogger(__name__)

COOKIE = "phonedeck"
MB = 1024 * 1024
FORM_BYTES = 16_384  # what a form says around its file
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

View = TypeVar("View", bound=Callable[..., Any])


def needs(role: Role) -> Callable[[View], View]:
    """Say which role a view needs, whatever its method."""

    def mark(view: View) -> View:
        view.needs_role = role  # type: ignore[attr-defined]
        return view

    return mark


def open_to_all(view: View) -> View:
    """Mark a view that answers without login; CONTRACTS 2 lists them."""
    view.is_open = True  # type: ignore[attr-defined]
    return view


def self_service(view: View) -> View:
    """Mark a view with which any person, a viewer too, changes their own account."""
    view.is_self_service = True  # type: ignore[attr-defined]
    return view


def only_asks(view: View) -> View:
    """Mark a view that changes nothing though its question comes by POST; no entry is written."""
    view.only_asks = True  # type: ignore[attr-defined]
    return view


def owners(view: View) -> View:
    """Mark a view that changes the conversation or run of its path: owner and admins only."""
    view.is_owners = True  # type: ignore[attr-defined]
    return view


def takes_file(most_mb: int) -> Callable[[View], View]:
    """Mark a view whose body is a form with a file of at most so many MB, and not JSON."""

    def mark(view: View) -> View:
        view.file_mb = most_mb  # type: ignore[attr-defined]
        return view

    return mark


def principal() -> Principal:
    """Return who asks; only in views behind the guard."""
    who: Principal = g.principal
    return who


def check_owner(conv_id: str) -> None:
    """Refuse to let somebody else change a conversation; one without owner is everybody's.

    Raises:
        NotFound: There is none of that id.
        NotYours: It has another owner, and who asks is no admin.
    """
    who, found = principal(), conversations.head(console().instance.db, conv_id)
    if found["owner_id"] not in (None, who.user_id) and not who.may("admin"):
        raise NotYours(owner=found["owner"])


def named(name: str) -> None:
    """Say for the audit log whom a request of a stranger is about."""
    g.named = name


def install(app: Flask) -> None:
    """Check every request before its view, in this order, and write down what it did."""
    app.before_request(_check_host)
    app.before_request(_check_login)
    app.before_request(_check_right)
    app.before_request(_check_things)
    app.before_request(_check_body)
    app.after_request(_write_down)


def _check_host() -> None:
    host = urlsplit(f"//{request.host}").hostname or ""
    allowed = {each.strip("[]") for each in console().instance.config.allowed_hosts}
    if host not in allowed:
        raise WrongHost


def _check_login() -> None:
    g.principal = _who()
    if g.principal is None and not _view_has("is_open"):
        raise Unauthorized


def _who() -> Principal | None:
    db = console().instance.db
    header = request.headers.get("Authorization", "")
    if header.startswith("Bearer "):
        return auth.by_token(db, header.removeprefix("Bearer ").strip())
    cookie = request.cookies.get(COOKIE)
    return auth.by_session(db, cookie) if cookie else None


def _check_right() -> None:
    who: Principal | None = g.principal
    if request.method not in SAFE:
        _check_same_site()
        if who is not None and who.csrf is not None and not _view_has("is_open"):
            _check_csrf(who.csrf)
    if who is None or _view_has("is_open"):
        return
    if _view_has("is_self_service") and who.token_id is None:
        return
    by_method: Role = "viewer" if request.method in SAFE else "operator"
    needed: Role = getattr(_view(), "needs_role", by_method)
    if not who.may(needed):
        raise Forbidden


def _check_same_site() -> None:
    if request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site"):
        raise BadCsrf
    origin = request.headers.get("Origin")
    if origin and urlsplit(origin).netloc != request.host:
        raise BadCsrf


def _check_csrf(expected: str) -> None:
    if request.headers.get("X-CSRF-Token") != expected:
        raise BadCsrf


def _check_things() -> None:
    """Answer 404 for what a path names before its body is looked at."""
    if request.routing_exception is not None:
        raise request.routing_exception
    db = console().instance.db
    for name, value in (request.view_args or {}).items():
        if name == "run_id":
            _check_conversation(store.get(db, value).conv_id)
        elif name == "conv_id":
            _check_conversation(value)
        elif name == "task_id":
            tasks.get(db, value)
        elif name == "task_run_id":
            task_runs.check(db, value)
        elif name == "action_id":
            actions.get(db, value)
        elif name == "experience_id":
            experiences.get(db, value)
        elif name == "serial" and devices.known(db, value) is None:
            raise NotFound(kind="device", name=value)


def _check_conversation(conv_id: str) -> None:
    if _view_has("is_owners"):
        check_owner(conv_id)
    else:
        conversations.head(console().instance.db, conv_id)


def _check_body() -> None:
    """Refuse what is not a JSON object; without this it would count as an empty one."""
    if request.method in SAFE or not request.path.startswith("/api/"):
        return
    if _view_has("file_mb"):
        _check_file(_view().file_mb)
        return
    body = request.get_data(cache=True)
    # a body that came without its length is cut there in silence
    if len(body) >= current_app.config["MAX_CONTENT_LENGTH"]:
        raise TooLarge
    if not body:
        return
    try:
        parsed = request.get_json(force=True)
    except (BadRequest, RecursionError) as error:  # nested deeper than anybody reads
        raise Invalid(path="", detail="not JSON") from error
    if not isinstance(parsed, dict):
        raise Invalid(path="", detail="not a JSON object")
    if not request.is_json:
        raise Invalid(path="", detail="Content-Type must be application/json")
    odd = odd_place(parsed)
    if odd is not None:
        raise Invalid(path=odd, detail=f"{odd}: no text of whole characters, or no number")


def _check_file(most_mb: int) -> None:
    """Refuse a file by its announced length, before any of it is read."""
    if request.mimetype != "multipart/form-data" or request.content_length is None:
        raise Invalid(path="", detail="multipart/form-data with its Content-Length is needed")
    if request.content_length > most_mb * MB + FORM_BYTES:
        raise FileTooLarge(path="file", most_mb=most_mb)


def _write_down(response: Response) -> Response:
    who: Principal | None = g.get("principal")
    name = who.person if who else g.get("named", "")
    # what a stranger was refused is nobody's deed, and would let strangers fill the disk
    is_deed = bool(name) or (_view_has("is_open") and response.status_code < 400)
    asks = request.method in SAFE or _view_has("only_asks")
    if asks or request.endpoint is None or not is_deed:
        return response
    deed = audit.Deed(
        user_id=who.user_id if who else None,
        who=name,
        token=who.name if who and who.token_id else "",
        action=request.endpoint,
        method=request.method,
        target=request.path,
        status=response.status_code,
        address=request.remote_addr or "",
    )
    try:
        audit.write(console().instance.db, deed)
    except ConsoleError as error:  # it is done all the same, and its answer stands
        logger.error("not written down (%s): %s", error, deed)
    return response


def _view() -> Any:
    return current_app.view_functions.get(request.endpoint or "")


def _view_has(mark: str) -> bool:
    return bool(getattr(_view(), mark, False))
