"""Messages: threads, bubbles and a field to write in. What is sent stands in the state."""

from __future__ import annotations

from functools import partial
from typing import Any

from virtual_phone import fonts, theme, ui
from virtual_phone.state import State, leave_field, notify, start_app
from virtual_phone.ui import Look, Node, Rect
from virtual_phone.view import App, Names, View, scroll_list
from virtual_phone.widgets import (
    MARGIN_PX,
    avatar,
    empty_page,
    floating_button,
    header,
    paragraph,
)

PACKAGE = "com.android.messaging"
_ID = f"{PACKAGE}:id/"
_ROW_PX = 196
_END = 1_000_000  # a thread opens at its newest message

Thread = dict[str, Any]

_THREADS_ZH = (
    ("菜鸟驿站", "1069 0088", ["您的包裹已到站，取件码 6-2-8018，请于 20:00 前取走。"]),
    ("陈晓雨", "138 0011 2233", ["周六去爬山吗？", "带上防晒，早上七点集合"]),
    ("10086", "10086", ["您本月剩余流量 12.4 GB，余额 38.50 元。"]),
)
_THREADS_EN = (
    ("Parcel desk", "555 0199", ["Your parcel has arrived, code 6-2-8018. Pick it up by 20:00."]),
    ("Alice Green", "555 0112", ["Hiking on Saturday?", "Bring sunscreen, we meet at seven"]),
    ("Carrier", "611", ["You have 12.4 GB of data left this month."]),
)


def _fresh(system: State) -> State:
    threads = _THREADS_ZH if system["locale"].startswith("zh") else _THREADS_EN
    rows = [
        {
            "id": number,
            "name": name,
            "number": phone,
            "unread": number == 1,
            "messages": [
                {"mine": False, "text": text, "time": f"2026-03-12T0{9 - number}:2{n}:00"}
                for n, text in enumerate(texts)
            ],
        }
        for number, (name, phone, texts) in enumerate(threads, start=1)
    ]
    return {"threads": rows}


def _fresh_ui() -> State:
    page = {"page": "list", "thread": None, "draft": "", "to": ""}
    return {**page, "scroll": 0, "thread_scroll": _END}


def _ui(state: State) -> State:
    found: State = state["messages"]["ui"]
    return found


def _thread(state: State) -> Thread | None:
    wanted = _ui(state)["thread"]
    return next((t for t in state["messages"]["threads"] if t["id"] == wanted), None)


def receive(state: State, name: str, number: str, text: str) -> None:
    """Let a message arrive: it stands in its thread, unread, and a notification says so."""
    thread = _thread_with(state, name, number)
    _append(state, thread, text, mine=False)
    thread["unread"] = True
    place = {"page": "thread", "thread": thread["id"], "draft": "", "thread_scroll": _END}
    note = {"package": PACKAGE, "title": name, "text": text, "open": {"messages.ui": place}}
    notify(state, note)


def write_to(state: State, number: str) -> None:
    """Open the thread with somebody, or a new message to them."""
    known = _find(state, number)
    start_app(state, PACKAGE)
    if known:
        _open(state, known["id"])
    else:
        _ui(state).update(page="new", to=number, draft="", thread=None)


def _screen(view: View) -> Node:
    thread, page = _thread(view.state), _ui(view.state)["page"]
    if page == "new":
        return _new(view)
    return _talk(view, thread) if thread and page == "thread" else _list(view)


# -- the list -------------------------------------------------------------------------------------


def _list(view: View) -> Node:
    threads = sorted(view.state["messages"]["threads"], key=_age, reverse=True)
    bar = header(view, view.tr("短信", "Messages"), None)
    viewport = Rect(0, bar.bounds.bottom, view.width, view.bottom)
    build = partial(_rows, view, threads)
    rows = scroll_list(view, viewport, "messages.ui.scroll", build, f"{_ID}list")
    new = Names(f"{_ID}start_new", view.tr("新建短信", "New message"))
    act = partial(_ui(view.state).update, page="new", to="", draft="", thread=None)
    children = [bar, rows, floating_button(view, "plus", new, act)]
    if not threads:
        words = view.tr("没有短信", "No messages")
        children.append(empty_page(view, viewport, words, f"{_ID}empty"))
    return view.root(children)


