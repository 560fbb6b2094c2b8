"""Files that a person adds to a message: kept before it is sent, then one with its run.

What a file is, its bytes say; its name is shown to people and told to a model, and is never a
path: on disk lies the artifact's id.
"""

import io
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from PIL import Image, UnidentifiedImageError
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from core import artifacts
from core.errors import FileEmpty, FileTooLarge, FileUsed, NotFound
from core.models import Artifact
from core.setup import Instance

MOST = 8
MOST_MB = 10
MOST_BYTES = MOST_MB * artifacts.MB
NAME_CHARS = 120
TEXT, UNKNOWN = "text/plain", "application/octet-stream"
IMAGES = {"JPEG": "image/jpeg", "PNG": "image/png", "GIF": "image/gif", "WEBP": "image/webp"}
MAGIC = {
    b"%PDF-": "application/pdf",
    b"PK\x03\x04": "application/zip",
    b"\x1f\x8b": "application/gzip",
}
ENCODINGS = ("utf-8-sig", "gb18030")
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
IN_TEXT = frozenset("\t\n\r\f")
BROKEN = (
    UnidentifiedImageError,
    Image.DecompressionBombError,
    Image.DecompressionBombWarning,
    OSError,
    ValueError,
    SyntaxError,
)


@dataclass(frozen=True, slots=True)
class Attached:
    """A file with a message."""

    id: str
    name: str
    mime: str
    size: int
    path: Path

    def shown(self) -> dict[str, Any]:
        """Give it as the API and the message show it."""
        return {
            "id": self.id,
            "name": self.name,
            "mime": self.mime,
            "size": self.size,
            "url": artifacts.URL.format(id=self.id),
        }


def keep(instance: Instance, name: str, data: bytes) -> Attached:
    """Keep a file until it is sent.

    Raises:
        FileEmpty, FileTooLarge: As they say.
        DiskLow: The disk is nearly full.
    """
    if not data:
        raise FileEmpty(path="file")
    if len(data) > MOST_BYTES:
        raise FileTooLarge(path="file", most_mb=MOST_MB)
    shown = shown_name(name)
    address = artifacts.save(instance, None, data, mime_of(data), name=shown)
    return of(instance, [address.rsplit("/", 1)[1]])[0]


def drop(instance: Instance, attachment_id: str) -> None:
    """Let go of a file that was not sent.

    Raises:
        NotFound: There is none of that id.
        FileUsed: It belongs to a message.
    """
    with instance.db.write() as session:
        row = _row(session, attachment_id)
        if row.run_id is not None:
            raise FileUsed(name=row.name)
        session.delete(row)
    artifacts.remove_files(instance, [attachment_id])


def claim(session: Session, ids: Sequence[str], run_id: str) -> list[dict[str, Any]]:
    """Make files those of a run, inside a write transaction; returns how they are shown.

    What was sent before may be sent again; it then stays as long as the newest run.

    Raises:
        NotFound: One is not there (any more).
    """
    shown = []
    for attachment_id in dict.fromkeys(ids):
        row = _row(session, attachment_id)
        row.run_id = run_id
        shown.append(Attached(row.id, row.name, row.mime, row.size, Path()).shown())
    return shown


def _row(session: Session, attachment_id: str) -> Artifact:
    row = session.get(Artifact, attachment_id)
    if row is None or not row.name:
        raise NotFound(kind="attachment", name=attachment_id)
    return row


def of(instance: Instance, ids: Sequence[str]) -> list[Attached]:
    """Return the files of these ids that are still there, in this order."""
    if not ids:
        return []
    with instance.db.read() as session:
        rows = {
            row.id: row for row in session.scalars(select(Artifact).where(Artifact.id.in_(ids)))
        }
    files = instance.config.artifacts
    found = [rows[each] for each in ids if each in rows and (files / each).is_file()]
    return [Attached(row.id, row.name, row.mime, row.size, files / row.id) for row in found]


def remove_unsent(instance: Instance, before: datetime) -> int:
    """Let go of files that nobody sent."""
    with instance.db.write() as session:
        unsent = Artifact.name != "", Artifact.run_id.is_(None), Artifact.created < before
        gone = list(session.scalars(select(Artifact.id).where(*unsent)))
        session.execute(delete(Artifact).where(*unsent))
    artifacts.remove_files(instance, gone)
    return len(gone)


def move(session: Session, ids: Sequence[str], run_id: str) -> None:
    """Hand files on to the run that answers their message."""
    session.execute(update(Artifact).where(Artifact.id.in_(ids)).values(run_id=run_id))


def mime_of(data: bytes) -> str:
    """Say what a file is by its bytes alone."""
    try:
        with Image.open(io.BytesIO(data), formats=list(IMAGES)) as picture:
            return IMAGES[str(picture.format)]
    except BROKEN:
        pass
    for mark, mime in MAGIC.items():
        if data.startswith(mark):
            return mime
    return TEXT if text_of(data) is not None else UNKNOWN


def text_of(data: bytes) -> str | None:
    """Read a file as text (UTF-8, GB18030, UTF-16 with its mark); None for anything else."""
    encodings = ("utf-16",) if data.startswith(UTF16_MARKS) else ENCODINGS
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if all(sign in IN_TEXT or sign >= " " for sign in text) and "\x7f" not in text:
            return text
    return None


def shown_name(name: str) -> str:
    """Give a file's name without its folders, and without what could trick a reader's eye."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    plain = "".join(sign for sign in last if unicodedata.category(sign)[0] != "C").strip()
    if len(plain) > NAME_CHARS:
        stem, dot, kind = plain.rpartition(".")
        end = f"…{dot}{kind}" if stem and len(kind) <= 10 else "…"
        plain = plain[: NAME_CHARS - len(end)] + end
    return plain or "file"
