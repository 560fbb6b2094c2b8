"""Who may do what: logins, roles, tokens."""

from core.errors.base import Conflict, Forbidden, Invalid, Unauthorized


class BadLogin(Unauthorized):
    """The name or the password is wrong; which of them is not said."""

    code = "bad_login"


class BadCsrf(Forbidden):
    """A browser's unsafe request came without its session's token, or from another site."""

    code = "bad_csrf"


class NotYours(Forbidden):
    """A conversation is changed by its owner and by admins; details: ``owner``."""

    code = "not_yours"


class WriteOff(Forbidden):
    """The MCP server runs without ``MCP_ALLOW_WRITE``, or the caller may only read."""

    code = "write_off"


class WrongDevice(Forbidden):
    """The token names one device and the call another."""

    code = "wrong_device"


class RunOnly(Forbidden):
    """A tool that belongs to a run was called by another program."""

    code = "run_only"


class WrongPassword(Invalid):
    """The present password, asked for before a change, is another."""

    code = "wrong_password"


class LastAdmin(Conflict):
    """Without this user nobody could look after users any more; details: ``name``."""

    code = "last_admin"
