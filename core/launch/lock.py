"""Keep a data folder to one running Phonedeck.

The kernel drops the lock when its holder dies, however it dies. The process id that is left in
the file then tells the next start that its predecessor had no time to end its children.
"""

import fcntl
import os
from pathlib import Path
from typing import Self


class RunLock:
    """The lock of one data folder; a context manager."""

    def __init__(self, data: Path) -> None:
        """Name the folder; nothing is opened yet."""
        self.path = data / "run.lock"
        self.after_crash = False
        self._file = -1

    def __enter__(self) -> Self:
        """Take the lock.

        Raises:
            SystemExit: another Phonedeck runs on this folder.
        """
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._file, 32).decode().strip() or "unknown"
            os.close(self._file)
            raise SystemExit(
                f"Phonedeck is running on {self.path.parent} (process {holder}): "
                "stop it first, or set PHONEDECK_DATA to another folder"
            ) from None
        self.after_crash = os.read(self._file, 32) != b""
        self._write(f"{os.getpid()}\n")
        return self

    def __exit__(self, *_: object) -> None:
        """Give it back; an empty file says that nothing was left running."""
        self._write("")
        os.close(self._file)

    def _write(self, text: str) -> None:
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, text.encode(), 0)
