"""Settings: defaults, clamps, and a key that never shows."""

import pytest
from pydantic import ValidationError

from core import settings
from core.models import AppMeta
from core.settings import SettingsChange
from core.setup import Instance

KEY = "sk-0123456789abcdefghij"


def test_defaults_are_the_contracts(instance: Instance) -> None:
    fresh = settings.load(instance)

    assert fresh.agent_api_base == "https://api.deepseek.com"
    assert (fresh.agent_max_steps, fresh.agent_slots) == (40, 1)
    assert (fresh.agent_autonomy, fresh.agent_vision) == ("confirm_risky", "auto")
    assert fresh.provider == "offline"


def test_the_provider_follows_the_model_until_one_is_chosen(instance: Instance) -> None:
    with_model = settings.save(instance, SettingsChange(agent_model="m1"))
    chosen = settings.save(instance, SettingsChange(agent_provider="offline"))

    assert (with_model.provider, chosen.provider) == ("openai", "offline")


def test_the_key_is_encrypted_at_rest_and_masked_when_read(instance: Instance) -> None:
    settings.save(instance, SettingsChange(agent_api_key=KEY))

    with instance.db.read() as session:
        row = session.get(AppMeta, "agent_api_key")
    shown = settings.masked(settings.load(instance))["agent_api_key"]

    assert row is not None
    assert KEY not in row.value
    assert KEY not in shown
    assert settings.load(instance).agent_api_key == KEY


def test_the_masked_key_sent_back_changes_nothing_and_an_empty_one_clears(
    instance: Instance,
) -> None:
    settings.save(instance, SettingsChange(agent_api_key=KEY))
    masked = settings.masked(settings.load(instance))["agent_api_key"]

    kept = settings.save(instance, SettingsChange(agent_api_key=masked))
    cleared = settings.save(instance, SettingsChange(agent_api_key=""))

    assert (kept.agent_api_key, cleared.agent_api_key) == (KEY, "")


@pytest.mark.parametrize(("asked", "kept"), [(0, 1), (-5, 1), (201, 200), (17, 17)])
def test_steps_are_clamped(instance: Instance, asked: int, kept: int) -> None:
    assert settings.save(instance, SettingsChange(agent_max_steps=asked)).agent_max_steps == kept


def test_slots_may_follow_the_phones_and_what_is_unset_is_one(instance: Instance) -> None:
    before = settings.load(instance).agent_slots

    settings.save(instance, SettingsChange(agent_slots=0))

    assert (before, settings.load(instance).agent_slots) == (1, 0)


@pytest.mark.parametrize(
    "bad",
    [
        {"agent_autonomy": "yolo"},
        {"agent_api_base": "ftp://x"},
        {"agent_slots": -1},
        {"nonsense": 1},
    ],
)
def test_bad_values_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SettingsChange.model_validate(bad)


def test_reading_survives_what_does_not_fit(instance: Instance) -> None:
    with instance.db.write() as session:
        session.add(AppMeta(key="agent_max_steps", value="many"))
        session.add(AppMeta(key="agent_api_key", value="not encrypted"))
        session.add(AppMeta(key="agent_task_draft", value="{"))

    read = settings.load(instance)

    assert (read.agent_max_steps, read.agent_api_key, read.agent_task_draft) == (40, "", None)


def test_a_switch_is_kept_both_ways(instance: Instance) -> None:
    on = settings.save(instance, SettingsChange(agent_audit_replay=True))
    off = settings.save(instance, SettingsChange(agent_audit_replay=False))

    assert (on.agent_audit_replay, off.agent_audit_replay) == (True, False)
