"""Xiaoji, a content app: a list that loads on while it is scrolled, posts, and a login wall.

Anybody may read and like; who wants to collect a post must log in first, with a code that arrives
as a message. What is nearby is shown to those who allow their location. ``xiaoji.renewed`` is its
next version, in which the button that searches has another name and another id, and
``xiaoji.redesigned`` one whose front page is laid out anew.
"""

from __future__ import annotations

from functools import partial

from virtual_phone import theme, ui
from virtual_phone.apps import messages
from virtual_phone.apps.xiaoji_login import login_page
from virtual_phone.apps.xiaoji_posts import BY_ID, Post, search
from virtual_phone.apps.xiaoji_redesign import Front, front_page
from virtual_phone.state import State, ask_permission, leave_field, may
from virtual_phone.ui import Look, Node, Rect
from virtual_phone.view import App, Names, View, scroll_list
from virtual_phone.widgets import MARGIN_PX, empty_page, header, paragraph, search_field

PACKAGE = "com.example.xiaoji"
_ID = f"{PACKAGE}:id/"
_CARD_PX = 300
_PAGE = 8
_AS_IT_WAS = {"renewed": False, "redesigned": False}
_CODE = "481629"


def _fresh(system: State) -> State:
    del system
    return {"user": "", "code": "", "liked": [], "collected": [], **_AS_IT_WAS}


def _fresh_ui() -> State:
    login = {"phone": "", "code": "", "agree": False, "message": ""}
    page = {"page": "list", "query": "", "searched": "", "loaded": _PAGE, "scroll": 0}
    return {**page, "nearby": False, "post": None, "post_scroll": 0, "login": login}


def _ui(state: State) -> State:
    found: State = state["xiaoji"]["ui"]
    return found


def _screen(view: View) -> Node:
    page, post = _ui(view.state)["page"], BY_ID.get(_ui(view.state)["post"] or 0)
    if page == "login":
        acts = (partial(_ask_code, view.state), partial(_log_in, view.state))
        return login_page(view, f"{_ID}login_", acts, partial(_back, view.state))
    return _read(view, post) if post and page == "post" else _list(view)


# -- the list -------------------------------------------------------------------------------------


def _list(view: View) -> Node:
    page = _ui(view.state)
    near = page["nearby"] and may(view.state, PACKAGE, "LOCATION")
    found = tuple(p for p in search(page["searched"]) if p.nearby or not near)
    if view.state["xiaoji"]["redesigned"]:
        return front_page(view, _front(view, found))
    bar = header(view, view.tr("小集", "Xiaoji"), None, [_near_button(view, on=near)])
    hint = Names(f"{_ID}search", view.tr("搜索感兴趣的内容", "Search posts"))
    pill = search_field(view, bar.bounds.bottom + view.px(6), "xiaoji.ui.query", hint)
    bar.bounds = Rect(0, 0, view.width, pill.bounds.bottom + view.px(24))
    go = Rect(view.width - view.px(230), pill.bounds.top, view.width - view.px(40), 0)
    go = go._replace(bottom=pill.bounds.bottom)
    _make_room(pill, go.left - view.px(20), view)
    act = partial(_search, view.state)
    renewed = view.state["xiaoji"]["renewed"]
    names, rid = (("找一找", "Find"), "find") if renewed else (("搜索", "Search"), "go")
    button = view.button(view.tr(*names), go, f"{_ID}{rid}", act, quiet=True)
    button.z = 1
    viewport = Rect(0, bar.bounds.bottom, view.width, view.bottom)
    build = partial(_cards, view, found)
    more = partial(_load, view.state, len(found))
    rows = scroll_list(view, viewport, "xiaoji.ui.scroll", build, f"{_ID}feed", more)
    children = [bar, pill, button, rows]
    if not found:
        words = view.tr("没有找到相关内容", "Nothing found")
        children.append(empty_page(view, viewport, words, f"{_ID}empty"))
    return view.root(children)


def _front(view: View, found: tuple[Post, ...]) -> Front:
    state, shown = view.state, found[: _ui(view.state)["loaded"]]
    more = partial(_load, state, len(found))
    return Front(_ID, shown, partial(_search, state), partial(_open, state), more)


def _near_button(view: View, *, on: bool) -> Node:
    top, right = view.top + view.px(25), view.width - view.px(40)
    box = Rect(right - view.px(190), top, right, top + view.px(100))
    act = partial(_near, view.state, not on)
    button = view.button(view.tr("同城", "Nearby"), box, f"{_ID}nearby", act, quiet=not on)
    button.selected = on
    return button


