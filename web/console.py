"""What the console's views share: the instance, the event logs, the runner, the phones."""

import threading
from dataclasses import dataclass, field
from typing import cast

from flask import current_app

from core.devices.remote import RemotePhones
from core.runs.logs import EventLogs
from core.setup import Instance
from mcp_agent.learner import Learner
from mcp_agent.runner import Runner
from mcp_agent.task_runner import TaskRunner
from web.board import Board
from web.clock import Clock

SSE_LIMIT = 200
LIVE_LIMIT = 32
KEY = "phonedeck"


@dataclass
class Console:
    """One console a process; made by `web.app.create_app`."""

    instance: Instance
    logs: EventLogs
    runner: Runner
    tasks: TaskRunner
    phones: RemotePhones
    board: Board
    clock: Clock
    learner: Learner
    stopping: threading.Event = field(default_factory=threading.Event)
    sse_places: threading.Semaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(SSE_LIMIT)
    )
    live_places: threading.Semaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(LIVE_LIMIT)
    )

    def start(self) -> None:
        """Start the threads; in the process that serves, never before a fork."""
        self.logs.start()
        self.learner.start()  # it takes up what is left before any run ends
        self.runner.begin()
        self.tasks.begin()
        self.board.start()
        self.clock.start()

    def stop_streams(self) -> None:
        """Let every open stream end, so that a stop does not wait for them."""
        self.stopping.set()
        self.logs.bell.ring()

    def close(self) -> None:
        """End every run and thread."""
        self.stop_streams()
        self.board.stop()
        self.clock.stop()
        self.learner.stop()
        self.runner.shutdown()
        self.tasks.shutdown()
        self.logs.close()
        self.instance.db.close()


def console() -> Console:
    """Return the console of the application that serves the current request."""
    return cast(Console, current_app.extensions[KEY])
