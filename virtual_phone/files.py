"""The phone's file system: a dictionary of paths, never the machine's own files."""

from __future__ import annotations

import errno
import posixpath
import stat
from dataclasses import dataclass

DIRECTORY_MODE = stat.S_IFDIR | 0o771
FILE_MODE = stat.S_IFREG | 0o660
BOOT_TIME = 1_767_225_600  # 2026-01-01, so that listings are the same on every run

_DIRECTORIES = (
    "/",
    "/system",
    "/system/bin",
    "/data",
    "/data/local",
    "/data/local/tmp",
    "/storage",
    "/storage/emulated",
    "/storage/emulated/0",
    "/storage/emulated/0/Download",
    "/storage/emulated/0/Pictures",
    "/storage/emulated/0/DCIM",
)
_LINKS = {"/sdcard": "/storage/emulated/0", "/storage/self/primary": "/storage/emulated/0"}


@dataclass(slots=True)
class Entry:
    """A file or directory; ``data`` is None for a directory."""

    mode: int
    mtime: int = BOOT_TIME
    data: bytes | None = None

    @property
    def size(self) -> int:
        """Bytes, 4096 for a directory."""
        return 4096 if self.data is None else len(self.data)

    @property
    def is_directory(self) -> bool:
        """Tell whether it holds other entries."""
        return self.data is None


class Files:
    """Paths to entries, with the usual calls."""

    def __init__(self) -> None:
        self.full = False
        self._entries = {path: Entry(DIRECTORY_MODE) for path in _DIRECTORIES}

    def resolve(self, path: str) -> str:
        """Make a path absolute, clean, and free of the /sdcard link."""
        clean = posixpath.normpath(posixpath.join("/", path))
        clean = "/" + clean.lstrip("/")
        for link, target in _LINKS.items():
            if clean == link or clean.startswith(link + "/"):
                return target + clean[len(link) :]
        return clean

    def get(self, path: str) -> Entry | None:
        """Return the entry, or None."""
        return self._entries.get(self.resolve(path))

    def read(self, path: str) -> bytes:
        """Return a file's bytes.

        Raises:
            FileNotFoundError: nothing is there.
            IsADirectoryError: it is a directory.
        """
        entry = self.get(path)
        if entry is None:
            raise FileNotFoundError(path)
        if entry.data is None:
            raise IsADirectoryError(path)
        return entry.data

    def write(
        self, path: str, data: bytes, *, mode: int = FILE_MODE, mtime: int = BOOT_TIME
    ) -> None:
        """Create or replace a file.

        Raises:
            FileNotFoundError: its directory does not exist.
            IsADirectoryError: a directory has that name.
            OSError: there is no space left (ENOSPC).
        """
        if self.full and data:
            raise OSError(errno.ENOSPC, "No space left on device")
        clean = self.resolve(path)
        parent = self._entries.get(posixpath.dirname(clean))
        if parent is None or not parent.is_directory:
            raise FileNotFoundError(path)
        old = self._entries.get(clean)
        if old is not None and old.is_directory:
            raise IsADirectoryError(path)
        self._entries[clean] = Entry(stat.S_IFREG | (mode & 0o7777), mtime, data)

    def make_directory(self, path: str, *, parents: bool = False) -> None:
        """Create a directory; FileExistsError or FileNotFoundError as ``mkdir`` would say."""
        clean = self.resolve(path)
        entry = self._entries.get(clean)
        if entry is not None:
            if parents and entry.is_directory:
                return
            raise FileExistsError(path)
        above = posixpath.dirname(clean)
        if above not in self._entries:
            if not parents:
                raise FileNotFoundError(path)
            self.make_directory(above, parents=True)
        self._entries[clean] = Entry(DIRECTORY_MODE)

    def children(self, path: str) -> list[tuple[str, Entry]]:
        """Return names and entries directly below a directory, sorted."""
        base = self.resolve(path).rstrip("/") + "/"
        return sorted(
            (name[len(base) :], entry)
            for name, entry in self._entries.items()
            if name.startswith(base) and name != base and "/" not in name[len(base) :]
        )

    def remove(self, path: str, *, recursive: bool = False) -> None:
        """Delete; FileNotFoundError, or IsADirectoryError without ``recursive``."""
        clean = self.resolve(path)
        entry = self._entries.get(clean)
        if entry is None:
            raise FileNotFoundError(path)
        if entry.is_directory and not recursive:
            raise IsADirectoryError(path)
        for name in [n for n in self._entries if n == clean or n.startswith(clean + "/")]:
            del self._entries[name]