def _make_room(pill: Node, right: int, view: View) -> None:
    pill.bounds = pill.bounds._replace(right=right)
    field = pill.children[1]
    field.bounds = field.bounds._replace(right=right - view.px(110))
    if len(pill.children) > 2:
        clear = pill.children[2]
        clear.bounds = clear.bounds._replace(left=right - view.px(110), right=right - 4)


def _cards(view: View, posts: tuple[Post, ...], top: int) -> tuple[list[Node], int]:
    loaded = _ui(view.state)["loaded"]
    height, gap = view.px(_CARD_PX), view.px(26)
    nodes = [_card(view, post, top + n * (height + gap)) for n, post in enumerate(posts[:loaded])]
    y = top + len(nodes) * (height + gap)
    if posts:
        words = view.tr("没有更多了", "That is all")
        if loaded < len(posts):
            words = view.tr("正在加载…", "Loading…")
        place = Rect(0, y, view.width, y + view.px(110))
        options = {"color": view.theme.faint, "align": "center", "rid": f"{_ID}footer"}
        nodes.append(view.label(words, place, 36, **options))
    return nodes, y + view.px(130)


def _card(view: View, post: Post, top: int) -> Node:
    left, right = view.px(MARGIN_PX), view.width - view.px(MARGIN_PX)
    box = Rect(left, top, right, top + view.px(_CARD_PX))
    side = view.px(_CARD_PX - 60)
    cover = Rect(right - view.px(30) - side, top + view.px(30), right - view.px(30), 0)
    cover = cover._replace(bottom=cover.top + side)
    words = Rect(left + view.px(40), top + view.px(36), cover.left - view.px(36), box.bottom)
    foot = Rect(words.left, box.bottom - view.px(90), words.right, box.bottom - view.px(30))
    likes = post.likes + (post.id in view.state["xiaoji"]["liked"])
    place = view.tr(" · 江城", " · Jiangcheng") if post.nearby else ""
    about = f"{post.author}{place} · " + view.tr(f"{likes} 赞", f"{likes} likes")
    picture = Look(
        fill=post.color,
        radius=view.px(30),
        icon=post.cover,
        icon_size=view.px(110),
        icon_color="#ffffff",
    )
    return Node(
        ui.FRAME,
        box,
        rid=f"{_ID}post",
        look=Look(fill=view.theme.card, radius=view.px(40)),
        on_tap=partial(_open, view.state, post.id),
        children=[
            paragraph(view, post.title, words, 46, bold=True, rid=f"{_ID}title"),
            view.label(about, foot, 34, color=view.theme.dim, rid=f"{_ID}author"),
            Node(ui.IMAGE, cover, rid=f"{_ID}cover", look=picture),
        ],
    )


# -- a post ---------------------------------------------------------------------------------------


def _read(view: View, post: Post) -> Node:
    bar = header(view, post.author, partial(_back, view.state))
    foot = _foot(view, post)
    viewport = Rect(0, bar.bounds.bottom, view.width, foot.bounds.top)
    build = partial(_words, view, post)
    rows = scroll_list(view, viewport, "xiaoji.ui.post_scroll", build, f"{_ID}post_body")
    return view.root([bar, rows, foot])


def _words(view: View, post: Post, top: int) -> tuple[list[Node], int]:
    left, right = view.px(56), view.width - view.px(56)
    cover = Rect(left, top + view.px(10), right, top + view.px(610))
    picture = Look(
        fill=post.color,
        radius=view.px(40),
        icon=post.cover,
        icon_size=view.px(220),
        icon_color="#ffffff",
    )
    nodes = [Node(ui.IMAGE, cover, rid=f"{_ID}cover", look=picture)]
    place = Rect(left, cover.bottom + view.px(40), right, 0)
    nodes.append(paragraph(view, post.title, place, 60, bold=True, rid=f"{_ID}title"))
    y = nodes[-1].bounds.bottom + view.px(20)
    for text in post.paragraphs:
        words = paragraph(view, text, Rect(left, y, right, y), 44, rid=f"{_ID}paragraph")
        nodes.append(words)
        y = words.bounds.bottom + view.px(30)
    return nodes, y + view.px(40)


