"""Logins, sessions and tokens."""

import pytest
from sqlalchemy import select

from core import auth
from core.errors import BadLogin, Conflict, NotFound
from core.models import ApiToken, AuthSession, User
from core.people import users
from core.setup import Instance


def test_a_session_names_its_user_until_it_is_ended(instance: Instance) -> None:
    users.create_user(instance.db, "wang", "correct horse", "operator")
    session = auth.log_in(instance.db, "wang", "correct horse")

    before = auth.by_session(instance.db, session.secret)
    auth.log_out(instance.db, session.secret)

    assert before is not None
    assert (before.name, before.role) == ("wang", "operator")
    assert auth.by_session(instance.db, session.secret) is None


@pytest.mark.parametrize(("name", "password"), [("wang", "wrong"), ("nobody", "correct horse")])
def test_a_wrong_name_and_a_wrong_password_read_the_same(
    instance: Instance, name: str, password: str
) -> None:
    users.create_user(instance.db, "wang", "correct horse", "operator")

    with pytest.raises(BadLogin, match="user name or the password"):
        auth.log_in(instance.db, name, password)


def test_a_token_is_never_above_its_owner(instance: Instance) -> None:
    users.create_user(instance.db, "wang", "correct horse", "viewer")
    owner = auth.log_in(instance.db, "wang", "correct horse").principal

    secret = auth.create_token(instance.db, owner, "ci", "admin")

    found = auth.by_token(instance.db, secret)
    assert found is not None
    assert found.role == "viewer"


def test_no_secret_lies_in_the_database(instance: Instance) -> None:
    users.create_user(instance.db, "wang", "correct horse", "operator")
    login = auth.log_in(instance.db, "wang", "correct horse")
    token = auth.create_token(instance.db, login.principal, "ci", "operator")

    with instance.db.read() as session:
        stored = [
            *session.scalars(select(User.password_hash)),
            *session.scalars(select(AuthSession.digest)),
            *session.scalars(select(ApiToken.digest)),
        ]

    assert not {"correct horse", login.secret, token} & set(stored)


def test_a_reset_ends_the_old_sessions(instance: Instance) -> None:
    users.create_user(instance.db, "wang", "correct horse", "operator")
    old = auth.log_in(instance.db, "wang", "correct horse")

    password = users.reset_password(instance.db, "wang")

    assert auth.by_session(instance.db, old.secret) is None
    assert auth.log_in(instance.db, "wang", password).principal.name == "wang"


def test_a_name_is_taken_once_and_an_unknown_one_is_said(instance: Instance) -> None:
    users.create_user(instance.db, "wang", "correct horse", "operator")

    with pytest.raises(Conflict):
        users.create_user(instance.db, "wang", "other", "viewer")
    with pytest.raises(NotFound, match="no user li"):
        users.reset_password(instance.db, "li")