def _age(thread: Thread) -> str:
    return str(thread["messages"][-1]["time"]) if thread["messages"] else ""


def _rows(view: View, threads: list[Thread], top: int) -> tuple[list[Node], int]:
    height = view.px(_ROW_PX)
    left, right = view.px(MARGIN_PX), view.width - view.px(MARGIN_PX)
    rows = []
    for number, thread in enumerate(threads):
        box = Rect(left, top + number * height, right, top + (number + 1) * height)
        rows.append(_row(view, box, thread))
    return rows, top + len(threads) * height + view.px(240)


def _row(view: View, box: Rect, thread: Thread) -> Node:
    size, middle = view.px(116), box.center[1]
    left = box.left + view.px(16)
    disc = Rect(left, middle - size // 2, left + size, middle + size // 2)
    words = Rect(disc.right + view.px(36), middle - view.px(66), box.right - view.px(210), middle)
    below = words._replace(top=middle + view.px(4), right=box.right - view.px(70))
    below = below._replace(bottom=middle + view.px(62))
    clock = words._replace(left=words.right, right=box.right - view.px(10))
    last = thread["messages"][-1] if thread["messages"] else {"text": "", "time": ""}
    unread = bool(thread["unread"])
    label = view.label
    children = [
        avatar(view, disc, thread["name"]),
        label(thread["name"], words, 46, bold=unread, rid=f"{_ID}conversation_name"),
        label(last["text"], below, 37, color=view.theme.dim, rid=f"{_ID}conversation_snippet"),
        label(last["time"][11:16], clock, 32, color=view.theme.faint, align="right"),
    ]
    if unread:
        x, y = box.right - view.px(30), below.center[1]
        dot = Rect(x - view.px(13), y - view.px(13), x + view.px(13), y + view.px(13))
        look = Look(fill=view.theme.accent, radius=view.px(13))
        children.append(Node(ui.VIEW, dot, desc=view.tr("未读", "Unread"), look=look))
    act = partial(_open, view.state, thread["id"])
    return Node(ui.LINEAR, box, rid=f"{_ID}conversation", children=children, on_tap=act)


# -- one thread -----------------------------------------------------------------------------------


def _talk(view: View, thread: Thread) -> Node:
    bar = header(view, thread["name"], partial(_back, view.state))
    compose = _compose(view, view.tr("短信", "Text message"), partial(_send, view.state))
    viewport = Rect(0, bar.bounds.bottom, view.width, compose.bounds.top)
    build = partial(_bubbles, view, thread["messages"])
    path = "messages.ui.thread_scroll"
    rows = scroll_list(view, viewport, path, build, f"{_ID}messages")
    return view.root([bar, rows, compose])


def _bubbles(view: View, messages: list[Any], top: int) -> tuple[list[Node], int]:
    nodes, y = [], top + view.px(30)
    for message in messages:
        bubble = _bubble(view, message, y)
        nodes.append(bubble)
        y = bubble.bounds.bottom + view.px(26)
    return nodes, y


def _bubble(view: View, message: Any, top: int) -> Node:
    mine, size = message["mine"], view.text_px(44)
    pad, room = view.px(40), view.width * 7 // 10
    wide = max(fonts.width(line, size) for line in fonts.wrap(message["text"], size, room)) + 4
    left = view.width - view.px(48) - 2 * pad - wide if mine else view.px(48)
    place = Rect(left + pad, top + view.px(22), left + pad + max(wide, view.px(30)), 0)
    ink = view.theme.on_accent if mine else view.theme.text
    words = paragraph(view, message["text"], place, 44, color=ink, rid=f"{_ID}message_text")
    box = Rect(left, top, place.right + pad, words.bounds.bottom + view.px(22))
    look = Look(fill=view.theme.accent if mine else view.theme.card, radius=view.px(44))
    return Node(ui.LINEAR, box, rid=f"{_ID}message", look=look, children=[words])


def _compose(view: View, hint: str, act: Any) -> Node:
    box = Rect(0, view.bottom - view.px(160), view.width, view.bottom)
    field = Rect(view.px(40), box.top + view.px(20), view.width - view.px(180), 0)
    field = field._replace(bottom=box.bottom - view.px(20))
    look = Look(size=view.px(42), pad=view.px(44), fill=view.theme.field, radius=view.px(60))
    button = Rect(field.right + view.px(20), field.top, view.width - view.px(30), field.bottom)
    send = view.icon_button("send", button, ("发送", "Send"), act)
    send.rid = f"{_ID}send"
    ready = bool(_ui(view.state)["draft"].strip())
    ink = view.theme.accent if ready else view.theme.faint
    send.look = Look(icon="send", icon_size=view.px(72), icon_color=ink)
    send.enabled = ready
    names = Names(f"{_ID}compose_message_text", hint)
    children = [view.edit("messages.ui.draft", field, names, look), send]
    return Node(ui.LINEAR, box, look=Look(fill=view.theme.page), children=children, z=1)


def _new(view: View) -> Node:
    state = view.state
    bar = header(view, view.tr("新建短信", "New message"), partial(_back, state))
    top = bar.bounds.bottom + view.px(20)
    box = Rect(view.px(MARGIN_PX), top, view.width - view.px(MARGIN_PX), top + view.px(130))
    look = Look(size=view.px(44), pad=view.px(44), fill=view.theme.card, radius=view.px(36))
    names = Names(f"{_ID}recipient", view.tr("收信人姓名或号码", "Name or number"))
    compose = _compose(view, view.tr("短信", "Text message"), partial(_send, state))
    return view.root([bar, view.edit("messages.ui.to", box, names, look), compose])


# -- what happens ---------------------------------------------------------------------------------


def _open(state: State, thread_id: int) -> None:
    leave_field(state)
    _ui(state).update(page="thread", thread=thread_id, draft="", thread_scroll=_END)
    thread = _thread(state)
    if thread:
        thread["unread"] = False


def _find(state: State, who: str) -> Thread | None:
    wanted = who.replace(" ", "")
    for thread in state["messages"]["threads"]:
        if wanted in (thread["number"].replace(" ", ""), thread["name"].replace(" ", "")):
            found: Thread = thread
            return found
    return None


def _thread_with(state: State, name: str, number: str) -> Thread:
    known = _find(state, number)
    if known:
        return known
    threads = state["messages"]["threads"]
    thread_id = max((t["id"] for t in threads), default=0) + 1
    thread: Thread = {"id": thread_id, "name": name, "number": number}
    thread |= {"unread": False, "messages": []}
    state["messages"]["threads"] = [*threads, thread]
    return thread


def _append(state: State, thread: Thread, text: str, *, mine: bool) -> None:
    message = {"mine": mine, "text": text, "time": state["system"]["time"]}
    thread["messages"] = [*thread["messages"], message]


def _known_person(state: State, who: str) -> tuple[str, str]:
    """Return name and number of somebody in the contacts, or what was typed as both."""
    wanted = who.replace(" ", "")
    for person in state["contacts"]["people"]:
        if wanted in (person["name"].replace(" ", ""), person["phone"].replace(" ", "")):
            return person["name"], person["phone"]
    return who, who


def _send(state: State) -> None:
    page = _ui(state)
    text, to = page["draft"].strip(), page["to"].strip()
    thread = _thread(state)
    if page["page"] == "new":
        if not to or not text:
            return
        thread = _thread_with(state, *_known_person(state, to))
    if thread is None or not text:
        return
    _append(state, thread, text, mine=True)
    page.update(page="thread", thread=thread["id"], draft="", to="", thread_scroll=_END)


def _on_enter(state: State) -> None:
    if state["system"]["focus"] == "messages.ui.draft":
        _send(state)


def _back(state: State) -> bool:
    page = _ui(state)
    leave_field(state)
    if page["page"] == "list":
        return False
    page.update(page="list", thread=None, draft="", to="")
    return True


APP = App(
    package=PACKAGE,
    key="messages",
    names=("短信", "Messages"),
    icon="chat",
    color=theme.BLUE,
    fresh=_fresh,
    screen=_screen,
    back=_back,
    activity=lambda s: ".ConversationList" if _ui(s)["page"] == "list" else ".Conversation",
    fresh_ui=_fresh_ui,
    on_enter=_on_enter,
)
