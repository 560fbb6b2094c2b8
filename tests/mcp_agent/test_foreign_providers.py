"""Brains that other packages bring, found by their entry points as pip leaves them."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.words import catalogue
from mcp_agent.providers import base
from mcp_agent.providers.base import PROVIDERS, load_providers, provider

MODULE = """
from mcp_agent.providers.base import PROVIDERS, ProviderCaps

@PROVIDERS.register("borrowed")
class Borrowed:
    name = "borrowed"
    caps = ProviderCaps(text_deltas=True)
"""


@pytest.fixture
def installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str, str], None]]:
    """Install a package of one module, as pip does."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(name: str, source: str) -> None:
        (tmp_path / f"{name}.py").write_text(source)
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{base.GROUP}]\n{name} = {name}\n")
        load_providers.cache_clear()

    yield install
    PROVIDERS._things.pop("borrowed", None)
    for cached in (load_providers, provider):
        cached.cache_clear()


def test_a_provider_of_another_package_registers_itself(
    installed: Callable[[str, str], None],
) -> None:
    installed("borrowed_brain", MODULE)

    names = load_providers()

    assert {"openai", "offline", "borrowed"} <= set(names)
    assert provider("borrowed").caps.text_deltas


def test_a_package_that_breaks_takes_only_itself_out(
    installed: Callable[[str, str], None], caplog: pytest.LogCaptureFixture
) -> None:
    installed("broken_brain", "import no_such_module")

    with caplog.at_level(logging.ERROR):
        names = load_providers()

    assert {"openai", "offline"} <= set(names)
    assert "broken_brain" in caplog.text


def test_every_kind_of_failure_is_a_code_with_words() -> None:
    assert set(base.KINDS) - set(catalogue("en")["errors"]) == set()
