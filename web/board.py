"""What every window shows alike, read once for all of them: the runs and the devices.

A change made in this process is announced with `changed`; what the MCP server writes is found
by a look once a second.
"""

import json
import logging
import threading
from collections.abc import Callable

from core.runs.log import Bell
from core.words import LANGS, Lang

logger = logging.getLogger(__name__)

LOOK_S = 1.0


class Board:
    """The newest JSON of each topic; readers compare and send what differs."""

    def __init__(self, bell: Bell, topics: dict[str, Callable[[Lang], object]]) -> None:
        self._bell = bell
        self._topics = topics
        self._texts: dict[tuple[str, Lang], str] = {}
        self._news = threading.Event()
        self._stopped = threading.Event()

    def start(self) -> None:
        """Keep looking in the background."""
        threading.Thread(target=self._look_forever, name="board", daemon=True).start()

    def stop(self) -> None:
        """Look no more."""
        self._stopped.set()
        self._news.set()

    def changed(self) -> None:
        """Look again now."""
        self._news.set()

    def text(self, topic: str, lang: Lang) -> str | None:
        """Return a topic's newest JSON, or None for a topic that is not on the board."""
        if topic in self._topics and (topic, lang) not in self._texts:
            self._look()
        return self._texts.get((topic, lang))

    def _look(self) -> None:
        texts = {
            (topic, lang): json.dumps(read(lang), ensure_ascii=False, separators=(",", ":"))
            for topic, read in self._topics.items()
            for lang in LANGS
        }
        if texts != self._texts:
            self._texts = texts
            self._bell.ring()

    def _look_forever(self) -> None:
        while not self._stopped.is_set():
            self._news.wait(LOOK_S)
            self._news.clear()
            try:
                self._look()
            except Exception:  # the thread must live: the next look may succeed
                logger.exception("the board could not be read")
