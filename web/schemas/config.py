"""The agent's settings, and what a model was found to do."""

from typing import Any

from pydantic import Field

from core.model_profiles import MAX_KEPT
from core.runs.usage import Price
from core.settings import SettingsChange
from web.schemas.base import Gives, Takes


class ConfigChange(SettingsChange):
    """A change of the settings; what is only shown may come back and changes nothing."""

    agent_task_draft: dict[str, Any] | None = None
    providers: list[str] | None = None

    @property
    def settings(self) -> SettingsChange:
        """The part that changes something."""
        return SettingsChange.model_validate(
            self.model_dump(exclude_none=True, exclude={"agent_task_draft", "providers"})
        )


class ConfigShown(Gives):
    """The agent's settings; the key is masked."""

    agent_api_base: str
    agent_model: str
    agent_api_key: str
    agent_default_serial: str
    agent_max_steps: int
    agent_provider: str
    agent_slots: int
    agent_autonomy: str
    agent_vision: str
    agent_budget_tokens: int
    agent_budget_cost: float
    agent_budget_minutes: float
    agent_retention_days: int
    agent_retention_gb: float
    agent_audit_replay: bool
    agent_prices: dict[str, Price]
    agent_task_draft: dict[str, Any] | None
    providers: list[str]


class ProfileChange(Takes):
    """What a person decides about a model; the rest is found out."""

    pictures_kept: int = Field(ge=1, le=MAX_KEPT)


class ProfileShown(Gives):
    """What is known of the configured model; null where nobody has found out yet."""

    api_base: str
    model: str
    vision: bool | None
    usage: bool | None
    tools: bool | None
    tool_choice: bool | None
    reasoning_field: str
    reasoning_back: bool
    unthinking: bool | None
    pictures_max: int | None
    pictures_kept: int


class StorageShown(Gives):
    """What is kept of runs now; ``low`` means that the disk has no room for more pictures."""

    used_bytes: int
    pictures: int
    free_bytes: int
    low: bool


class ProviderState(Gives):
    """Whether a brain would answer now, and what it says it can do; found without tokens."""

    name: str
    chosen: bool
    ok: bool
    model: str | None
    ms: int | None
    error: dict[str, Any] | None
    caps: dict[str, bool]


class ProviderPage(Gives):
    """Every brain there is."""

    items: list[ProviderState]
    next: str | None = None


class Tried(Gives):
    """One thing that was tried of a brain; ``ok`` is null when it could not be."""

    name: str
    ok: bool | None
    detail: str


class TestResult(Gives):
    """Whether the configured brain can do what a run needs."""

    ok: bool
    provider: str
    model: str | None = None
    ms: int | None = None
    error: dict[str, Any] | None = None
    findings: list[Tried] = Field(default_factory=list)
