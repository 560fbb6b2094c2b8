"""Notes: a list that can be searched, an editor, and a question before anything is lost."""

from __future__ import annotations

from functools import partial
from typing import Any

from virtual_phone import theme, ui
from virtual_phone.state import State, leave_field
from virtual_phone.ui import Look, Node, Rect
from virtual_phone.view import App, Names, View, scroll_list
from virtual_phone.widgets import (
    MARGIN_PX,
    behind_dialog,
    dialog,
    empty_page,
    floating_button,
    header,
    search_field,
)

PACKAGE = "com.example.notes"
_ID = f"{PACKAGE}:id/"
_CARD_PX = 218

_SAMPLES_ZH = [
    ("购物清单", "牛奶、鸡蛋、全麦面包\n记得带购物袋", "2026-03-11T18:20:00"),
    ("周会要点", "本周完成设备接入，下周开始回归测试", "2026-03-10T15:05:00"),
    ("读书笔记", "《活着》第三章：福贵回到家乡", "2026-03-08T21:40:00"),
]
_SAMPLES_EN = [
    ("Shopping list", "Milk, eggs, wholemeal bread\nBring a bag", "2026-03-11T18:20:00"),
    ("Weekly meeting", "Devices are connected, regression tests next", "2026-03-10T15:05:00"),
    ("Reading", "Chapter three: the way home", "2026-03-08T21:40:00"),
]


def _fresh(system: State) -> State:
    samples = _SAMPLES_ZH if system["locale"].startswith("zh") else _SAMPLES_EN
    items = [
        {"id": number, "title": title, "body": body, "updated": updated}
        for number, (title, body, updated) in enumerate(samples, start=1)
    ]
    return {"items": items}


def _fresh_ui() -> State:
    draft = {"id": None, "title": "", "body": ""}
    return {"page": "list", "query": "", "scroll": 0, "draft": draft, "ask": ""}


def _ui(state: State) -> State:
    found: State = state["notes"]["ui"]
    return found


def _screen(view: View) -> Node:
    return _editor(view) if _ui(view.state)["page"] == "editor" else _list(view)


# -- the list ---------------------------------------------------------------------------------


def _found(state: State) -> list[Any]:
    query = _ui(state)["query"].strip().lower()
    items = sorted(state["notes"]["items"], key=_age, reverse=True)
    return [n for n in items if query in f"{n['title']}\n{n['body']}".lower()]


def _age(note: Any) -> tuple[str, int]:
    return str(note.get("updated", "")), int(note["id"])


def _list(view: View) -> Node:
    notes = _found(view.state)
    bar = header(view, view.tr("备忘录", "Notes"), None)
    pill_top = bar.bounds.bottom + view.px(6)
    names = Names(f"{_ID}search", view.tr("搜索备忘录", "Search notes"))
    pill = search_field(view, pill_top, "notes.ui.query", names)
    bar.bounds = Rect(0, 0, view.width, pill.bounds.bottom + view.px(24))
    viewport = Rect(0, bar.bounds.bottom, view.width, view.bottom)
    build = partial(_cards, view, notes)
    rows = scroll_list(view, viewport, "notes.ui.scroll", build, f"{_ID}list")
    new = Names(f"{_ID}new", view.tr("新建", "New"))
    children = [
        bar,
        pill,
        rows,
        floating_button(view, "plus", new, partial(_open, view.state, None)),
    ]
    if not notes:
        words = view.tr("没有备忘录", "No notes")
        children.append(empty_page(view, viewport, words, f"{_ID}empty"))
    return view.root(children)


def _cards(view: View, notes: list[Any], top: int) -> tuple[list[Node], int]:
    height, gap = view.px(_CARD_PX), view.px(26)
    cards = [_card(view, note, top + n * (height + gap)) for n, note in enumerate(notes)]
    return cards, top + len(notes) * (height + gap) + view.px(240)


def _card(view: View, note: Any, top: int) -> Node:
    box = Rect(view.px(MARGIN_PX), top, view.width - view.px(MARGIN_PX), top + view.px(_CARD_PX))
    inner = box.inset(view.px(44), view.px(26))
    step = view.px(60)
    lines = [
        (note["title"] or view.tr("无标题", "Untitled"), 46, view.theme.text, "title"),
        (note["body"].split("\n")[0], 38, view.theme.dim, "preview"),
        (_day(view, str(note.get("updated", ""))), 31, view.theme.faint, "date"),
    ]
    children = [
        view.label(
            text,
            Rect(inner.left, inner.top + n * step, inner.right, inner.top + (n + 1) * step),
            size,
            color=color,
            bold=n == 0,
            rid=_ID + rid,
        )
        for n, (text, size, color, rid) in enumerate(lines)
    ]
    look = Look(fill=view.theme.card, radius=view.px(40))
    act = partial(_open, view.state, note["id"])
    return Node(ui.FRAME, box, rid=f"{_ID}note", look=look, children=children, on_tap=act)


