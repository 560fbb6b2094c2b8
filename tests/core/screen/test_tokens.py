"""The estimate of tokens stands in for a tokenizer that is not here."""

import pytest

from core.screen.tokens import estimate


@pytest.mark.parametrize(
    ("text", "o200k"),
    [
        ('[12] button "返回" @94,139', 11),
        ('  [5] switch "Wi-Fi" on @980,420', 14),
        ("com.android.settings/.Settings · 1080x2400 · rotation 0 · ok", 18),
        ('[3] field "Search settings" focused id=search @540,300', 16),
        ("", 0),
    ],
)
def test_the_estimate_is_near_what_o200k_counts(text: str, o200k: int) -> None:
    assert abs(estimate(text) - o200k) <= max(2, o200k * 0.25)
