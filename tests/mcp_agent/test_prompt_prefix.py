"""Consecutive requests of a run, byte by byte: what a vendor's prompt cache has seen before."""

import json
from itertools import pairwise
from typing import Any

from core.model_profiles import ProfileBook
from core.runs import store
from mcp_agent.messages import OLD_PICTURE, PICTURE_NOTE
from tests.mcp_agent.conftest import Desk, Settings
from tests.policy_model import Call, PolicyModel, Reply, Request, tool_texts

THOUGHT = "I think I had better look at it once more."
SHOTS = 4
PICTURE = json.dumps(PICTURE_NOTE).encode()


def looks_four_times(request: Request) -> Reply:
    """Look at the screen four times in this run, then say what is there."""
    asked = max(at for at, each in enumerate(request["messages"]) if is_prompt(each))
    looked = len(tool_texts({"messages": request["messages"][asked:]}))
    if looked < SHOTS:
        return Reply(reasoning=THOUGHT, calls=(Call("de_screenshot"),))
    return Reply(content="It is the home screen.", reasoning=THOUGHT)


def is_prompt(message: dict[str, Any]) -> bool:
    text = message["content"]
    return message["role"] == "user" and isinstance(text, str) and text.startswith("Look")


def messages_of(body: bytes) -> bytes:
    """Return the messages as they stand in a request, without the bracket that closes them."""
    text = body.decode()
    start = text.index('"messages":[') + len('"messages":')
    _, end = json.JSONDecoder().raw_decode(text, start)
    return text[start : end - 1].encode()


def shared(earlier: bytes, later: bytes) -> int:
    alike = (a == b for a, b in zip(earlier, later, strict=False))
    return next((at for at, same in enumerate(alike) if not same), min(len(earlier), len(later)))


def four_shots(desk: Desk, settings: Settings, kept: int) -> tuple[list[bytes], PolicyModel]:
    with PolicyModel(looks_four_times) as model:
        book = ProfileBook()
        book.learn(model.url, "policy", pictures_kept=kept)
        desk.settings = settings(model.url, profiles=book)
        entries = desk.run("Look four times.")
    assert entries[-1].name == "done"
    return [messages_of(body) for body in model.bodies], model


def test_a_request_is_the_one_before_up_to_the_picture_that_it_forgets(
    desk: Desk, settings: Settings
) -> None:
    sent, model = four_shots(desk, settings, kept=1)

    assert len(sent) == SHOTS + 1
    assert sent[1].startswith(sent[0])  # no picture was there yet
    for earlier, later in pairwise(sent[1:]):
        edit = earlier.rindex(b'{"role":"user","content":[')
        assert shared(earlier, later) >= edit
        assert later[edit:].startswith(
            b'{"role":"user","content":' + json.dumps(OLD_PICTURE).encode()
        )
    assert [body.count(PICTURE) for body in sent] == [0, 1, 1, 1, 1]
    assert pairs_hold(model.requests[-1]["messages"])
    rest = [body.replace(part, b"") for body, part in zip(model.bodies, sent, strict=True)]
    assert len(set(rest)) == 1  # tools and options are the same in each


def test_with_three_pictures_kept_the_list_is_edited_once_in_three(
    desk: Desk, settings: Settings
) -> None:
    sent, _ = four_shots(desk, settings, kept=3)

    grown = [later.startswith(earlier) for earlier, later in pairwise(sent)]
    assert grown == [True, True, True, False]
    assert [body.count(PICTURE) for body in sent] == [0, 1, 2, 3, 1]
    edit = sent[3].index(b'{"role":"user","content":[')
    assert shared(sent[3], sent[4]) >= edit


def test_usage_and_reasoning_are_never_sent_back(desk: Desk, settings: Settings) -> None:
    with PolicyModel(looks_four_times) as model:
        desk.settings = settings(model.url, profiles=ProfileBook())
        first = desk.start("Look four times.")
        desk.entries(first)
        desk.run("Look again.", conv_id=store.get(desk.instance.db, first).conv_id)

    last = model.requests[-1]["messages"]
    assert [each["content"] for each in last if is_prompt(each)] == [
        "Look four times.",
        "Look again.",
    ]
    assert all(THOUGHT.encode() not in body for body in model.bodies)
    assert all(b'"usage"' not in body for body in model.bodies)
    assert {key for each in last for key in each} == {
        "role",
        "content",
        "tool_calls",
        "tool_call_id",
    }


def pairs_hold(messages: list[dict[str, Any]]) -> bool:
    """Say whether each call is answered right behind it, before anything else is said."""
    for at, message in enumerate(messages):
        wanted = [call["id"] for call in message.get("tool_calls", ())]
        answers = messages[at + 1 : at + 1 + len(wanted)]
        if [each.get("tool_call_id") for each in answers] != wanted:
            return False
    return True
