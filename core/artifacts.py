"""Pictures and files of runs: the bytes on disk under the id, a row that says what they are."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from core.errors import DiskLow, NotFound
from core.ids import short_id
from core.models import Artifact
from core.setup import Instance

MB = 1024 * 1024
FLOOR = 1024 * MB
URL = "/api/artifacts/{id}"


@dataclass(frozen=True, slots=True)
class Stored:
    """An artifact that can be read."""

    id: str
    run_id: str
    mime: str
    path: Path


def save(instance: Instance, run_id: str, data: bytes, mime: str) -> str:
    """Keep the bytes and return the address under which a person sees them.

    Raises:
        DiskLow: The disk is nearly full; what is left belongs to the database.
    """
    if free_bytes(instance) < FLOOR:
        raise DiskLow(free_mb=free_bytes(instance) // MB)
    artifact_id = short_id()
    path = _path(instance, artifact_id)
    draft = path.with_suffix(".part")
    draft.write_bytes(data)
    os.replace(draft, path)
    with instance.db.write() as session:
        session.add(Artifact(id=artifact_id, run_id=run_id, mime=mime, size=len(data)))
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
    return Stored(row.id, row.run_id, row.mime, _path(instance, row.id))


def remove_files(instance: Instance, artifact_ids: Iterable[str]) -> None:
    """Remove the bytes of artifacts whose rows are gone already."""
    for artifact_id in artifact_ids:
        _path(instance, artifact_id).unlink(missing_ok=True)


def free_bytes(instance: Instance) -> int:
    """Say how much room the disk of the artifacts has left."""
    return shutil.disk_usage(instance.config.artifacts).free


def _path(instance: Instance, artifact_id: str) -> Path:
    return instance.config.artifacts / artifact_id
