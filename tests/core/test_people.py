"""Accounts, sessions, tokens and the audit log."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from core import auth, conversations
from core.clock import utc_now
from core.errors import LastAdmin, NotFound, WrongPassword
from core.models import ApiToken, AuditEntry, AuthSession
from core.people import audit, sessions, tokens, users
from core.people.audit import Deed
from core.setup import Instance

DEED = Deed("u1", "wang", "", "devices.touch", "POST", "/api/devices/a/input", 200, "10.0.0.7")


def test_one_admin_always_stays(instance: Instance) -> None:
    first = users.create_user(instance.db, "wang", "correct horse", "admin")
    second = users.create_user(instance.db, "li", "correct horse", "admin")
    users.set_role(instance.db, first, "viewer")

    with pytest.raises(LastAdmin, match="li is the last admin"):
        users.set_role(instance.db, second, "operator")
    with pytest.raises(LastAdmin):
        users.remove(instance.db, second)

    assert users.get(instance.db, second).role == "admin"


def test_who_is_removed_is_out_and_what_they_said_stays(instance: Instance) -> None:
    user_id = users.create_user(instance.db, "wang", "correct horse", "operator")
    login = auth.log_in(instance.db, "wang", "correct horse")
    token = auth.create_token(instance.db, login.principal, "ci", "operator")
    conv = conversations.create(instance.db, "Shopping", user_id)

    users.remove(instance.db, user_id)

    assert auth.by_session(instance.db, login.secret) is None
    assert auth.by_token(instance.db, token) is None
    kept = conversations.head(instance.db, conv["id"])
    assert (kept["title"], kept["owner"], kept["owner_id"]) == ("Shopping", None, None)


def test_a_new_password_ends_the_other_sessions_and_not_the_one_that_asks(
    instance: Instance,
) -> None:
    user_id = users.create_user(instance.db, "wang", "correct horse", "operator")
    here = auth.log_in(instance.db, "wang", "correct horse")
    there = auth.log_in(instance.db, "wang", "correct horse")

    with pytest.raises(WrongPassword):
        users.change_password(instance.db, user_id, "wrong", "x" * 9, None)
    users.change_password(
        instance.db, user_id, "correct horse", "battery staple", here.principal.session_id
    )

    assert auth.by_session(instance.db, here.secret) is not None
    assert auth.by_session(instance.db, there.secret) is None


def test_sessions_tell_where_they_are_and_end_by_their_name(instance: Instance) -> None:
    user_id = users.create_user(instance.db, "wang", "correct horse", "operator")
    auth.log_in(instance.db, "wang", "correct horse", "10.0.0.7", "Firefox " + "x" * 500)
    (login,) = sessions.listing(instance.db, user_id)

    with pytest.raises(NotFound):
        sessions.end(instance.db, login.session_id, "somebody")
    with pytest.raises(NotFound):
        sessions.end(instance.db, login.session_id[:3], None)
    sessions.end(instance.db, login.session_id, user_id)

    assert (login.user, login.address) == ("wang", "10.0.0.7")
    assert login.agent.startswith("Firefox")
    assert sessions.listing(instance.db, None) == []


def test_a_use_is_noted_and_not_at_every_request(instance: Instance) -> None:
    users.create_user(instance.db, "wang", "correct horse", "operator")
    login = auth.log_in(instance.db, "wang", "correct horse")
    secret = auth.create_token(instance.db, login.principal, "ci", "viewer")
    long_ago = utc_now() - timedelta(hours=1)
    with instance.db.write() as session:
        session.execute(update(AuthSession).values(used=long_ago))

    auth.by_session(instance.db, login.secret)
    auth.by_token(instance.db, secret)
    first = _uses(instance)
    auth.by_session(instance.db, login.secret)
    auth.by_token(instance.db, secret)

    assert None not in first
    assert long_ago not in first
    assert _uses(instance) == first


def test_a_token_is_revoked_by_its_owner_and_by_nobody_beside_an_admin(instance: Instance) -> None:
    users.create_user(instance.db, "wang", "correct horse", "operator")
    owner = auth.log_in(instance.db, "wang", "correct horse").principal
    secret = auth.create_token(instance.db, owner, "ci", "operator")
    (key,) = tokens.listing(instance.db, owner.user_id)

    with pytest.raises(NotFound):
        tokens.remove(instance.db, key.token_id, "somebody")
    still = auth.by_token(instance.db, secret)
    tokens.remove(instance.db, key.token_id, None)

    assert still is not None
    assert (still.name, still.person) == ("ci", "wang")
    assert auth.by_token(instance.db, secret) is None


def test_quick_repeats_are_counted_on_one_row(instance: Instance) -> None:
    for _ in range(3):
        audit.write(instance.db, DEED)
    with instance.db.write() as session:
        session.execute(update(AuditEntry).values(until=utc_now() - timedelta(minutes=2)))
    audit.write(instance.db, DEED)

    found = audit.listing(instance.db)["items"]
    assert [each["times"] for each in found] == [1, 3]


def test_the_log_is_searched_and_read_page_by_page(instance: Instance) -> None:
    with instance.db.write() as session:
        for n in range(audit.PAGE + 5):
            session.add(AuditEntry(**{**DEED.columns(), "target": f"/api/devices/{n}"}))
        session.add(AuditEntry(**{**DEED.columns(), "who": "50%", "action": "auth.log_in"}))

    first = audit.listing(instance.db, who="WANG")
    second = audit.listing(instance.db, who="wang", before=int(first["next"]))

    assert [len(page["items"]) for page in (first, second)] == [audit.PAGE, 5]
    assert second["next"] is None
    assert [each["who"] for each in audit.listing(instance.db, who="%")["items"]] == ["50%"]
    assert len(audit.listing(instance.db, what="log_in")["items"]) == 1


def test_the_oldest_rows_of_a_full_log_go(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "KEPT", 5)
    monkeypatch.setattr(audit, "SWEEP_EVERY", 10)

    for n in range(10):
        audit.write(instance.db, Deed("u1", "wang", "", "a", "POST", f"/{n}", 200, ""))

    with instance.db.read() as session:
        assert session.scalar(select(func.count()).select_from(AuditEntry)) == 5
        assert session.scalar(select(func.min(AuditEntry.id))) == 6


def _uses(instance: Instance) -> list[object]:
    with instance.db.read() as session:
        return [session.scalar(select(AuthSession.used)), session.scalar(select(ApiToken.used))]
