"""The lock screen: a long drag upwards opens it, or brings up the PIN pad when there is a PIN.

What is typed on the pad goes into ``system.pin_entry`` like into any other field, so keys, taps and
``input text`` all work there.
"""

from __future__ import annotations

from functools import partial

from virtual_phone import ui
from virtual_phone.state import SYSTEM_UI, State, leave_field, set_path
from virtual_phone.theme import wallpaper
from virtual_phone.ui import Look, Node, Rect, Window
from virtual_phone.view import Act, View

MAX_WRONG = 5
WAIT_S = 30
_ENTRY = "system.pin_entry"
_UNLOCK_SHARE = 0.15
_TURNED_TOP_PX = 130
_INK, _DIM, _KEY = "#ffffff", "#c9cdf0", "#3a3f74"


def sleep(state: State) -> None:
    """Do what happens to the lock when the screen goes off."""
    system = state["system"]
    system["shade"] = ""
    system["locked"] = bool(system["locked"] or system["pin"] or system["swipe_lock"])
    hide_pad(state)


def open_up(state: State) -> None:
    """Answer the drag upwards: unlock, or ask for the PIN."""
    system = state["system"]
    if system["pin"]:
        system.update(pin_shown=True, pin_entry="", focus=_ENTRY, multiline=False)
    else:
        system["locked"] = False


def hide_pad(state: State) -> None:
    """Take the PIN pad and what was typed on it away."""
    state["system"].update(pin_shown=False, pin_entry="")
    if state["system"]["focus"] == _ENTRY:
        leave_field(state)


def submit(state: State) -> None:
    """Compare what was typed with the PIN; after five wrong ones the pad rests for 30 s."""
    system = state["system"]
    entry, system["pin_entry"] = system["pin_entry"], ""
    if system["pin_wait_s"] or not entry:
        return
    if entry == system["pin"]:
        system.update(locked=False, pin_wrong=0)
        hide_pad(state)
        return
    system["pin_wrong"] += 1
    if system["pin_wrong"] % MAX_WRONG == 0:
        system["pin_wait_s"] = WAIT_S


def lock_window(view: View) -> Window:
    """Draw the lock screen, or the PIN pad on it."""
    box = Rect(0, 0, view.width, view.height)
    look = Look(widget="wallpaper", colors=wallpaper(dark=True))
    back = Node(ui.VIEW, box, look=look, painted_only=True)
    rid = f"{SYSTEM_UI}:id/notification_shade"
    if view.state["system"]["pin_shown"]:
        root = Node(ui.FRAME, box, rid=rid, children=[back, *_pad(view)])
    else:
        drag = partial(_drag, view)
        root = Node(ui.FRAME, box, rid=rid, children=[back, *_front(view)], on_drag=drag)
    return Window(SYSTEM_UI, root, title="NotificationShade")


def _drag(view: View, dx: float, dy: float) -> None:
    if -dy > max(abs(dx), view.height * _UNLOCK_SHARE):
        open_up(view.state)


def _front(view: View) -> list[Node]:
    top = view.height // 4 if view.height > view.width else view.px(_TURNED_TOP_PX)
    clock = Rect(0, top, view.width, top + view.px(240))
    hint = Rect(0, view.height - view.px(260), view.width, view.height - view.px(160))
    time = str(view.state["system"]["time"])[11:16]
    label = partial(view.label, color=_INK, align="center")
    words = view.tr("上滑解锁", "Swipe up to unlock")
    return [
        label(time, clock, 190, rid=f"{SYSTEM_UI}:id/keyguard_clock"),
        *_notices(view, clock.bottom + view.px(60)),
        label(words, hint, 42, rid=f"{SYSTEM_UI}:id/keyguard_indication"),
    ]


def _notices(view: View, top: int) -> list[Node]:
    if not view.state["settings"]["lock_notifications"] or view.width > view.height:
        return []
    nodes = []
    for note in view.state["system"]["notifications"][:2]:
        box = Rect(view.px(60), top, view.width - view.px(60), top + view.px(190))
        inner = box.inset(view.px(44), view.px(28))
        head = inner._replace(bottom=inner.center[1])
        body = inner._replace(top=inner.center[1])
        children = [
            view.label(note["title"], head, 40, color=_INK, bold=True, rid="android:id/title"),
            view.label(note["text"], body, 36, color=_DIM, rid="android:id/text"),
        ]
        look = Look(fill="#2b3066", radius=view.px(44))
        nodes.append(Node(ui.FRAME, box, look=look, children=children))
        top = box.bottom + view.px(20)
    return nodes