def _foot(view: View, post: Post) -> Node:
    state = view.state["xiaoji"]
    liked, collected = post.id in state["liked"], post.id in state["collected"]
    box = Rect(0, view.bottom - view.px(150), view.width, view.bottom)
    half = view.width // 2
    likes = str(post.likes + liked)
    like_names = ("取消点赞", "Unlike") if liked else ("点赞", "Like")
    keep_words = view.tr("已收藏", "Collected") if collected else view.tr("收藏", "Collect")
    children = [
        _action(view, box._replace(right=half), ("heart", likes), view.tr(*like_names), liked),
        _action(view, box._replace(left=half), ("bookmark", keep_words), keep_words, collected),
    ]
    for node, name, act in zip(children, ("like", "collect"), (_like, _collect), strict=True):
        node.rid, node.on_tap = f"{_ID}{name}", partial(act, view.state, post.id)
    return Node(ui.LINEAR, box, look=Look(fill=view.theme.card), children=children, z=1)


def _action(view: View, box: Rect, face: tuple[str, str], words: str, on: bool) -> Node:
    icon, text = face
    ink = theme.RED if on else view.theme.dim
    middle = box.center[0]
    glyph = box._replace(left=middle - view.px(110), right=middle - view.px(20))
    label = box._replace(left=middle - view.px(5))
    look = Look(icon=icon, icon_size=view.px(66), icon_color=ink)
    children = [
        Node(ui.IMAGE, glyph, look=look, painted_only=True),
        view.label(text, label, 42, color=ink, rid=f"{_ID}action_text"),
    ]
    return Node(ui.LINEAR, box, desc=words, children=children, selected=on)


# -- what happens ---------------------------------------------------------------------------------


def _search(state: State) -> None:
    page = _ui(state)
    leave_field(state)
    page.update(searched=page["query"].strip(), loaded=_PAGE, scroll=0)


def _near(state: State, on: bool) -> None:
    _ui(state).update(nearby=on, loaded=_PAGE, scroll=0)
    if on and not may(state, PACKAGE, "LOCATION"):
        ask_permission(state, PACKAGE, "LOCATION")


def _load(state: State, total: int) -> None:
    page = _ui(state)
    if page["loaded"] < total:
        page["loaded"] = min(total, page["loaded"] + _PAGE)


def _open(state: State, post_id: int) -> None:
    leave_field(state)
    _ui(state).update(page="post", post=post_id, post_scroll=0)


def _flip(state: State, name: str, post_id: int) -> None:
    held = state["xiaoji"][name]
    rest = [n for n in held if n != post_id]
    state["xiaoji"][name] = rest if post_id in held else [*held, post_id]


def _like(state: State, post_id: int) -> None:
    _flip(state, "liked", post_id)


def _collect(state: State, post_id: int) -> None:
    if state["xiaoji"]["user"]:
        _flip(state, "collected", post_id)
    else:
        _ui(state).update(page="login", login=_fresh_ui()["login"])


def _ask_code(state: State) -> None:
    login = _ui(state)["login"]
    zh = state["system"]["locale"].startswith("zh")
    if len(login["phone"].replace(" ", "")) < 3:
        login["message"] = "请输入手机号" if zh else "Enter a phone number"
        return
    state["xiaoji"]["code"] = _CODE
    text = f"【小集】验证码 {_CODE}，5 分钟内有效，请勿告诉他人。"
    messages.receive(state, "小集", "1069 3721", text)
    login["message"] = "验证码已发送" if zh else "Code sent"


def _log_in(state: State) -> None:
    login, zh = _ui(state)["login"], state["system"]["locale"].startswith("zh")
    if not login["agree"]:
        login["message"] = "请先同意用户协议" if zh else "Accept the terms first"
    elif not state["xiaoji"]["code"] or login["code"].strip() != state["xiaoji"]["code"]:
        login["message"] = "验证码不正确" if zh else "Wrong code"
    else:
        leave_field(state)
        state["xiaoji"].update(user=login["phone"].strip(), code="")
        _ui(state)["page"] = "post"


def _on_enter(state: State) -> None:
    if _ui(state)["page"] == "list":
        _search(state)


def _back(state: State) -> bool:
    page = _ui(state)
    leave_field(state)
    if page["page"] == "login":
        page["page"] = "post"
    elif page["page"] == "post":
        page["page"] = "list"
    elif page["searched"] or page["query"]:
        page.update(query="", searched="", loaded=_PAGE, scroll=0)
    else:
        return False
    return True


_ACTIVITIES = {"post": ".PostActivity", "login": ".LoginActivity"}

APP = App(
    package=PACKAGE,
    key="xiaoji",
    names=("小集", "Xiaoji"),
    icon="bookmark",
    color=theme.RED,
    fresh=_fresh,
    screen=_screen,
    back=_back,
    activity=lambda state: _ACTIVITIES.get(_ui(state)["page"], ".MainActivity"),
    fresh_ui=_fresh_ui,
    on_enter=_on_enter,
)
