"""The description that the front end's types are made from is the server's."""

from web.openapi import TARGET, described


def test_the_committed_description_is_fresh() -> None:
    assert TARGET.read_text(encoding="utf-8") == described(), "run: python -m web.openapi"
