"""Make a data folder ready: migrations, the instance key, the first administrator.

`ensure` is idempotent and locked; start.sh calls it, and so does the MCP server or the CLI when
it starts alone. ``python -m core.setup`` runs it and prints the first password once;
``python -m core.setup reset-password [USER]`` sets a new one.
"""

import fcntl
import hmac
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cryptography.fernet import Fernet
from sqlalchemy import inspect, text

from core.config import Config
from core.db import Database
from core.errors import ConsoleError
from core.people import passwords, users

MIGRATIONS = Path(__file__).resolve().parent.parent / "migrations"
KEY_FILE = "instance.key"


@dataclass(frozen=True)
class Instance:
    """One Phonedeck: its configuration, its database and its secrets."""

    config: Config
    db: Database
    key: bytes

    @cached_property
    def fernet(self) -> Fernet:
        """Encrypts what must not lie in the database in the clear."""
        return Fernet(self.key)

    @cached_property
    def loopback_secret(self) -> str:
        """What the console shows the MCP server to ask for frames; derived from the key."""
        return hmac.new(self.key, b"loopback", "sha256").hexdigest()


def ensure(config: Config | None = None) -> Instance:
    """Make the data folder ready and open it; safe to call from several processes at once."""
    config = config or Config()
    for folder in (config.data, config.artifacts, config.logs):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(config.data / ".setup.lock"):
        instance = Instance(config, Database(config.url), _instance_key(config.data / KEY_FILE))
        _migrate(instance.db)
    return instance


def first_admin(instance: Instance) -> str | None:
    """Create the administrator of a new instance.

    Returns:
        The password when it was generated here, to be shown once; None when there is a user
        already or the deployer chose the password.
    """
    chosen = instance.config.phonedeck_admin_password
    with _locked(instance.config.data / ".setup.lock"):
        if users.has_users(instance.db):
            return None
        password = chosen or passwords.new_password()
        users.create_user(instance.db, "admin", password, "admin")
    return None if chosen else password


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _instance_key(path: Path) -> bytes:
    if not path.exists():
        draft = path.with_suffix(".new")
        draft.touch(mode=0o600)
        draft.write_bytes(Fernet.generate_key())
        os.replace(draft, path)
    return path.read_bytes().strip()


def _migrate(db: Database) -> None:
    if _is_current(db):
        return
    # imported late: it costs a fifth of the MCP server's imports, paid at each restart
    from alembic import command
    from alembic.config import Config as AlembicConfig

    alembic = AlembicConfig()
    alembic.set_main_option("script_location", str(MIGRATIONS))
    alembic.attributes["url"] = db.url
    command.upgrade(alembic, "head")


def _is_current(db: Database) -> bool:
    newest = max(file.name.partition("_")[0] for file in (MIGRATIONS / "versions").glob("*.py"))
    with db.read() as session:
        if not inspect(session.connection()).has_table("alembic_version"):
            return False
        revision = session.scalar(text("SELECT version_num FROM alembic_version"))
    return bool(revision == newest)


def main(arguments: list[str]) -> int:
    """Run the set-up step, or set a new password; returns the exit code."""
    instance = ensure()
    password = first_admin(instance)
    try:
        if arguments[:1] == ["reset-password"]:
            name = arguments[1] if len(arguments) > 1 else "admin"
            sys.stdout.write(f"{name}: {users.reset_password(instance.db, name)}\n")
        elif password:
            sys.stdout.write(f"admin: {password}\n")
    except ConsoleError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        instance.db.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