def _day(view: View, stamp: str) -> str:
    year, _, rest = stamp.partition("T")[0].partition("-")
    month, _, day = rest.partition("-")
    if not day:
        return stamp
    return view.tr(f"{year}年{int(month)}月{int(day)}日", f"{year}-{month}-{day}")


# -- the editor -------------------------------------------------------------------------------


def _editor(view: View) -> Node:
    state, page = view.state, _ui(view.state)
    known = page["draft"]["id"] is not None
    title = view.tr("编辑备忘录", "Edit note") if known else view.tr("新建备忘录", "New note")
    bar = header(view, title, partial(_back, state), _actions(view, known))
    left, right = view.px(52), view.width - view.px(52)
    top = bar.bounds.bottom + view.px(10)
    head = Rect(left, top, right, top + view.px(120))
    line = Rect(left, head.bottom, right, head.bottom + 2)
    body = Rect(left, head.bottom + view.px(30), right, view.bottom - view.px(30))
    title_names = Names(f"{_ID}edit_title", view.tr("标题", "Title"))
    body_names = Names(f"{_ID}edit_body", view.tr("开始书写…", "Start writing…"))
    children = [
        bar,
        view.edit("notes.ui.draft.title", head, title_names, Look(size=view.px(62), bold=True)),
        Node(ui.VIEW, line, look=Look(fill=view.theme.field), painted_only=True),
        view.edit("notes.ui.draft.body", body, body_names, Look(size=view.px(46), multiline=True)),
    ]
    if questions := _questions(view):
        behind_dialog(children)
        children += questions
    return view.root(children)


def _actions(view: View, known: bool) -> list[Node]:
    top, right = view.top + view.px(25), view.width - view.px(40)
    save = Rect(right - view.px(170), top, right, top + view.px(100))
    nodes = [view.button(view.tr("保存", "Save"), save, f"{_ID}save", partial(_save, view.state))]
    if known:
        place = Rect(save.left - view.px(120), top, save.left - view.px(20), save.bottom)
        ask = partial(_ui(view.state).update, ask="delete")
        trash = view.icon_button("trash", place, ("删除", "Delete"), ask)
        trash.rid = f"{_ID}delete"
        nodes.insert(0, trash)
    return nodes


def _questions(view: View) -> list[Node]:
    state, ask = view.state, _ui(view.state)["ask"]
    cancel = ("button2", view.tr("取消", "Cancel"), partial(_ui(state).update, ask=""))
    if ask == "delete":
        yes = ("button1", view.tr("删除", "Delete"), partial(_delete, state))
        message = view.tr("删除后无法恢复", "It cannot be brought back")
        return dialog(
            view, view.tr("删除这条备忘录？", "Delete this note?"), message, [cancel, yes]
        )
    if ask == "leave":
        drop = ("button3", view.tr("放弃", "Discard"), partial(_close, state))
        save = ("button1", view.tr("保存", "Save"), partial(_save, state))
        message = view.tr("内容还没有保存", "The text has not been saved")
        title = view.tr("保存更改？", "Save changes?")
        return dialog(view, title, message, [cancel, drop, save])
    return []


def _note(state: State, note_id: int | None) -> Any:
    return next((n for n in state["notes"]["items"] if n["id"] == note_id), None)


def _open(state: State, note_id: int | None) -> None:
    note = _note(state, note_id) or {"id": None, "title": "", "body": ""}
    draft = {key: note[key] for key in ("id", "title", "body")}
    leave_field(state)
    _ui(state).update(page="editor", draft=draft, ask="")


def _close(state: State) -> None:
    leave_field(state)
    _ui(state).update(page="list", draft=_fresh_ui()["draft"], ask="")


def _save(state: State) -> None:
    draft, items = _ui(state)["draft"], state["notes"]["items"]
    words = {"title": draft["title"], "body": draft["body"], "updated": state["system"]["time"]}
    note = _note(state, draft["id"])
    if note is not None:
        note.update(words)
    elif draft["title"] or draft["body"]:
        items.append({"id": max((n["id"] for n in items), default=0) + 1, **words})
    _close(state)


def _delete(state: State) -> None:
    gone = _ui(state)["draft"]["id"]
    state["notes"]["items"] = [n for n in state["notes"]["items"] if n["id"] != gone]
    _close(state)


def _changed(state: State) -> bool:
    draft = _ui(state)["draft"]
    note = _note(state, draft["id"]) or {"title": "", "body": ""}
    return bool(draft["title"] != note["title"] or draft["body"] != note["body"])


def _back(state: State) -> bool:
    page = _ui(state)
    if page["ask"]:
        page["ask"] = ""
    elif page["page"] == "editor" and _changed(state):
        page["ask"] = "leave"
    elif page["page"] == "editor":
        _close(state)
    elif page["query"]:
        page["query"] = ""
    else:
        return False
    return True


APP = App(
    package=PACKAGE,
    key="notes",
    names=("备忘录", "Notes"),
    icon="note",
    color=theme.AMBER,
    fresh=_fresh,
    screen=_screen,
    back=_back,
    activity=lambda state: ".EditActivity" if _ui(state)["page"] == "editor" else ".MainActivity",
    fresh_ui=_fresh_ui,
)
