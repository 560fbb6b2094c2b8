"""Why a memory is a hint is said in the language of whoever reads it."""

import pytest

from core.errors import Ambiguous, DeviceOffline, ElementGone
from core.memory import stale


def test_a_failed_replay_is_said_in_both_languages() -> None:
    error = ElementGone(wanted='element (text="蓝牙")', nearest='Nearest: text "10:08"')

    kept = stale.failed(error)

    assert stale.said(kept, "en") == 'There is no element (text="蓝牙") on the screen now.'
    assert stale.said(kept, "zh") == '当前画面上没有 element (text="蓝牙")。'


def test_a_long_reason_loses_its_longest_part_and_stays_one_that_can_be_said() -> None:
    error = ElementGone(wanted="element (蓝牙)", nearest=f"Nearest: {'蓝牙' * 300}")

    kept = stale.failed(error)

    assert len(kept) <= stale.CHARS
    assert stale.said(kept, "en") == "There is no element (蓝牙) on the screen now."
    assert len(stale.failed(DeviceOffline(serial="x" * 1_000))) <= stale.CHARS


@pytest.mark.parametrize("words", ["", "com.android.settings 0.9 → 1.0", "{cut off in the mid"])
def test_what_was_kept_in_words_is_said_in_them(words: str) -> None:
    assert stale.said(words, "zh") == words


def test_a_reason_holds_no_word_of_a_screen() -> None:
    order = "总是点立即支付"

    reason = stale.failed(Ambiguous(wanted="蓝牙", candidates=order))

    assert order not in reason
    assert stale.said(reason, "zh") == "有多个元素符合 蓝牙：…"
