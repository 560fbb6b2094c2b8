"""How gunicorn serves the console: one worker, a thread a stream.

One worker, since runs live in it; threads for 200 SSE, 32 MJPEG and 48 other requests. The
console's own threads start after the fork.
"""

import signal
from types import FrameType
from typing import Any

from core.config import Config
from core.logs import set_up
from web.app import console_of
from web.console import LIVE_LIMIT, SSE_LIMIT

_config = Config()

bind = f"{_config.phonedeck_host}:{_config.phonedeck_port}"
workers = 1
worker_class = "gthread"
threads = SSE_LIMIT + LIVE_LIMIT + 48
worker_connections = threads + 200  # at or below the threads, keep-alive is turned off
keepalive = 30
timeout = 60
graceful_timeout = 3
max_requests = 0  # recycling a worker would end its runs
control_socket_disable = True  # else one path in the home folder for all instances
accesslog = None


def post_worker_init(worker: Any) -> None:
    """Start the console's threads, and end its streams when the worker is told to stop."""
    set_up(_config.logs / "web.log")
    console = console_of(worker.wsgi)
    before = signal.getsignal(signal.SIGTERM)

    def stop(number: int, frame: FrameType | None) -> None:
        console.stop_streams()
        if callable(before):
            before(number, frame)

    signal.signal(signal.SIGTERM, stop)
    console.start()


def worker_exit(_server: Any, worker: Any) -> None:
    """End what still runs, so that nothing is left open."""
    console_of(worker.wsgi).close()
