"""What a person changes while it runs: the ``agent_*`` keys of ``app_meta`` (CONTRACTS 4).

Reading never fails: a value that does not fit falls back to its default. The API key is
encrypted at rest and leaves this file only masked, or through `api_key` for the provider.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from cryptography.fernet import InvalidToken
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator
from sqlalchemy import select

from core.model_profiles import UNSAVED, ProfileBook
from core.models import AppMeta
from core.runs.usage import Price
from core.setup import Instance

API_BASE = "https://api.deepseek.com"
DEFAULT_STEPS, MIN_STEPS, MAX_STEPS = 40, 1, 200
DEFAULT_SLOTS, MIN_SLOTS, MAX_SLOTS = 1, 0, 32
AUTONOMY = ("observe", "confirm_all", "confirm_risky", "auto")
VISION = ("auto", "on", "off")
RUN_LIMIT_S = 900
HISTORY_ROUNDS = 12
RETENTION_DAYS, RETENTION_GB = 30, 5.0
REASONING_KEPT = 6_000
MASK = "…"
MAX_PRICES = 200

ModelName = Annotated[str, Field(min_length=1, max_length=200)]
_PRICES: TypeAdapter[dict[str, Price]] = TypeAdapter(dict[str, Price])


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """The settings as they are now, defaults filled in; ``api_key`` is the real one.

    ``agent_slots`` is a number or `core.runs.slots.ONE_PER_PHONE`. ``agent_prices`` goes by
    model; ``profiles`` is where what a model takes is looked up. ``agent_audit_replay`` lets
    reviews try actions on a free phone.
    """

    agent_api_base: str = API_BASE
    agent_model: str = ""
    agent_api_key: str = ""
    agent_default_serial: str = ""
    agent_max_steps: int = DEFAULT_STEPS
    agent_provider: str = ""
    agent_slots: int = DEFAULT_SLOTS
    agent_autonomy: str = "confirm_risky"
    agent_vision: str = "auto"
    agent_task_draft: dict[str, Any] | None = None
    agent_budget_tokens: int = 0
    agent_budget_cost: float = 0
    agent_budget_minutes: float = 0
    agent_retention_days: int = RETENTION_DAYS
    agent_retention_gb: float = RETENTION_GB
    agent_audit_replay: bool = False
    agent_prices: Mapping[str, Price] = field(default_factory=dict)
    profiles: ProfileBook = field(default=UNSAVED, repr=False, compare=False)

    @property
    def provider(self) -> str:
        """The chosen provider; unset means ``openai`` when a model is set, else ``offline``."""
        return self.agent_provider or ("openai" if self.agent_model else "offline")


class SettingsChange(BaseModel):
    """A partial change, as ``PUT /api/agent/config`` takes it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    agent_api_base: str | None = Field(default=None, max_length=500, pattern=r"^(https?://\S+)?$")
    agent_model: str | None = Field(default=None, max_length=200)
    agent_api_key: str | None = Field(default=None, max_length=1000)
    agent_default_serial: str | None = Field(default=None, max_length=128)
    agent_max_steps: int | None = None
    agent_provider: str | None = Field(default=None, max_length=32)
    agent_slots: int | None = Field(default=None, ge=MIN_SLOTS, le=MAX_SLOTS)
    agent_autonomy: str | None = Field(default=None, pattern=f"^({'|'.join(AUTONOMY)})$")
    agent_vision: str | None = Field(default=None, pattern=f"^({'|'.join(VISION)})$")

    agent_budget_tokens: int | None = Field(default=None, ge=0, le=100_000_000)
    agent_budget_cost: float | None = Field(default=None, ge=0, le=1_000_000)
    agent_budget_minutes: float | None = Field(default=None, ge=0, le=60)
    agent_retention_days: int | None = Field(default=None, ge=1, le=3650)
    agent_retention_gb: float | None = Field(default=None, gt=0, le=100_000)
    agent_audit_replay: bool | None = None
    agent_prices: dict[ModelName, Price] | None = Field(default=None, max_length=MAX_PRICES)

    @field_validator("agent_max_steps")
    @classmethod
    def clamp(cls, steps: int | None) -> int | None:
        """Bring the number of steps into its range instead of refusing it."""
        return None if steps is None else min(max(steps, MIN_STEPS), MAX_STEPS)


