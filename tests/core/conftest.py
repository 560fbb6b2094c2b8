"""A fresh instance on a real database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.config import Config
from core.setup import Instance, ensure


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    made = ensure(Config(phonedeck_data=tmp_path / "data"))
    yield made
    made.db.close()
