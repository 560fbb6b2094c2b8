"""Who logs in, and what is known of it: users, sessions, tokens, the audit log."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from web.schemas.base import Gives, Takes


class Login(Takes):
    """Who wants in."""

    username: str = Field(min_length=1, max_length=64)
    password: str = Field(min_length=1, max_length=256)


class LoggedIn(Gives):
    """Who is in; ``csrf`` goes into ``X-CSRF-Token`` of every unsafe request."""

    user: str
    role: str
    csrf: str | None


class Me(LoggedIn):
    """Who asks, and the language chosen; empty means: as the browser says."""

    id: str
    lang: str


class MeChange(Takes):
    """What a user changes about themselves."""

    lang: Literal["zh", "en"] | None = None
    old_password: str | None = Field(default=None, max_length=256)
    new_password: str | None = Field(default=None, min_length=8, max_length=256)


def _readable(name: str) -> str:
    if name != name.strip() or not name.isprintable():
        raise ValueError("a name has no blanks at its ends and nothing that cannot be seen")
    return name


Name = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_readable)]

RoleName = Literal["viewer", "operator", "admin"]


class NewUser(Takes):
    """Somebody who may log in; without a password one is made."""

    name: Name
    role: RoleName
    password: str | None = Field(default=None, min_length=8, max_length=256)


class UserChange(Takes):
    """Another role, or a new password to be made."""

    role: RoleName | None = None
    reset_password: bool = False


class UserShown(Gives):
    """A user; ``seen`` is when one of their sessions was last used."""

    id: str
    name: str
    role: str
    created: str
    seen: str | None
    sessions: int
    tokens: int
    password: str | None = None


class UserPage(Gives):
    """Users by name."""

    items: list[UserShown]
    next: str | None


class SessionShown(Gives):
    """A browser that is logged in; ``current`` is the one that asks."""

    id: str
    user: str
    user_id: str
    address: str
    agent: str
    created: str
    used: str
    expires: str
    current: bool


class SessionPage(Gives):
    """Sessions, last used first."""

    items: list[SessionShown]
    next: str | None


class NewToken(Takes):
    """A program's key to be made; its role is at most one's own."""

    name: Name
    role: RoleName


class Token(Gives):
    """The secret, shown this once."""

    token: str


class TokenShown(Gives):
    """A program's key without its secret."""

    id: str
    name: str
    role: str
    user: str
    user_id: str
    created: str
    used: str | None


class TokenPage(Gives):
    """API tokens, newest first."""

    items: list[TokenShown]
    next: str | None


class AuditShown(Gives):
    """What somebody did; ``action`` is the operation's name, ``times`` counts quick repeats."""

    id: int
    who: str
    token: str
    action: str
    method: str
    target: str
    status: int
    address: str
    times: int
    created: str
    until: str


class AuditPage(Gives):
    """What was done, newest first."""

    items: list[AuditShown]
    next: str | None
