"""Contacts: a list that can be searched, a person's page, a form, and a call."""

from __future__ import annotations

from functools import partial
from typing import Any

from virtual_phone import theme, ui
from virtual_phone.apps import messages
from virtual_phone.state import State, leave_field
from virtual_phone.ui import Look, Node, Rect
from virtual_phone.view import App, Names, View, scroll_list
from virtual_phone.widgets import (
    MARGIN_PX,
    Row,
    avatar,
    behind_dialog,
    card,
    dialog,
    empty_page,
    floating_button,
    header,
    search_field,
)

PACKAGE = "com.android.contacts"
_ID = f"{PACKAGE}:id/"
_ROW_PX = 156

_PEOPLE_ZH = (
    ("陈晓雨", "138 0011 2233"),
    ("李建国", "139 2200 4455"),
    ("王芳", "136 7788 1020"),
    ("物业前台", "027 8555 6600"),
    ("张伟", "135 4040 9090"),
    ("赵敏", "137 6161 3434"),
)
_PEOPLE_EN = (
    ("Alice Green", "555 0112"),
    ("Ben Carter", "555 0145"),
    ("Front desk", "555 0100"),
    ("Mia Novak", "555 0178"),
    ("Oliver Stone", "555 0121"),
    ("Zoe Park", "555 0190"),
)


def _fresh(system: State) -> State:
    people = _PEOPLE_ZH if system["locale"].startswith("zh") else _PEOPLE_EN
    rows = [
        {"id": number, "name": name, "phone": phone, "starred": False}
        for number, (name, phone) in enumerate(people, start=1)
    ]
    return {"people": rows, "calls": []}


def _fresh_ui() -> State:
    draft = {"id": None, "name": "", "phone": ""}
    return {"page": "list", "query": "", "scroll": 0, "person": None, "draft": draft, "ask": ""}


def _ui(state: State) -> State:
    found: State = state["contacts"]["ui"]
    return found


def _person(state: State) -> Any:
    wanted = _ui(state)["person"]
    return next((p for p in state["contacts"]["people"] if p["id"] == wanted), None)


def _screen(view: View) -> Node:
    page, person = _ui(view.state)["page"], _person(view.state)
    if page == "edit":
        return _form(view)
    if person and page == "call":
        return _call(view, person)
    return _details(view, person) if person and page == "detail" else _list(view)


# -- the list -------------------------------------------------------------------------------------


def _list(view: View) -> Node:
    query = _ui(view.state)["query"].strip().lower()
    people = [
        p
        for p in sorted(view.state["contacts"]["people"], key=_order)
        if query in f"{p['name']} {p['phone']}".lower()
    ]
    bar = header(view, view.tr("通讯录", "Contacts"), None)
    names = Names(f"{_ID}search", view.tr("搜索联系人", "Search contacts"))
    pill = search_field(view, bar.bounds.bottom + view.px(6), "contacts.ui.query", names)
    bar.bounds = Rect(0, 0, view.width, pill.bounds.bottom + view.px(24))
    viewport = Rect(0, bar.bounds.bottom, view.width, view.bottom)
    build = partial(_rows, view, people)
    rows = scroll_list(view, viewport, "contacts.ui.scroll", build, f"{_ID}list")
    new = Names(f"{_ID}new", view.tr("新建联系人", "New contact"))
    act = partial(_edit, view.state, None)
    children = [bar, pill, rows, floating_button(view, "plus", new, act)]
    if not people:
        words = view.tr("没有联系人", "No contacts")
        children.append(empty_page(view, viewport, words, f"{_ID}empty"))
    return view.root(children)


def _order(person: Any) -> tuple[bool, str]:
    return not person["starred"], str(person["name"])


def _rows(view: View, people: list[Any], top: int) -> tuple[list[Node], int]:
    height = view.px(_ROW_PX)
    left, right = view.px(MARGIN_PX), view.width - view.px(MARGIN_PX)
    rows = []
    for number, person in enumerate(people):
        box = Rect(left, top + number * height, right, top + (number + 1) * height)
        rows.append(_row(view, box, person))
    return rows, top + len(people) * height + view.px(240)


