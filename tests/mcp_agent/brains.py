"""How the contract's test makes each brain do what a case needs: a harness a provider.

A prompt is all that a harness gives. Its model is a policy: a function of the request alone.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from core.settings import AgentSettings
from mcp_agent.providers.base import ProviderCaps, provider
from tests.mcp_agent.conftest import Settings
from tests.policy_model import Call, PolicyModel, Refusal, Reply, Request

USE, TALK, REFUSED, BREAK_OFF = "USE ", "TALK", "REFUSED", "BREAK OFF"
PIECES = 400


class Harness(Protocol):
    """One provider under test; what its ``caps`` do not claim is not asked of it."""

    name: str
    settings: AgentSettings

    def using(self, tool: str, **arguments: Any) -> str:
        """Give a prompt that makes it call a tool of the small server."""
        ...

    def talking(self) -> str:
        """Give a prompt that it answers at such length that there is time to stop it."""
        ...

    def refused(self) -> str:
        """Give a prompt for which its model refuses the key."""
        ...

    def broken_off(self) -> str:
        """Give a prompt whose answer breaks off in the middle."""
        ...

    def said_to_it(self) -> list[str]:
        """Return what people said, as its model read it last."""
        ...


def caps_of(brain: Harness) -> ProviderCaps:
    """Return what the provider claims to be able to do."""
    return provider(brain.name).caps


@dataclass
class OpenAIBrain:
    """Our loop, with a policy model that does what it was told last."""

    model: PolicyModel
    settings: AgentSettings
    name: str = "openai"

    def using(self, tool: str, **arguments: Any) -> str:
        return USE + json.dumps([tool, arguments])

    def talking(self) -> str:
        return TALK

    def refused(self) -> str:
        return REFUSED

    def broken_off(self) -> str:
        return BREAK_OFF

    def said_to_it(self) -> list[str]:
        return _said(self.model.requests[-1])


@dataclass
class OfflineBrain:
    """Our rules, which know the phone's tools only: they wait for a number of seconds."""

    settings: AgentSettings
    name: str = "offline"

    def using(self, tool: str, **arguments: Any) -> str:
        what = f"ask {arguments['key']}" if tool == "ask" else arguments.get("seconds", 0)
        return f"等待「{what}」"

    def talking(self) -> str:
        raise NotImplementedError("caps.text_deltas")

    def refused(self) -> str:
        raise NotImplementedError("caps.model")

    def broken_off(self) -> str:
        raise NotImplementedError("caps.model")

    def said_to_it(self) -> list[str]:
        raise NotImplementedError("caps.model")


@contextmanager
def openai(make: Settings) -> Iterator[Harness]:
    """Serve a policy model, and our loop over it."""
    with PolicyModel(obeying) as model:
        yield OpenAIBrain(model, make(model.url, agent_provider="openai"))


@contextmanager
def offline(make: Settings) -> Iterator[Harness]:
    """Give the rules; nothing is to be served."""
    yield OfflineBrain(make(agent_model="", agent_provider="offline"))


#: What joins here runs the whole contract; foreign programs join marked ``providers``.
BRAINS = {"openai": openai, "offline": offline}


def obeying(request: Request) -> Reply | Refusal:
    """Do what the last person said: call a tool once, talk, refuse, break off, or repeat it."""
    told = _said(request)[-1]
    if told == REFUSED:
        return Refusal(401, "bad key")
    if told == TALK:
        return Reply(content="one two three " * PIECES, trickle_s=0.02)
    if told == BREAK_OFF:
        return Reply(content="one two three", cut=True)
    if told.startswith(USE) and not _was_obeyed(request, told):
        tool, arguments = json.loads(told.removeprefix(USE))
        return Reply(calls=(Call(tool, arguments),))
    newest = request["messages"][-1]
    shown = isinstance(newest["content"], list)
    return Reply(content="I see a picture." if shown else f"Heard: {newest['content']}")


def _said(request: Request) -> list[str]:
    said = [each["content"] for each in request["messages"] if each["role"] == "user"]
    return [content for content in said if isinstance(content, str)]


def _was_obeyed(request: Request, told: str) -> bool:
    """Say whether a tool was called since a person said this."""
    roles = [m["role"] for m in request["messages"] if m["content"] == told or m["role"] == "tool"]
    return roles[-1] == "tool"
