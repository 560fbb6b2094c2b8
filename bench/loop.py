"""What a step of the loop costs beside model and phone: kept clients against new ones each step.

The model is a policy server and the tool a trivial one, each a process of its own, so that only
the client's processor time is measured. A step is one streamed model answer and one tool call.
"""

import multiprocessing
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any

import anyio
from mcp import Client
from openai import AsyncOpenAI

from bench.figure import Figure, median_of
from core.settings import AgentSettings
from mcp_agent.abort import Abort
from mcp_agent.mcp_client import McpClient
from mcp_agent.model import Message, ToolCall, ToolSpec
from mcp_agent.providers.base import Http
from mcp_agent.providers.openai_model import ChatModel
from tests.policy_model import Call, PolicyModel, Reply
from tests.small_mcp import SmallMcp

STEPS = 20
ROUNDS = 3
GOAL = 0.2
MESSAGES: list[Message] = [{"role": "user", "content": "look"}]
SCHEMA = {"type": "object", "properties": {"text": {"type": "string", "description": "What"}}}
TOOLS = [ToolSpec(f"tool_{at}", "Do something to the phone.", SCHEMA) for at in range(20)]


def figures() -> Iterator[Figure]:
    """Measure processor and wall time a step."""
    server = SmallMcp().start()
    here, there = multiprocessing.Pipe()
    model = multiprocessing.get_context("spawn").Process(target=_serve_model, args=(there,))
    model.start()
    try:
        url = here.recv()
        for name, clock in (("cpu", time.process_time), ("wall", time.perf_counter)):
            kept = median_of(ROUNDS, lambda c=clock: _kept(url, server.url, c))  # type: ignore[misc]
            new = median_of(ROUNDS, lambda c=clock: _new(url, server.url, c))  # type: ignore[misc]
            goal = GOAL if name == "cpu" else None
            yield Figure(f"loop.{name}_a_step", kept, "ms", new, goal)
    finally:
        here.send("end")
        model.join(timeout=5)
        server.kill()


def _kept(model_url: str, mcp_url: str, clock: Callable[[], float]) -> float:
    chat = ChatModel(settings_of(model_url), Abort(), "en")
    with McpClient(Http(mcp_url), Abort()) as tools:
        tools.tools()
        list(chat.stream(MESSAGES, TOOLS))  # the client is made at the first call

        def step() -> None:
            list(chat.stream(MESSAGES, TOOLS))
            tools.call(ToolCall("c1", "look", {}))

        return _timed(step, clock)


def _new(model_url: str, mcp_url: str, clock: Callable[[], float]) -> float:
    request: dict[str, Any] = {
        "model": "policy",
        "messages": MESSAGES,
        "tools": [
            {
                "type": "function",
                "function": {"name": t.name, "description": t.description, "parameters": t.schema},
            }
            for t in TOOLS
        ],
        "stream_options": {"include_usage": True},
    }

    async def both() -> None:
        async with AsyncOpenAI(api_key="none", base_url=model_url) as client:
            async for _ in await client.chat.completions.create(**request, stream=True):
                pass
        async with Client(mcp_url) as tools:
            await tools.call_tool("look", {})

    return _timed(lambda: anyio.run(both), clock)


def _timed(step: Callable[[], None], clock: Callable[[], float]) -> float:
    """Return the time a step takes, in milliseconds."""
    step()
    begun = clock()
    for _ in range(STEPS):
        step()
    return (clock() - begun) / STEPS * 1000


def _serve_model(pipe: Connection) -> None:
    reply = Reply(content="I look at the screen now.", calls=(Call("look", {"text": "all of it"}),))
    with PolicyModel(lambda request: reply) as model:
        pipe.send(model.url)
        pipe.recv()


def settings_of(url: str) -> AgentSettings:
    """Give settings that point at a policy model."""
    return AgentSettings(agent_api_base=url, agent_model="policy")
