"""Conversations over HTTP: found by what was said, said again in other words, taken home."""

from typing import Any
from urllib.parse import unquote

import pytest

from core import conversations
from core.models import Conversation, ConversationMessage, Run
from core.runs import store
from tests.web.conftest import Browser
from web.console import Console

CONVERSATIONS = "/api/agent/conversations"
EUR = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2, "calls": 1, "cost": 0.25}


def a_talk(console: Console, title: str, *said: str) -> str:
    """Keep a conversation in which user and assistant take turns."""
    with console.instance.db.write() as session:
        conv = Conversation(title=title)
        session.add(conv)
        session.flush()
        for n, content in enumerate(said):
            message = ConversationMessage(
                conv_id=conv.id,
                run_id=f"{conv.id[:6]}-{n // 2}",
                role="assistant" if n % 2 else "user",
                content=content,
            )
            session.add(message)
            session.flush()
        return conv.id


def found(operator: Browser, words: str) -> list[dict[str, Any]]:
    answer = operator.get(CONVERSATIONS, query_string={"q": words})
    items: list[dict[str, Any]] = answer.get_json()["items"]
    return items


def messages(operator: Browser, conv_id: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = operator.get(f"{CONVERSATIONS}/{conv_id}").get_json()["messages"]
    return items


def to_its_end(operator: Browser, **body: Any) -> dict[str, Any]:
    answer = operator.post("/api/agent/run", json={"serial": "s1", **body})
    assert answer.status_code == 202, answer.text
    started: dict[str, Any] = answer.get_json()
    operator.get(f"/api/agent/stream?run_id={started['run_id']}", buffered=True)
    return started


def test_a_search_finds_what_was_said_and_shows_the_place(
    operator: Browser, console: Console
) -> None:
    long = "前面的话。" * 20 + "附近的饭店有五家" + "，后面的话" * 20
    talk = a_talk(console, "吃什么", "找饭店", long)
    a_talk(console, "别的", "打开设置", "好")

    by_text = found(operator, "饭店有五家")
    by_title = found(operator, "吃什么")

    assert [each["id"] for each in by_text] == [talk]
    assert "饭店有五家" in by_text[0]["snippet"]
    assert by_text[0]["snippet"].startswith("…")
    assert len(by_text[0]["snippet"]) < 100
    assert [(each["id"], each["snippet"]) for each in by_title] == [(talk, None)]


@pytest.mark.parametrize("words", ["100%", "a_b", "back\\slash", "UPPER"])
def test_what_is_looked_for_is_taken_as_it_stands(
    operator: Browser, console: Console, words: str
) -> None:
    talk = a_talk(console, "one", f"this is {words.lower()} of it", "yes")
    a_talk(console, "two", "1000 aXb backslash uper", "no")

    answer = found(operator, words)

    assert [each["id"] for each in answer] == [talk]
    assert answer[0]["snippet"] == f"this is {words.lower()} of it"


def test_pages_of_a_list_and_of_a_conversation_meet_without_a_gap(
    operator: Browser, console: Console
) -> None:
    for n in range(conversations.PAGE + 3):
        a_talk(console, f"talk {n}", "hello")
    long = a_talk(console, "long", *[f"line {n}" for n in range(conversations.LOADED + 5)])

    first = operator.get(CONVERSATIONS).get_json()
    second = operator.get(CONVERSATIONS, query_string={"cursor": first["next"]}).get_json()
    newest = operator.get(f"{CONVERSATIONS}/{long}").get_json()
    older = operator.get(
        f"{CONVERSATIONS}/{long}", query_string={"before": newest["next"]}
    ).get_json()

    ids = [each["id"] for each in first["items"] + second["items"]]
    assert len(ids) == len(set(ids)) == conversations.PAGE + 4
    assert second["next"] is None
    said = [each["content"] for each in older["messages"] + newest["messages"]]
    assert said == [f"line {n}" for n in range(conversations.LOADED + 5)]
    assert older["next"] is None


def test_an_edit_replaces_what_followed_and_deletes_nothing(
    operator: Browser, console: Console
) -> None:
    db = console.instance.db
    kept = to_its_end(operator, prompt="打开设置")
    conv_id = kept["conv_id"]
    to_its_end(operator, prompt="打开微信", conv_id=conv_id)
    wrong = messages(operator, conv_id)[2]
    with db.write() as session:
        row = session.get(Conversation, conv_id)
        assert row is not None
        row.continuation = "a session that knows the old words"

    edited = to_its_end(operator, prompt="打开便签", conv_id=conv_id, replaces=wrong["id"])

    shown = messages(operator, conv_id)
    assert [each["replaced_by"] for each in shown] == [
        None,
        None,
        edited["run_id"],
        edited["run_id"],
        None,
        None,
    ]
    assert [each["content"] for each in shown if each["role"] == "user"] == [
        "打开设置",
        "打开微信",
        "打开便签",
    ]
    reminded = conversations.history(db, conv_id, edited["run_id"])
    assert ("user", "打开微信") not in reminded
    assert ("user", "打开设置") in reminded
    assert conversations.continuation(db, conv_id) != "a session that knows the old words"
    assert store.get(db, wrong["run_id"]).status == "failed"
    assert "已被修改后的消息取代" in operator.get(f"{CONVERSATIONS}/{conv_id}/export").text


def test_the_title_follows_an_edit_of_the_words_that_it_came_from(
    operator: Browser, console: Console
) -> None:
    conv_id = to_its_end(operator, prompt="打开微信")["conv_id"]

    first = messages(operator, conv_id)[0]["id"]
    to_its_end(operator, prompt="打开便签", conv_id=conv_id, replaces=first)
    followed = operator.get(f"{CONVERSATIONS}/{conv_id}").get_json()
    operator.send("PATCH", f"{CONVERSATIONS}/{conv_id}", json={"title": "我的"})
    to_its_end(operator, prompt="打开相机", conv_id=conv_id, replaces=followed["messages"][2]["id"])

    assert followed["title"] == "打开便签"
    assert operator.get(f"{CONVERSATIONS}/{conv_id}").get_json()["title"] == "我的"


def test_only_the_standing_beginning_of_a_run_here_can_be_edited(
    operator: Browser, console: Console
) -> None:
    conv_id = to_its_end(operator, prompt="打开微信")["conv_id"]
    prompt, answer = messages(operator, conv_id)
    elsewhere = messages(operator, to_its_end(operator, prompt="打开设置")["conv_id"])[0]
    to_its_end(operator, prompt="打开便签", conv_id=conv_id, replaces=prompt["id"])
    before = messages(operator, conv_id)

    body = {"prompt": "打开相机", "serial": "s1", "conv_id": conv_id}
    refused = [
        operator.post("/api/agent/run", json={**body, "replaces": what})
        for what in (answer["id"], elsewhere["id"], prompt["id"], 10**9)
    ]

    assert {each.status_code for each in refused} == {400}
    assert {each.get_json()["error"]["path"] for each in refused} == {"replaces"}
    assert messages(operator, conv_id) == before
    assert operator.get("/api/agent/run").get_json()["running"] is False


def test_a_conversation_has_one_run_at_a_time_and_stays_while_it_goes_on(
    operator: Browser, admin: Browser, console: Console
) -> None:
    admin.put("/api/agent/config", json={"agent_slots": 3})
    conv_id = a_talk(console, "busy", "打开设置", "好")
    with console.instance.db.write() as session:
        session.add(Run(conv_id=conv_id, status="waiting", prompt="打开设置", owner="another"))

    second = operator.post(
        "/api/agent/run", json={"prompt": "打开微信", "serial": "s1", "conv_id": conv_id}
    )
    deleted = operator.send("DELETE", f"{CONVERSATIONS}/{conv_id}")

    for answer in (second, deleted):
        assert answer.status_code == 409
        assert answer.get_json()["error"]["code"] == "conversation_busy"
    assert len(messages(operator, conv_id)) == 2


def test_what_answers_cost_is_summed_by_currency(operator: Browser, console: Console) -> None:
    conv_id = a_talk(console, "dear", "a", "b", "c", "d", "e", "f")
    usages: list[dict[str, Any]] = [
        {**EUR, "currency": "EUR"},
        {**EUR, "currency": "CNY"},
        {**EUR, "currency": "EUR"},
    ]
    with console.instance.db.write() as session:
        answers = session.query(ConversationMessage).filter_by(conv_id=conv_id, role="assistant")
        for row, usage in zip(answers, usages, strict=True):
            row.extra = {"usage": usage}

    shown = operator.get(f"{CONVERSATIONS}/{conv_id}").get_json()

    assert shown["costs"] == [
        {"currency": "CNY", "amount": 0.25},
        {"currency": "EUR", "amount": 0.5},
    ]


@pytest.mark.parametrize("form", ["md", "json"])
def test_an_export_is_a_file_named_after_the_conversation(
    operator: Browser, console: Console, form: str
) -> None:
    conv_id = a_talk(console, "设置/\r\nX: y", "打开设置", "**好了**")

    answer = operator.get(f"{CONVERSATIONS}/{conv_id}/export", query_string={"format": form})

    disposition = unquote(answer.headers["Content-Disposition"])
    assert disposition == f"attachment; filename*=UTF-8''设置/\r\nX: y.{form}"
    assert "X" not in answer.headers
    assert "**好了**" in answer.text
    if form == "md":
        assert answer.text.splitlines()[0] == "# 设置/ X: y"
