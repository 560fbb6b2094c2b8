"""The one source of ids and secrets."""

import hashlib
import secrets

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: read aloud without mistakes


def short_id() -> str:
    """Return a new id: 12 URL-safe characters, 60 random bits."""
    return "".join(secrets.choice(ALPHABET) for _ in range(12))


def secret_token(prefix: str) -> str:
    """Return a new bearer secret with 256 random bits; only `digest` of it is ever stored."""
    return f"{prefix}_{secrets.token_urlsafe(32)}"


def digest(secret: str) -> str:
    """Return the stored form of a bearer secret; plain SHA-256, since the secret is random."""
    return hashlib.sha256(secret.encode()).hexdigest()
