"""Backups: what goes in comes out, and nothing is overwritten on the way."""

import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from core.backup import backup, restore
from core.config import Config
from core.launch.lock import RunLock
from core.models import Base
from core.setup import ensure


def filled(data: Path) -> Config:
    """Make a data folder with one row, one picture, a key, and logs that are not saved."""
    (data / "artifacts" / "r1").mkdir(parents=True)
    (data / "logs").mkdir()
    (data / "logs" / "web.log").write_text("long")
    (data / "artifacts" / "r1" / "screen.jpg").write_bytes(b"jpg")
    (data / "instance.key").write_bytes(b"key")
    with closing(sqlite3.connect(data / "phonedeck.db")) as connection:
        connection.execute("CREATE TABLE notes (words TEXT)")
        connection.execute("INSERT INTO notes VALUES ('买牛奶')")
        connection.commit()
    return Config(phonedeck_data=data, database_url="")


def words(data: Path) -> str:
    with closing(sqlite3.connect(data / "phonedeck.db")) as connection:
        return str(connection.execute("SELECT words FROM notes").fetchone()[0])


def test_a_backup_restores_rows_pictures_and_the_key(tmp_path: Path) -> None:
    there = filled(tmp_path / "there")
    here = Config(phonedeck_data=tmp_path / "here", database_url="")
    file = tmp_path / "b.tar.gz"

    backup(there, file)
    aside = restore(here, file)

    assert aside is None
    assert words(here.data) == "买牛奶"
    assert (here.artifacts / "r1" / "screen.jpg").read_bytes() == b"jpg"
    assert (here.data / "instance.key").read_bytes() == b"key"
    assert not here.logs.exists()


def contents(data: Path) -> dict[str, list[tuple[object, ...]]]:
    """Read every row of every table; a virtual one is what stands in its own tables."""
    with closing(sqlite3.connect(data / "phonedeck.db")) as connection:
        named = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '% VIRTUAL %'"
        )
        return {
            name: connection.execute(f'SELECT * FROM "{name}"').fetchall()
            for (name,) in named.fetchall()
        }


def a_row_in_every_table(data: Path) -> None:
    """Put something into each column of each table, whatever refers to what."""
    with closing(sqlite3.connect(data / "phonedeck.db")) as connection:
        for table in Base.metadata.sorted_tables:
            values = [7 if column.type.python_type in (int, bool) else "七" for column in table.c]
            marks = ", ".join("?" * len(values))
            connection.execute(f'INSERT INTO "{table.name}" VALUES ({marks})', values)
        connection.commit()


def test_a_backup_holds_every_table(tmp_path: Path) -> None:
    there = Config(phonedeck_data=tmp_path / "there", database_url="")
    here = Config(phonedeck_data=tmp_path / "here", database_url="")
    ensure(there).db.close()
    a_row_in_every_table(there.data)
    before = contents(there.data)

    backup(there, tmp_path / "b.tar.gz")
    restore(here, tmp_path / "b.tar.gz")

    assert set(Base.metadata.tables) <= set(before)
    assert all(before[name] for name in Base.metadata.tables)
    assert contents(here.data) == before


def test_a_backup_holds_rows_that_a_writer_has_only_in_its_journal(tmp_path: Path) -> None:
    config = filled(tmp_path / "data")
    with closing(sqlite3.connect(config.data / "phonedeck.db")) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("UPDATE notes SET words = '新'")
        writer.commit()

        backup(config, tmp_path / "b.tar.gz")

    restore(Config(phonedeck_data=tmp_path / "here", database_url=""), tmp_path / "b.tar.gz")
    assert words(tmp_path / "here") == "新"


def test_only_its_owner_may_read_a_backup(tmp_path: Path) -> None:
    file = tmp_path / "b.tar.gz"

    backup(filled(tmp_path / "data"), file)

    assert file.stat().st_mode & 0o777 == 0o600


def test_a_backup_never_replaces_a_file(tmp_path: Path) -> None:
    file = tmp_path / "b.tar.gz"
    file.write_text("an older one")

    with pytest.raises(SystemExit, match="is there already"):
        backup(filled(tmp_path / "data"), file)

    assert file.read_text() == "an older one"


def test_a_restore_keeps_the_former_folder_aside(tmp_path: Path) -> None:
    config = filled(tmp_path / "data")
    backup(config, tmp_path / "b.tar.gz")
    (config.data / "artifacts" / "later.txt").write_text("made after the backup")

    aside = restore(config, tmp_path / "b.tar.gz")

    assert aside is not None
    assert (aside / "artifacts" / "later.txt").read_text() == "made after the backup"
    assert words(config.data) == "买牛奶"


def test_a_restore_is_refused_while_phonedeck_runs(tmp_path: Path) -> None:
    config = filled(tmp_path / "data")
    backup(config, tmp_path / "b.tar.gz")

    with RunLock(config.data), pytest.raises(SystemExit, match="Phonedeck is running"):
        restore(config, tmp_path / "b.tar.gz")

    assert words(config.data) == "买牛奶"


@pytest.mark.parametrize("name", ["../outside", "/tmp/outside", "a/../../outside"])
def test_a_restore_writes_nothing_outside_its_folder(tmp_path: Path, name: str) -> None:
    file = tmp_path / "evil.tar.gz"
    with tarfile.open(file, "w:gz") as archive:
        archive.addfile(tarfile.TarInfo(name))

    with pytest.raises(SystemExit, match="has no place in a backup"):
        restore(Config(phonedeck_data=tmp_path / "data", database_url=""), file)

    assert not (tmp_path / "outside").exists()


def test_a_damaged_database_is_not_put_in_place(tmp_path: Path) -> None:
    config = filled(tmp_path / "data")
    (tmp_path / "phonedeck.db").write_bytes(b"SQLite format 3\0" + b"x" * 500)
    with tarfile.open(tmp_path / "b.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "phonedeck.db", "phonedeck.db")
        archive.add(config.data / "instance.key", "instance.key")

    with pytest.raises(SystemExit, match="damaged"):
        restore(config, tmp_path / "b.tar.gz")

    assert words(config.data) == "买牛奶"


def test_a_database_elsewhere_is_left_to_its_own_tools(tmp_path: Path) -> None:
    config = Config(phonedeck_data=tmp_path, database_url="postgresql://h/phonedeck")

    with pytest.raises(SystemExit, match="DATABASE_URL"):
        backup(config, tmp_path / "b.tar.gz")
