"""Pictures and files: the bytes on disk under the id, a row that says what and whose they are."""

import errno
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import select

from core.errors import DiskFull, DiskLow, NotFound
from core.ids import short_id
from core.models import Artifact
from core.setup import Instance

MB = 1024 * 1024
FLOOR = 1024 * MB
NO_ROOM = frozenset((errno.ENOSPC, errno.EDQUOT))
URL = "/api/artifacts/{id}"


@dataclass(frozen=True, slots=True)
class Stored:
    """An artifact that can be read."""

    id: str
    run_id: str | None
    mime: str
    path: Path
    name: str = ""


def save(
    instance: Instance,
    run_id: str | None,
    data: bytes,
    mime: str,
    *,
    of_task: bool = False,
    name: str = "",
) -> str:
    """Keep the bytes of a run, or of a task run, and return the address where a person sees them.

    What a person added has a ``name``, and no run before it is sent; see `core.attachments`.

    Raises:
        DiskLow: The disk is nearly full; what is left belongs to the database.
        DiskFull: It is full.
    """
    if is_low(instance):
        raise DiskLow(free_mb=free_bytes(instance) // MB)
    artifact_id = short_id()
    path = _path(instance, artifact_id)
    owner = {"task_run_id" if of_task else "run_id": run_id}
    try:
        _put(path, data)
        with instance.db.write() as session:
            session.add(Artifact(id=artifact_id, mime=mime, size=len(data), name=name, **owner))
    except DiskFull:
        path.unlink(missing_ok=True)  # the room is needed
        raise
    return URL.format(id=artifact_id)


def find(instance: Instance, artifact_id: str) -> Stored:
    """Return an artifact.

    Raises:
        NotFound: There is none of that id, or its bytes are gone.
    """
    with instance.db.read() as session:
        row = session.get(Artifact, artifact_id)
    if row is None or not _path(instance, row.id).is_file():
        raise NotFound(kind="artifact", name=artifact_id)
    return Stored(row.id, row.run_id, row.mime, _path(instance, row.id), row.name)


def remove_files(instance: Instance, artifact_ids: Iterable[str]) -> None:
    """Remove the bytes of artifacts whose rows are gone already."""
    for artifact_id in artifact_ids:
        _path(instance, artifact_id).unlink(missing_ok=True)


def remove_strays(instance: Instance, before: datetime) -> int:
    """Remove files that no row speaks of: of deleted conversations, or never finished.

    Args:
        instance: Whose they are.
        before: Younger ones may be about to get their row.
    """
    with instance.db.read() as session:
        known = set(session.scalars(select(Artifact.id)))
    removed = 0
    for path in instance.config.artifacts.iterdir():
        with suppress(FileNotFoundError):  # a draft that has become a picture meanwhile
            if path.name not in known and path.stat().st_mtime < before.timestamp():
                path.unlink()
                removed += 1
    return removed


def free_bytes(instance: Instance) -> int:
    """Say how much room the disk of the artifacts has left."""
    return shutil.disk_usage(instance.config.artifacts).free


def is_low(instance: Instance) -> bool:
    """Say whether so little room is left that no more pictures are kept."""
    return free_bytes(instance) < FLOOR


def _put(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    draft = path.with_suffix(".part")
    try:
        draft.write_bytes(data)
    except OSError as error:
        draft.unlink(missing_ok=True)
        if error.errno in NO_ROOM:
            raise DiskFull from error
        raise
    os.replace(draft, path)


def _path(instance: Instance, artifact_id: str) -> Path:
    return instance.config.artifacts / artifact_id
