"""Clock: alarms with switches. Built the way Compose apps are: no resource ids, plain views."""

from __future__ import annotations

from functools import partial
from typing import Any

from virtual_phone import theme, ui
from virtual_phone.state import State
from virtual_phone.ui import Look, Node, Rect
from virtual_phone.view import App, View, scroll_list

PACKAGE = "com.android.deskclock"
_COMPOSE = "androidx.compose.ui.platform.ComposeView"
_CARD_PX = 250


def _fresh(system: State) -> State:
    zh = system["locale"].startswith("zh")
    alarms = (
        ("07:00", "起床" if zh else "Wake up", True),
        ("08:30", "打卡" if zh else "Check in", False),
        ("22:15", "睡前阅读" if zh else "Reading", False),
    )
    return {
        "alarms": [
            {"id": number, "time": time, "label": label, "on": on}
            for number, (time, label, on) in enumerate(alarms, start=1)
        ]
    }


def _fresh_ui() -> State:
    return {"page": "list", "scroll": 0, "alarm": None, "hour": 7, "minute": 0}


def _ui(state: State) -> State:
    found: State = state["clock"]["ui"]
    return found


def _screen(view: View) -> Node:
    children = _editor(view) if _ui(view.state)["page"] == "edit" else _list(view)
    root = view.root([])
    content = root.children[0]
    room = Rect(0, 0, view.width, view.bottom)
    content.children.insert(0, Node(_COMPOSE, room, children=children))
    return root


def _title(view: View, text: str) -> Node:
    box = Rect(view.px(56), view.top, view.width - view.px(300), view.top + view.px(150))
    return view.label(text, box, 64, bold=True)


# -- the list -------------------------------------------------------------------------------------


def _list(view: View) -> list[Node]:
    title = _title(view, view.tr("闹钟", "Alarms"))
    viewport = Rect(0, title.bounds.bottom, view.width, view.bottom)
    rows = scroll_list(view, viewport, "clock.ui.scroll", partial(_cards, view), "")
    rows.cls = ui.VIEW
    size = view.px(168)
    right, bottom = view.width - view.px(64), view.bottom - view.px(70)
    look = Look(
        fill=view.theme.accent,
        radius=view.px(84),
        icon="plus",
        icon_size=view.px(76),
        icon_color=view.theme.on_accent,
    )
    plus = Node(
        ui.VIEW,
        Rect(right - size, bottom - size, right, bottom),
        desc=view.tr("添加闹钟", "Add alarm"),
        look=look,
        on_tap=partial(_edit, view.state, None),
        z=2,
    )
    return [title, rows, plus]


def _cards(view: View, top: int) -> tuple[list[Node], int]:
    height, gap = view.px(_CARD_PX), view.px(26)
    alarms = sorted(view.state["clock"]["alarms"], key=lambda a: str(a["time"]))
    cards = [_card(view, alarm, top + n * (height + gap)) for n, alarm in enumerate(alarms)]
    return cards, top + len(cards) * (height + gap) + view.px(260)


def _card(view: View, alarm: Any, top: int) -> Node:
    box = Rect(view.px(40), top, view.width - view.px(40), top + view.px(_CARD_PX))
    inner = box.inset(view.px(48), view.px(30))
    on = bool(alarm["on"])
    time = inner._replace(right=inner.right - view.px(200), bottom=inner.top + view.px(120))
    words = time._replace(top=time.bottom, bottom=inner.bottom)
    middle = box.center[1]
    knob = Rect(inner.right - view.px(126), middle - view.px(36), inner.right, middle + view.px(36))
    track = Look(
        widget="switch",
        fill=view.theme.accent if on else view.theme.track,
        color="#ffffff" if on else view.theme.card,
        value=float(on),
    )
    ink = view.theme.text if on else view.theme.faint
    flip = partial(alarm.update, on=not on)
    return Node(
        ui.VIEW,
        box,
        look=Look(fill=view.theme.card, radius=view.px(48)),
        on_tap=partial(_edit, view.state, alarm["id"]),
        children=[
            view.label(alarm["time"], time, 96, color=ink),
            view.label(alarm["label"], words, 38, color=view.theme.dim),
            Node(ui.VIEW, knob, look=track, checked=on, on_tap=flip),
        ],
    )


# -- one alarm ------------------------------------------------------------------------------------