def _row(view: View, box: Rect, person: Any) -> Node:
    size, middle = view.px(104), box.center[1]
    disc = Rect(box.left + view.px(16), middle - size // 2, 0, middle + size // 2)
    disc = disc._replace(right=disc.left + size)
    words = Rect(disc.right + view.px(40), box.top, box.right - view.px(120), box.bottom)
    children = [
        avatar(view, disc, str(person["name"]) or "?"),
        view.label(person["name"], words, 47, rid=f"{_ID}name"),
    ]
    if person["starred"]:
        star = Rect(box.right - view.px(100), box.top, box.right, box.bottom)
        look = Look(icon="star", icon_size=view.px(52), icon_color=theme.AMBER)
        children.append(Node(ui.IMAGE, star, look=look, desc=view.tr("已收藏", "Starred")))
    act = partial(_show, view.state, person["id"])
    return Node(ui.LINEAR, box, rid=f"{_ID}person", children=children, on_tap=act)


# -- one person -----------------------------------------------------------------------------------


def _details(view: View, person: Any) -> Node:
    state = view.state
    top, right = view.top + view.px(25), view.width - view.px(30)
    star_box = Rect(right - view.px(240), top, right - view.px(130), top + view.px(100))
    edit_box = Rect(right - view.px(110), top, right, top + view.px(100))
    flip = partial(person.update, starred=not person["starred"])
    star = view.icon_button("star", star_box, ("收藏联系人", "Star"), flip)
    star.rid, star.selected = f"{_ID}star", person["starred"]
    ink = theme.AMBER if person["starred"] else view.theme.faint
    star.look = Look(icon="star", icon_size=view.px(68), icon_color=ink)
    change = partial(_edit, state, person["id"])
    pen = view.icon_button("note", edit_box, ("修改", "Edit"), change)
    pen.rid = f"{_ID}edit"
    bar = header(view, "", partial(_back, state), [star, pen])
    viewport = Rect(0, bar.bounds.bottom, view.width, view.bottom)
    build = partial(_card, view, person)
    children = [bar, scroll_list(view, viewport, "contacts.ui.detail", build, f"{_ID}details")]
    if _ui(state)["ask"]:
        behind_dialog(children)
        children += _question(view, person)
    return view.root(children)


def _card(view: View, person: Any, top: int) -> tuple[list[Node], int]:
    state, size = view.state, view.px(260)
    middle = view.width // 2
    disc = Rect(middle - size // 2, top + view.px(40), middle + size // 2, 0)
    disc = disc._replace(bottom=disc.top + size)
    name = Rect(0, disc.bottom + view.px(24), view.width, disc.bottom + view.px(130))
    number = str(person["phone"])
    rows = [
        Row("call", view.tr("拨打电话", "Call"), number, "phone", theme.GREEN),
        Row("message", view.tr("发短信", "Send a message"), number, "chat", theme.BLUE),
    ]
    acts = (
        partial(_ring, state, person),
        partial(messages.write_to, state, number),
    )
    rows = [_with_tap(row, act) for row, act in zip(rows, acts, strict=True)]
    first, y = card(view, name.bottom + view.px(40), rows, PACKAGE)
    ask = partial(_ui(state).update, ask="delete")
    gone = Row("delete", view.tr("删除联系人", "Delete contact"), tap=ask, danger=True)
    second, y = card(view, y + view.px(34), [gone], PACKAGE)
    label = view.label(person["name"], name, 64, bold=True, align="center", rid=f"{_ID}large_title")
    return [avatar(view, disc, person["name"] or "?"), label, first, second], y + view.px(40)


def _with_tap(row: Row, act: Any) -> Row:
    return Row(row.key, row.title, row.summary, row.icon, row.color, tap=act)


def _question(view: View, person: Any) -> list[Node]:
    state = view.state
    title = view.tr("删除联系人？", "Delete this contact?")
    cancel = ("button2", view.tr("取消", "Cancel"), partial(_ui(state).update, ask=""))
    yes = ("button1", view.tr("删除", "Delete"), partial(_delete, state, person["id"]))
    return dialog(view, title, str(person["name"]), [cancel, yes])


def _call(view: View, person: Any) -> Node:
    box = Rect(0, 0, view.width, view.height)
    look = Look(fill=view.theme.page)
    third = view.height // 4
    name = Rect(0, third, view.width, third + view.px(120))
    words = Rect(0, name.bottom, view.width, name.bottom + view.px(80))
    size = view.px(190)
    middle, bottom = view.width // 2, view.bottom - view.px(200)
    end = Rect(middle - size // 2, bottom - size, middle + size // 2, bottom)
    red = Look(
        fill=theme.RED,
        radius=size // 2,
        icon="close",
        icon_size=view.px(90),
        icon_color="#ffffff",
    )
    label = partial(view.label, align="center")
    children = [
        label(person["name"], name, 76, bold=True, rid=f"{_ID}call_name"),
        label(
            view.tr("正在呼叫…", "Calling…"),
            words,
            44,
            rid=f"{_ID}call_status",
            color=view.theme.dim,
        ),
        Node(
            ui.IMAGE_BUTTON,
            end,
            rid=f"{_ID}end_call",
            desc=view.tr("挂断", "End call"),
            look=red,
            on_tap=partial(_ui(view.state).update, page="detail"),
        ),
    ]
    return Node(ui.FRAME, box, look=look, children=children)


# -- the form -------------------------------------------------------------------------------------


def _form(view: View) -> Node:
    state = view.state
    known = _ui(state)["draft"]["id"] is not None
    title = view.tr("修改联系人", "Edit contact") if known else view.tr("新建联系人", "New contact")
    top, right = view.top + view.px(25), view.width - view.px(40)
    place = Rect(right - view.px(170), top, right, top + view.px(100))
    save = view.button(view.tr("保存", "Save"), place, f"{_ID}save", partial(_save, state))
    save.enabled = bool(_ui(state)["draft"]["name"].strip())
    if not save.enabled:
        save.look = Look(
            fill=view.theme.field,
            radius=view.px(40),
            size=view.px(42),
            color=view.theme.faint,
            align="center",
        )
    bar = header(view, title, partial(_back, state), [save])
    children, y = [bar], bar.bounds.bottom + view.px(40)
    hints = (("name", view.tr("姓名", "Name")), ("phone", view.tr("电话", "Phone")))
    look = Look(size=view.px(46), pad=view.px(44), fill=view.theme.card, radius=view.px(36))
    for key, hint in hints:
        box = Rect(view.px(MARGIN_PX), y, view.width - view.px(MARGIN_PX), y + view.px(140))
        names = Names(f"{_ID}edit_{key}", hint)
        children.append(view.edit(f"contacts.ui.draft.{key}", box, names, look))
        y = box.bottom + view.px(30)
    return view.root(children)


# -- what happens ---------------------------------------------------------------------------------


def _show(state: State, person_id: int) -> None:
    leave_field(state)
    _ui(state).update(page="detail", person=person_id, ask="", detail=0)


def _edit(state: State, person_id: int | None) -> None:
    leave_field(state)
    _ui(state).update(page="edit", person=person_id)
    person = _person(state) or {"id": None, "name": "", "phone": ""}
    _ui(state)["draft"] = {key: person[key] for key in ("id", "name", "phone")}


def _save(state: State) -> None:
    draft, people = _ui(state)["draft"], state["contacts"]["people"]
    person = _person(state)
    words = {"name": draft["name"].strip(), "phone": draft["phone"].strip()}
    if person is None:
        number = max((p["id"] for p in people), default=0) + 1
        people.append({"id": number, **words, "starred": False})
        _show(state, number)
    else:
        person.update(words)
        _show(state, person["id"])


def _delete(state: State, person_id: int) -> None:
    people = state["contacts"]["people"]
    state["contacts"]["people"] = [p for p in people if p["id"] != person_id]
    _ui(state).update(page="list", person=None, ask="")


def _ring(state: State, person: Any) -> None:
    call = {"name": person["name"], "phone": person["phone"], "time": state["system"]["time"]}
    state["contacts"]["calls"] = [*state["contacts"]["calls"], call]
    _ui(state)["page"] = "call"


def _back(state: State) -> bool:
    page = _ui(state)
    leave_field(state)
    if page["ask"]:
        page["ask"] = ""
    elif page["page"] == "call" or (page["page"] == "edit" and page["person"] is not None):
        page["page"] = "detail"
    elif page["page"] != "list":
        page.update(page="list", person=None)
    elif page["query"]:
        page["query"] = ""
    else:
        return False
    return True


_ACTIVITIES = {"edit": ".EditActivity", "call": ".InCallActivity", "detail": ".DetailActivity"}

APP = App(
    package=PACKAGE,
    key="contacts",
    names=("通讯录", "Contacts"),
    icon="contact",
    color=theme.GREEN,
    fresh=_fresh,
    screen=_screen,
    back=_back,
    activity=lambda state: _ACTIVITIES.get(_ui(state)["page"], ".PeopleActivity"),
    fresh_ui=_fresh_ui,
)
