"""A policy that reads the tree: it looks a post up in the content app, and writes down the way.

It is a function of the request alone, and the same whether it explores, is told that its steps
failed, or is asked to mend a single step of a task.
"""

import json
import re
from typing import Any

from tests.policy_model import Call, Reply, Request, last_user

WORD = "咖啡"
POST = "预算 100 元的咖啡计划"
PROMPT = f"在小集里搜索「{WORD}」，打开《{POST}》"
APP = "com.example.xiaoji"
LINE = re.compile(r'^\s*\[(\d+)\] (\w+) "(.*?)"(.*) @\d+,\d+$', re.M)
TREE = re.compile(r"^([\w.]+)/(\S+) · \d+x\d+ · ", re.M)
FAILED = "The check without a model failed"
MENDING = "The step that no longer finds its element"

Row = tuple[int, str, str, str]


def designs(request: Request) -> Reply:
    """Explore until the post is open, then hand the way in; mend it when the check failed."""
    if MENDING in last_user(request):
        return mend(last_user(request))
    said = [m for m in request["messages"] if m["role"] == "tool"]
    last = str(said[-1]["content"]) if said else ""
    if FAILED in last:
        return submit(request, from_front_page=True)
    if TREE.search(last) is None:
        return Reply(calls=(Call("de_ui_tree"),))
    return _next(request, last)


def _next(request: Request, tree: str) -> Reply:
    rows = rows_of(tree)
    if f"{APP}/.PostActivity" in tree:
        return submit(request)
    if APP not in tree.splitlines()[0]:
        return Reply(calls=(Call("de_open_app", {"app": "小集"}),))
    post = next((row for row in rows if POST in row[2]), None)
    if post is not None:
        return Reply(calls=(Call("de_tap", {"element": post[0]}),))
    field = next(row for row in rows if row[1] == "field")
    if WORD not in field[2]:
        typing = {"text": WORD, "into": str(field[0]), "clear": True}
        return Reply(calls=(Call("de_type_text", typing),))
    return Reply(calls=(Call("de_tap", {"element": searching(rows)[0]}),))


def mend(asked: str) -> Reply:
    """Name the button that searches now, if that is what the step did."""
    rows = rows_of(asked)
    known = any(row[1] == "field" for row in rows) and "搜索" in asked
    answer = {"element": searching(rows)[0], "why": "it stands by the field"} if known else {}
    return Reply(content=json.dumps(answer))


def searching(rows: list[Row]) -> Row:
    """Choose the button that searches, whatever it is called: the one that stands by the field."""
    at = next(at for at, row in enumerate(rows) if row[1] == "field")
    return next(row for row in rows[at:] if row[1] == "button")


def rows_of(tree: str) -> list[Row]:
    found = LINE.findall(tree)
    return [(int(number), kind, label, rest) for number, kind, label, rest in found]


def submit(request: Request, from_front_page: bool = False) -> Reply:
    """Write down what worked, each element as the tree showed it."""
    steps = [step for step in map(_as_step, acts(request)) if step]
    close = [{"type": "close_app", "app": APP}] if from_front_page else []
    proof = {"type": "assert", "selector": {"text": POST}}
    args = {"name": "看咖啡计划", "steps": [*close, *steps, proof], "inputs": {"word": WORD}}
    return Reply(calls=(Call("submit_task", args),))


def acts(request: Request) -> list[tuple[str, dict[str, Any], Row | None]]:
    """List the own acts that the tools took, with the row of the last tree that each named."""
    found = []
    shown: list[Row] = []
    calls: dict[str, dict[str, Any]] = {}
    for message in request["messages"]:
        for call in message.get("tool_calls") or ():
            calls[call["id"]] = call["function"]
        if message["role"] != "tool":
            continue
        text, call = str(message["content"]), calls[message["tool_call_id"]]
        if TREE.search(text):
            shown = rows_of(text)
        elif call["name"].startswith("de_") and not text.startswith("Error"):
            args = json.loads(call["arguments"])
            number = args.get("element") or args.get("into")
            row = next((row for row in shown if str(row[0]) == str(number)), None)
            found.append((call["name"], args, row))
    return found


def _as_step(act: tuple[str, dict[str, Any], Row | None]) -> dict[str, Any] | None:
    name, args, row = act
    if name == "de_open_app":
        return {"type": "open_app", "app": args["app"]}
    if name == "de_type_text":
        into = {"selector": {"resourceId": "search"}, "clear": True, "timeout_s": 3}
        return {"type": "input_text", "text": "{{word}}", **into}
    if name == "de_tap" and row is not None:
        label = row[2].split(" · ")[0]
        return {"type": "click", "selector": {"text": label}, "timeout_s": 3}
    return None
