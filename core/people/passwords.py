"""Passwords: made, hashed with argon2, and checked."""

import secrets

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

HASHER = PasswordHasher()
# checked when no such user exists, so that a wrong name takes as long as a wrong password
NOBODYS = HASHER.hash("no such user")


def new_password() -> str:
    """Return a password that can be typed from a terminal: about 80 random bits."""
    return "-".join(secrets.token_hex(2) for _ in range(5))


def hashed(password: str) -> str:
    """Return the form in which a password is kept."""
    return HASHER.hash(password)


def fits(kept: str | None, password: str) -> bool:
    """Say whether a password is the kept one; None stands for a user who does not exist."""
    try:
        HASHER.verify(kept or NOBODYS, password)
    except (VerificationError, InvalidHashError):
        return False
    return kept is not None
