"""What every window shows alike, read once for all of them: the runs and the devices.

A change made in this process is announced with `changed`; what the MCP server writes is found
by a look once a second.
"""

import contextlib
import json
import logging
import threading
import time
from collections.abc import Callable

from core.errors import NotFound
from core.runs.log import Bell
from core.words import LANGS, Lang

logger = logging.getLogger(__name__)

LOOK_S = 1.0
ASKED_S = 10.0


class Board:
    """The newest JSON of each topic; readers compare and send what differs."""

    def __init__(
        self,
        bell: Bell,
        topics: dict[str, Callable[[Lang], object]],
        families: dict[str, Callable[[str, Lang], object]] | None = None,
    ) -> None:
        """Make a board.

        Args:
            bell: Rung when a topic says something new.
            topics: What is read for everybody.
            families: What is read of one thing, as ``task_run:<id>``, while somebody asks for it.
        """
        self._bell = bell
        self._topics = topics
        self._families = families or {}
        self._texts: dict[tuple[str, Lang], str] = {}
        self._asked: dict[tuple[str, Lang], float] = {}
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
        of_family = topic.partition(":")[0] in self._families
        if of_family:
            self._asked[topic, lang] = time.monotonic()
        if (of_family or topic in self._topics) and (topic, lang) not in self._texts:
            self._look()
        return self._texts.get((topic, lang))

    def _look(self) -> None:
        texts = {
            (topic, lang): _text(read(lang))
            for topic, read in self._topics.items()
            for lang in LANGS
        }
        texts |= self._of_families()
        if texts != self._texts:
            self._texts = texts
            self._bell.ring()

    def _of_families(self) -> dict[tuple[str, Lang], str]:
        """Read what somebody asked for lately; what is not there says nothing."""
        since = time.monotonic() - ASKED_S
        self._asked = {key: when for key, when in self._asked.copy().items() if when > since}
        texts: dict[tuple[str, Lang], str] = {}
        for topic, lang in list(self._asked):
            family, _, name = topic.partition(":")
            with contextlib.suppress(NotFound):
                texts[topic, lang] = _text(self._families[family](name, lang))
        return texts

    def _look_forever(self) -> None:
        while not self._stopped.is_set():
            self._news.wait(LOOK_S)
            self._news.clear()
            try:
                self._look()
            except Exception:  # the thread must live: the next look may succeed
                logger.exception("the board could not be read")


def _text(state: object) -> str:
    return json.dumps(state, ensure_ascii=False, separators=(",", ":"))