def load(instance: Instance) -> AgentSettings:
    """Read the settings as they are now."""
    with instance.db.read() as session:
        rows = session.scalars(select(AppMeta).where(AppMeta.key.startswith("agent_")))
        stored = {row.key: row.value for row in rows}
    return AgentSettings(
        agent_api_base=stored.get("agent_api_base") or API_BASE,
        agent_model=stored.get("agent_model", ""),
        agent_api_key=_decrypt(instance, stored.get("agent_api_key", "")),
        agent_default_serial=stored.get("agent_default_serial", ""),
        agent_max_steps=_number(stored.get("agent_max_steps"), DEFAULT_STEPS, MAX_STEPS),
        agent_provider=stored.get("agent_provider", ""),
        agent_slots=_number(stored.get("agent_slots"), DEFAULT_SLOTS, MAX_SLOTS, MIN_SLOTS),
        agent_autonomy=_one_of(stored.get("agent_autonomy"), AUTONOMY, "confirm_risky"),
        agent_vision=_one_of(stored.get("agent_vision"), VISION, "auto"),
        agent_budget_tokens=int(_amount(stored.get("agent_budget_tokens"))),
        agent_budget_cost=_amount(stored.get("agent_budget_cost")),
        agent_budget_minutes=_amount(stored.get("agent_budget_minutes")),
        agent_retention_days=_number(stored.get("agent_retention_days"), RETENTION_DAYS, 3650),
        agent_retention_gb=_amount(stored.get("agent_retention_gb")) or RETENTION_GB,
        agent_audit_replay=stored.get("agent_audit_replay") == "True",
        agent_task_draft=_draft(stored.get("agent_task_draft")),
        agent_prices=_prices(stored.get("agent_prices")),
        profiles=ProfileBook(instance.db),
    )


def save(instance: Instance, change: SettingsChange) -> AgentSettings:
    """Keep what the change names; the masked key sent back changes nothing."""
    named = _named(change)
    if named.get("agent_api_key"):
        named["agent_api_key"] = instance.fernet.encrypt(named["agent_api_key"].encode()).decode()
    if "agent_prices" in named:
        named["agent_prices"] = _PRICES.dump_json(named["agent_prices"], exclude_none=True).decode()
    with instance.db.write() as session:
        for key, value in named.items():
            session.merge(AppMeta(key=key, value=str(value)))
    return load(instance)


def tried(instance: Instance, change: SettingsChange) -> AgentSettings:
    """Return the settings as they would be after a change, without keeping it."""
    return replace(load(instance), **_named(change))


def masked(settings: AgentSettings) -> dict[str, Any]:
    """Give the settings as a person may see them."""
    shown: dict[str, Any] = {key: getattr(settings, key) for key in SettingsChange.model_fields}
    shown["agent_api_key"] = mask(settings.agent_api_key)
    shown["agent_task_draft"] = settings.agent_task_draft
    shown["agent_prices"] = _PRICES.dump_python(dict(settings.agent_prices), exclude_none=True)
    return shown


def mask(key: str) -> str:
    """Show enough of a key to recognise it; short keys show nothing of themselves."""
    if not key:
        return ""
    return f"{key[:3]}{MASK}{key[-4:]}" if len(key) >= 16 else MASK


def _named(change: SettingsChange) -> dict[str, Any]:
    given = {key: getattr(change, key) for key in type(change).model_fields}
    named = {key: value for key, value in given.items() if value is not None}
    if MASK in named.get("agent_api_key", ""):
        del named["agent_api_key"]
    return named


def _decrypt(instance: Instance, stored: str) -> str:
    try:
        return instance.fernet.decrypt(stored.encode()).decode() if stored else ""
    except InvalidToken:  # the instance key was lost: the key must be entered again
        return ""


def _number(text: str | None, default: int, highest: int, lowest: int = 1) -> int:
    value = int(text) if text and text.isdecimal() else default
    return min(max(value, lowest), highest)


def _amount(text: str | None) -> float:
    """Read a limit; what is no number, or less than nothing, is none."""
    try:
        return max(0.0, float(text or 0))
    except ValueError:
        return 0.0


def _one_of(text: str | None, allowed: tuple[str, ...], default: str) -> str:
    return text if text in allowed else default


def _prices(text: str | None) -> dict[str, Price]:
    try:
        return _PRICES.validate_json(text) if text else {}
    except ValidationError:
        return {}


def _draft(text: str | None) -> dict[str, Any] | None:
    try:
        draft = json.loads(text) if text else None
    except ValueError:
        return None
    return draft if isinstance(draft, dict) else None