# -- the pad --------------------------------------------------------------------------------------


def _pad(view: View) -> list[Node]:
    upright = view.height > view.width
    side = min(view.width, view.height)
    # turned, words stand left of the keys; upright, above them
    words = Rect(0, view.height // 8, view.width, view.height // 3)
    keys = view.rect(side * 0.12, view.height * 0.38, view.width - side * 0.12, view.height * 0.88)
    if not upright:
        words = Rect(0, view.height // 4, view.width // 2, view.height * 3 // 4)
        keys = view.rect(view.width * 0.55, view.height * 0.14, view.width * 0.9, view.height * 0.9)
    return [*_words(view, words), *_keys(view, keys)]


def _words(view: View, place: Rect) -> list[Node]:
    third = place.height // 3
    title = place._replace(bottom=place.top + third)
    entry = title._replace(top=title.bottom, bottom=title.bottom + third)
    message = entry._replace(top=entry.bottom, bottom=place.bottom)
    label = partial(view.label, color=_INK, align="center")
    dots = "●" * len(view.state["system"]["pin_entry"])
    look = Look(size=view.px(46), color=_INK, align="center", icon_color=_INK)
    field = Node(
        ui.EDIT,
        entry,
        text=dots,
        rid=f"{SYSTEM_UI}:id/pinEntry",
        desc=view.tr("PIN 码区域", "PIN area"),
        look=look,
        edits=_ENTRY,
        focused=True,
        password=True,
    )
    return [
        label(view.tr("输入 PIN 码", "Enter PIN"), title, 56, rid=f"{SYSTEM_UI}:id/keyguard_title"),
        field,
        label(_message(view), message, 40, rid=f"{SYSTEM_UI}:id/keyguard_message_area"),
    ]


def _message(view: View) -> str:
    system = view.state["system"]
    if system["pin_wait_s"]:
        seconds = system["pin_wait_s"]
        return view.tr(f"请在 {seconds} 秒后重试", f"Try again in {seconds} seconds")
    if system["pin_wrong"]:
        return view.tr("PIN 码有误", "Wrong PIN")
    return view.tr("请解锁手机", "Unlock your phone")


def _keys(view: View, place: Rect) -> list[Node]:
    state = view.state
    faces = [*"123456789", "", "0", ""]
    nodes = []
    for number, face in enumerate(faces):
        box = _cell(view, place, number)
        if face:
            act = partial(_type, state, face)
            nodes.append(_key(view, box, face, f"key{face}", act))
    erase = partial(_erase, state)
    names = view.tr("删除", "Delete"), view.tr("确认", "Enter")
    nodes.append(_special(view, _cell(view, place, 9), ("delete_key", names[0]), "delete", erase))
    done = partial(submit, state)
    nodes.append(_special(view, _cell(view, place, 11), ("check", names[1]), "key_enter", done))
    return nodes


def _cell(view: View, place: Rect, number: int) -> Rect:
    width, height = place.width / 3, place.height / 4
    left, top = place.left + number % 3 * width, place.top + number // 3 * height
    gap = view.px(16)
    box = view.rect(left + gap, top + gap, left + width - gap, top + height - gap)
    side = min(box.width, box.height)
    x, y = box.center
    return Rect(x - side // 2, y - side // 2, x + side // 2, y + side // 2)


def _key(view: View, box: Rect, face: str, rid: str, act: Act) -> Node:
    look = Look(
        fill=_KEY, radius=box.width // 2, size=view.px(64), color=_INK, align="center", bold=True
    )
    name = f"{SYSTEM_UI}:id/{rid}"
    return Node(ui.BUTTON, box, text=face, rid=name, look=look, on_tap=act)


def _special(view: View, box: Rect, face: tuple[str, str], rid: str, act: Act) -> Node:
    icon, words = face
    look = Look(fill=_KEY, radius=box.width // 2, icon=icon, icon_size=view.px(70), icon_color=_INK)
    name = f"{SYSTEM_UI}:id/{rid}"
    return Node(ui.IMAGE_BUTTON, box, desc=words, rid=name, look=look, on_tap=act)


def _type(state: State, digit: str) -> None:
    set_path(state, _ENTRY, state["system"]["pin_entry"] + digit)


def _erase(state: State) -> None:
    set_path(state, _ENTRY, state["system"]["pin_entry"][:-1])
