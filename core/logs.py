"""Logs: structured lines into a file that rotates, warnings to the terminal as well."""

import logging
import logging.handlers
import sys
from pathlib import Path

import structlog

MAX_BYTES = 20 * 1024 * 1024
KEEP = 5

_SHARED: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
]


def set_up(path: Path) -> None:
    """Send every log line of this process to ``path``, as key=value text."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    to_file = logging.handlers.RotatingFileHandler(
        path, maxBytes=MAX_BYTES, backupCount=KEEP, encoding="utf-8"
    )
    to_terminal = logging.StreamHandler(sys.stderr)
    to_terminal.setLevel(logging.WARNING)
    form = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_SHARED,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.KeyValueRenderer(
                key_order=["timestamp", "level", "logger", "event"], drop_missing=True
            ),
        ],
    )
    root = logging.getLogger()
    for handler in (to_file, to_terminal):
        handler.setFormatter(form)
        root.addHandler(handler)
    root.setLevel(logging.INFO)
    for chatty in ("httpx2", "httpcore2", "urllib3", "uiautomator2", "adbutils", "apscheduler"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
