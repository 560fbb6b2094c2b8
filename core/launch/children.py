"""Keep programs running as children that end with their parent.

Each child is its own process group, so Ctrl-C reaches the parent alone and the parent decides
the order of ending. On Linux the kernel ends a child whose parent was killed outright; it does
so when the *thread* that started it ends, so only the main thread may start children.
"""

import ctypes
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

RESTART_S = 0.2
RESTART_MOST_S = 10.0
YOUNG_S = 3.0  # a child that dies younger than this is crashing, and waits longer each time
OUTPUT_BYTES = 20_000_000
OUTPUT_CHECK_S = 60.0
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


@dataclass(frozen=True, slots=True)
class Program:
    """A command to keep running.

    Attributes:
        name: How the operator reads of it.
        command: The program and its arguments.
        output: The file that takes what it prints.
        env: Added to the parent's environment.
        ends_last: Others use it until they end themselves.
    """

    name: str
    command: tuple[str, ...]
    output: Path
    env: Mapping[str, str] = field(default_factory=dict)
    ends_last: bool = False


class Child:
    """One program, started again when it ends."""

    def __init__(self, program: Program) -> None:
        """Start it."""
        self.program = program
        self.crashes = 0
        self.due: float | None = None
        self._start()

    @property
    def pid(self) -> int:
        """Its process id, which is that of its process group too."""
        return self._process.pid

    def exit_code(self) -> int | None:
        """Give the code it ended with, or None while it runs."""
        return self._process.poll()

    def printed(self) -> str:
        """Read what it printed since it was started."""
        with self.program.output.open("rb") as output:
            output.seek(self._printed_from)
            return output.read().decode(errors="replace")

    def signal_group(self, number: int) -> None:
        """Send a signal to it and to whatever it started in its group."""
        # an empty group is gone; macOS says "not permitted" for a zombie
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def plan_restart(self, now: float) -> float:
        """Set when it is due again, later each time that it dies young."""
        self.crashes = self.crashes + 1 if now - self._started < YOUNG_S else 0
        delay_s = min(RESTART_S * 2.0 ** max(self.crashes - 1, 0), RESTART_MOST_S)
        self.due = now + delay_s
        return delay_s

    def restart(self) -> None:
        """Start it again, without what is left of its group."""
        self.signal_group(signal.SIGKILL)
        self.due = None
        self._start()

    def _start(self) -> None:
        parent = os.getpid()
        with self.program.output.open("ab") as output:
            self._printed_from = output.tell()
            self._started = time.monotonic()
            self._process = subprocess.Popen(
                self.program.command,
                env={**os.environ, **self.program.env},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                process_group=0,
                preexec_fn=lambda: _end_with_parent(parent),
            )


class Family:
    """The children and the one loop that looks after them."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """Prepare to notice a child's end; ``say`` tells the operator a line."""
        self.children: list[Child] = []
        self._say = say
        self._wake, self._waker = socket.socketpair()
        self._wake.setblocking(False)
        self._waker.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # a handler, so that the wake-up is sent
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)

    def start(self, program: Program) -> Child:
        """Start a program and keep it."""
        child = Child(program)
        self.children.append(child)
        return child

    def wait_for(self, child: Child, is_ready: Callable[[], bool], timeout_s: float) -> None:
        """Wait until a child that was just started is ready.

        Raises:
            SystemExit: it ended, or took too long; with the end of what it printed.
        """
        limit = time.monotonic() + timeout_s
        while not is_ready():
            code = child.exit_code()
            if code is not None:
                raise SystemExit(_obituary(child, f"ended with code {code} before it was ready"))
            if time.monotonic() > limit:
                raise SystemExit(_obituary(child, f"was not ready after {timeout_s:.0f} s"))
            self._sleep(0.1)

    def tend(self) -> None:
        """Start again whatever ends, for ever; a signal handler's exception is the way out."""
        while True:
            now = time.monotonic()
            for child in self.children:
                self._look_after(child, now)
            due = [child.due - now for child in self.children if child.due is not None]
            self._sleep(max(min([*due, OUTPUT_CHECK_S]), 0))

    def end(self, grace_s: float) -> None:
        """End all children, those that others use last; kill what is left after ``grace_s``."""
        limit = time.monotonic() + grace_s
        for ends_last in (False, True):
            group = [child for child in self.children if child.program.ends_last == ends_last]
            for child in group:
                child.signal_group(signal.SIGTERM)
            while time.monotonic() < limit and any(c.exit_code() is None for c in group):
                self._sleep(0.1)
        self.kill()

    def kill(self) -> None:
        """End what is left, at once."""
        for child in self.children:
            child.signal_group(signal.SIGKILL)

    def _look_after(self, child: Child, now: float) -> None:
        code = child.exit_code()
        if code is None:
            shorten(child.program.output, OUTPUT_BYTES)
        elif child.due is None:
            delay_s = child.plan_restart(now)
            self._say(f"{child.program.name} ended with code {code}; again in {delay_s:.1f} s")
        elif child.due <= now:
            child.restart()

    def _sleep(self, timeout_s: float) -> None:
        ready, _, _ = select.select([self._wake], [], [], timeout_s)
        if ready:
            self._wake.recv(4096)


def shorten(output: Path, most_bytes: int) -> None:
    """Copy a file that grew too long to ``NAME.1`` and empty it; its writer only appends."""
    if output.stat().st_size > most_bytes:
        shutil.copyfile(output, output.with_name(f"{output.name}.1"))
        os.truncate(output, 0)


def _end_with_parent(parent: int) -> None:
    if _libc is None:
        return
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:  # it died before the line above
        os._exit(1)


def _obituary(child: Child, what: str) -> str:
    last = "\n".join(child.printed().splitlines()[-15:])
    return f"{child.program.name} {what}. The end of {child.program.output}:\n{last}"