def _editor(view: View) -> list[Node]:
    page = _ui(view.state)
    known = page["alarm"] is not None
    title = _title(view, view.tr("设置闹钟", "Set alarm"))
    room = Rect(0, title.bounds.bottom, view.width, view.bottom - view.px(240))
    half, middle = view.width // 2, room.center[1]
    reach = min(view.px(360), room.height // 2)
    nodes = [title]
    columns = (("hour", 24, 1, half - view.px(380)), ("minute", 60, 5, half + view.px(80)))
    for key, top, step, left in columns:
        names = {"hour": ("小时", "hour"), "minute": ("分钟", "minute")}[key]
        box = Rect(left, middle - reach, left + view.px(300), middle + reach)
        nodes += _wheel(view, box, (key, top, step), names)
    colon = Rect(half - view.px(40), middle - view.px(120), half + view.px(40), middle)
    nodes.append(view.label(":", colon._replace(bottom=middle + view.px(110)), 120, align="center"))
    foot = Rect(view.px(60), room.bottom + view.px(60), view.width - view.px(60), 0)
    foot = foot._replace(bottom=foot.top + view.px(124))
    away = view.tr("删除", "Delete") if known else view.tr("取消", "Cancel")
    quit_act = partial(_delete if known else _back, view.state)
    for text, box, act, quiet in (
        (away, foot._replace(right=half - view.px(16)), quit_act, True),
        (view.tr("保存", "Save"), foot._replace(left=half + view.px(16)), _saver(view), False),
    ):
        button = view.button(text, box, "", act, quiet=quiet)
        words = view.label(text, box, 42, align="center", bold=True, color=button.look.color)
        look = Look(fill=button.look.fill, radius=button.look.radius)
        nodes.append(Node(ui.VIEW, box, look=look, children=[words], on_tap=act))
    return nodes


def _saver(view: View) -> Any:
    return partial(_save, view.state)


def _wheel(view: View, box: Rect, kind: tuple[str, int, int], names: tuple[str, str]) -> list[Node]:
    key, top, step = kind
    value = int(_ui(view.state)[key])
    third = box.height // 3
    up = box._replace(bottom=box.top + third)
    number = up._replace(top=up.bottom, bottom=up.bottom + third)
    down = number._replace(top=number.bottom, bottom=box.bottom)
    nodes = [view.label(f"{value:02}", number, 120, align="center")]
    for place, icon, by, words in (
        (up, "plus", step, ("增加", "More")),
        (down, "minus", -step, ("减少", "Less")),
    ):
        act = partial(_ui(view.state).update, {key: (value + by) % top})
        desc = (words[0] + names[0], f"{words[1]} {names[1]}s")
        button = view.icon_button(icon, place, desc, act)
        button.cls = ui.VIEW
        nodes.append(button)
    return nodes


# -- what happens ---------------------------------------------------------------------------------


def _alarm(state: State) -> Any:
    wanted = _ui(state)["alarm"]
    return next((a for a in state["clock"]["alarms"] if a["id"] == wanted), None)


def _edit(state: State, alarm_id: int | None) -> None:
    _ui(state).update(page="edit", alarm=alarm_id, hour=7, minute=0)
    alarm = _alarm(state)
    if alarm:
        hour, _, minute = str(alarm["time"]).partition(":")
        _ui(state).update(hour=int(hour), minute=int(minute))


def _save(state: State) -> None:
    page, alarms = _ui(state), state["clock"]["alarms"]
    time = f"{page['hour']:02}:{page['minute']:02}"
    alarm = _alarm(state)
    if alarm:
        alarm.update(time=time, on=True)
    else:
        number = max((a["id"] for a in alarms), default=0) + 1
        zh = state["system"]["locale"].startswith("zh")
        label = "闹钟" if zh else "Alarm"
        state["clock"]["alarms"] = [
            *alarms,
            {"id": number, "time": time, "label": label, "on": True},
        ]
    page["page"] = "list"


def _delete(state: State) -> None:
    gone = _ui(state)["alarm"]
    state["clock"]["alarms"] = [a for a in state["clock"]["alarms"] if a["id"] != gone]
    _ui(state)["page"] = "list"


def _back(state: State) -> bool:
    page = _ui(state)
    if page["page"] == "list":
        return False
    page["page"] = "list"
    return True


APP = App(
    package=PACKAGE,
    key="clock",
    names=("时钟", "Clock"),
    icon="clock",
    color=theme.INDIGO,
    fresh=_fresh,
    screen=_screen,
    back=_back,
    activity=lambda _: ".DeskClock",
    fresh_ui=_fresh_ui,
)
