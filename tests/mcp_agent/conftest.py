"""What the agent's tests share: settings that point at a policy model."""

from collections.abc import Callable

import pytest

from core.settings import AgentSettings

Settings = Callable[..., AgentSettings]


@pytest.fixture
def settings() -> Settings:
    """Make settings; by default no model is set."""

    def make(url: str = "http://127.0.0.1:9", **changes: object) -> AgentSettings:
        given: dict[str, object] = {
            "agent_api_base": url,
            "agent_model": "policy",
            "agent_api_key": "sk-test-0123456789",
            "agent_default_serial": "",
            "agent_max_steps": 40,
            "agent_provider": "",
            "agent_slots": 1,
            "agent_autonomy": "auto",
            "agent_vision": "auto",
            "agent_task_draft": None,
        }
        return AgentSettings(**{**given, **changes})  # type: ignore[arg-type]

    return make
