"""Save a data folder as one file, and put such a file back.

``python -m core.backup backup FILE`` works while Phonedeck runs: SQLite copies a consistent
state. ``python -m core.backup restore FILE`` refuses then. A backup holds the instance key, with
which the secrets in the database can be read, so only its owner may read the file.
"""

import os
import shutil
import sqlite3
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path

from core.config import Config
from core.launch.lock import RunLock

DATABASE = "phonedeck.db"
NOT_SAVED = {"logs", "run.lock", ".setup.lock", DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"}
NEEDED = {DATABASE, "instance.key"}


def backup(config: Config, file: Path) -> None:
    """Write the data folder to ``file``, a gzip-compressed tar that only its owner may read.

    Raises:
        SystemExit: there is nothing to save, ``file`` exists, or the database is elsewhere.
    """
    _require_own_database(config)
    if not (config.data / DATABASE).is_file():
        raise SystemExit(f"there is nothing to save in {config.data}")
    if file.exists():
        raise SystemExit(f"{file} is there already: name another file")
    part = file.with_name(f"{file.name}.part")
    try:
        with tempfile.TemporaryDirectory(dir=config.data, prefix=".backup-") as folder:
            copy = Path(folder) / DATABASE
            _copy_database(config.data / DATABASE, copy)
            _pack(part, copy, config.data)
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)


def restore(config: Config, file: Path) -> Path | None:
    """Put a backup in the place of the data folder.

    Returns:
        Where the former data folder is now; None when there was none.

    Raises:
        SystemExit: Phonedeck is running, or ``file`` is no whole backup.
    """
    _require_own_database(config)
    data = config.data
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (
        RunLock(data),
        tempfile.TemporaryDirectory(dir=data.parent, prefix=".restore-") as folder,
    ):
        fresh = Path(folder) / "data"
        _unpack(file, fresh)
        _check_database(fresh / DATABASE)
        return _swap(data, fresh)


def _require_own_database(config: Config) -> None:
    if config.database_url:
        raise SystemExit("DATABASE_URL is set: use the backup tools of that database")


def _copy_database(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as here, closing(sqlite3.connect(target)) as there:
        here.backup(there)


def _pack(part: Path, database: Path, data: Path) -> None:
    part.unlink(missing_ok=True)
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as raw, tarfile.open(fileobj=raw, mode="w|gz") as archive:
        archive.add(database, DATABASE)
        for path in _files(data):
            with suppress(FileNotFoundError):  # a picture that was cleaned away since
                archive.add(path, str(path.relative_to(data)), recursive=False)


def _files(data: Path) -> Iterator[Path]:
    for top in sorted(data.iterdir()):
        if top.name in NOT_SAVED or top.name.startswith(".backup-"):
            continue
        yield from (p for p in sorted(top.rglob("*")) if p.is_file()) if top.is_dir() else [top]


def _unpack(file: Path, target: Path) -> None:
    target.mkdir(mode=0o700)
    try:
        with tarfile.open(file, "r:gz") as archive:
            names = {_unpack_member(archive, member, target) for member in archive}
    except (OSError, EOFError, tarfile.TarError) as error:
        raise SystemExit(f"{file} is no backup that can be read: {error}") from None
    if not names >= NEEDED:
        raise SystemExit(f"{file} is no Phonedeck backup: it lacks {', '.join(NEEDED - names)}")


def _unpack_member(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> str:
    path = (target / member.name).resolve()
    content = archive.extractfile(member) if member.isreg() else None
    if content is None or not path.is_relative_to(target.resolve()):
        raise tarfile.TarError(f"{member.name!r} has no place in a backup")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        shutil.copyfileobj(content, out)
    return member.name


def _check_database(path: Path) -> None:
    try:
        with closing(sqlite3.connect(path)) as connection:
            verdict = connection.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.DatabaseError as error:
        verdict = str(error)
    if verdict != "ok":
        raise SystemExit(f"the database in the backup is damaged: {verdict}")


def _swap(data: Path, fresh: Path) -> Path | None:
    aside = data.with_name(f"{data.name}.before-{datetime.now():%Y%m%d-%H%M%S}")
    data.rename(aside)
    fresh.rename(data)
    if [path.name for path in aside.iterdir()] != ["run.lock"]:
        return aside
    shutil.rmtree(aside)
    return None


def main(arguments: list[str]) -> None:
    """Run one of the two commands."""
    match arguments:
        case ["backup", name]:
            backup(Config(), Path(name))
            sys.stdout.write(f"Saved to {name}. Keep it safe: it holds the instance key.\n")
        case ["restore", name]:
            aside = restore(Config(), Path(name))
            sys.stdout.write(f"Restored from {name}.\n")
            if aside is not None:
                sys.stdout.write(f"The former data folder is {aside}.\n")
        case _:
            raise SystemExit("usage: python -m core.backup backup|restore FILE")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except OSError as problem:
        raise SystemExit(f"that did not work: {problem}") from None
