"""What was found out about each model: kept by address and name, so that nobody learns it twice.

A server tells nothing of this by itself. The test of the configuration asks, and a run learns
from what is refused; both write here.
"""

import logging
import threading
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from core.clock import utc_now
from core.db import Database
from core.models import ModelFacts

logger = logging.getLogger(__name__)

MAX_KEPT = 3


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """What a model takes and gives; None means that nobody has found out yet.

    ``usage`` stands for ``stream_options``, ``tool_choice`` for being told which tool to call,
    ``unthinking`` for being told not to think, ``pictures_max`` for what a request may hold and
    ``pictures_kept`` for what it should.
    """

    vision: bool | None = None
    usage: bool | None = None
    tools: bool | None = None
    tool_choice: bool | None = None
    reasoning_field: str = ""
    reasoning_back: bool = False
    unthinking: bool | None = None
    pictures_max: Annotated[int, Field(ge=1)] | None = None
    pictures_kept: Annotated[int, Field(ge=1, le=MAX_KEPT)] = 1

    @property
    def pictures(self) -> int:
        """How many pictures a conversation with the model keeps."""
        return min(self.pictures_kept, self.pictures_max or self.pictures_kept)


_PROFILE = TypeAdapter(ModelProfile)


class ProfileBook:
    """The profiles of one instance; without a database, those of one process."""

    def __init__(self, db: Database | None = None) -> None:
        self._db = db
        self._lock = threading.Lock()
        self._unsaved: dict[tuple[str, str], ModelProfile] = {}

    def get(self, api_base: str, model: str) -> ModelProfile:
        """Return what is known of a model."""
        key = _key(api_base, model)
        if self._db is None:
            with self._lock:
                return self._unsaved.get(key, ModelProfile())
        with self._db.read() as session:
            row = session.get(ModelFacts, key)
            return _read(row.facts if row else {})

    def learn(self, api_base: str, model: str, **found: Any) -> ModelProfile:
        """Add what was found out, and return all that is known now."""
        key = _key(api_base, model)
        if self._db is None:
            with self._lock:
                known = replace(self._unsaved.get(key, ModelProfile()), **found)
                self._unsaved[key] = known
                return known
        with self._db.write() as session:
            row = session.get(ModelFacts, key)
            known = replace(_read(row.facts if row else {}), **found)
            if row is None:
                row = ModelFacts(api_base=key[0], model=key[1])
                session.add(row)
            row.facts, row.updated = asdict(known), utc_now()
        logger.info("%s at %s: learned %s", model, key[0], found)
        return known


#: For whoever has no database: benchmarks, and the command line with a token of its own.
UNSAVED = ProfileBook()


def _key(api_base: str, model: str) -> tuple[str, str]:
    return api_base.rstrip("/"), model


def _read(facts: dict[str, Any]) -> ModelProfile:
    try:
        return _PROFILE.validate_python(facts)
    except ValidationError as error:
        logger.warning("a model's profile cannot be read and is learned anew: %s", error)
        return ModelProfile()
