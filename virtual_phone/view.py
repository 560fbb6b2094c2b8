"""What an app draws with: the room it has, the colours, the language, and ready-made widgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from virtual_phone import ui
from virtual_phone.state import State, forget_app, get_path
from virtual_phone.theme import DESIGN_WIDTH_PX, Theme
from virtual_phone.ui import Look, Node, Rect, Scroll

Act = Callable[[], object]
Build = Callable[[int], tuple[list[Node], int]]


@dataclass(frozen=True, slots=True)
class Names:
    """A field's resource id and the grey words in it while it is empty."""

    rid: str
    hint: str


@dataclass(frozen=True, slots=True)
class App:
    """An app as functions of the state: draw, go back, and how a fresh one looks."""

    package: str
    key: str
    names: tuple[str, str]
    icon: str
    color: str
    fresh: Callable[[State], State]
    screen: Callable[[View], Node]
    back: Callable[[State], bool]
    activity: Callable[[State], str]
    fresh_ui: Callable[[], State]
    system: bool = False
    on_enter: Callable[[State], object] | None = None
    secure: Callable[[State], bool] = lambda _: False
    whole: bool = False  # its screen holds the system's bars too

    def label(self, zh: bool) -> str:
        """Return its name under the icon."""
        return self.names[0 if zh else 1]


@dataclass(frozen=True, slots=True)
class View:
    """One drawing of one app."""

    state: State
    apps: tuple[App, ...]
    theme: Theme
    width: int
    height: int
    top: int
    bottom: int

    @property
    def zh(self) -> bool:
        """Tell whether the phone speaks Chinese."""
        return bool(self.state["system"]["locale"].startswith("zh"))

    def tr(self, zh: str, en: str) -> str:
        """Choose the phone's language."""
        return zh if self.zh else en

    def px(self, design: float) -> int:
        """Scale a length that was designed for a screen 1080 pixels wide."""
        return round(design * min(self.width, self.height) / DESIGN_WIDTH_PX)

    def text_px(self, design: float) -> int:
        """Scale a text height, also by the font size that was chosen in Settings."""
        chosen = self.state["settings"]["font_size"]
        return round(self.px(design) * {"small": 0.88, "large": 1.14}.get(chosen, 1.0))

    def rect(self, left: float, top: float, right: float, bottom: float) -> Rect:
        """Make a rectangle of whole pixels."""
        return Rect(round(left), round(top), round(right), round(bottom))

    def root(self, children: list[Node]) -> Node:
        """Wrap an app's content in the frame that every window has."""
        box = Rect(0, 0, self.width, self.height)
        page = Look(fill=self.theme.page)
        content = Node(ui.FRAME, box, rid="android:id/content", children=children)
        # lists are painted whole; this strip keeps them out of the navigation bar's place
        strip = Rect(0, self.bottom, self.width, self.height)
        children.append(Node(ui.VIEW, strip, look=page, painted_only=True, z=5))
        return Node(ui.FRAME, box, look=page, children=[content])

    def label(self, text: str, box: Rect, size: float, **options: object) -> Node:
        """Make a line of text; ``options`` are ``rid``, ``color``, ``bold`` and ``align``."""
        look = Look(
            size=self.text_px(size),
            color=str(options.get("color") or self.theme.text),
            bold=bool(options.get("bold")),
            align=str(options.get("align") or "left"),
        )
        return Node(ui.TEXT, box, text=text, rid=str(options.get("rid") or ""), look=look)

    def icon_button(self, icon: str, box: Rect, names: tuple[str, str], on_tap: Act) -> Node:
        """Make a button that only has a picture; ``names`` is its description in both languages."""
        look = Look(icon=icon, icon_size=self.px(68), icon_color=self.theme.text)
        return Node(ui.IMAGE_BUTTON, box, desc=self.tr(*names), look=look, on_tap=on_tap)

    def button(self, text: str, box: Rect, rid: str, on_tap: Act, *, quiet: bool = False) -> Node:
        """Make a filled, or with ``quiet`` a soft, button."""
        theme = self.theme
        look = Look(
            fill=theme.accent_soft if quiet else theme.accent,
            radius=self.px(40),
            size=self.px(42),
            color=theme.accent if quiet else theme.on_accent,
            bold=True,
            align="center",
        )
        return Node(ui.BUTTON, box, text=text, rid=rid, look=look, on_tap=on_tap)

    def edit(self, path: str, box: Rect, names: Names, look: Look) -> Node:
        """Make a text field over a value of the state; ``look`` gives size, fill and padding."""
        focused = self.state["system"]["focus"] == path
        look = replace(
            look,
            color=self.theme.text,
            hint_color=self.theme.faint,
            icon_color=self.theme.accent,
            caret=focused,
        )
        return Node(
            ui.EDIT,
            box,
            text=str(get_path(self.state, path)),
            rid=names.rid,
            hint=names.hint,
            look=look,
            edits=path,
            focused=focused,
        )


def stop_app(state: State, app: App) -> None:
    """End an app; it starts on its first page next time, and what it may do once is over."""
    forget_app(state, app.package)
    given = state["system"]["permissions"].get(app.package, {})
    for permission in [name for name, answer in given.items() if answer == "once"]:
        del given[permission]
    state[app.key]["ui"] = app.fresh_ui()


def clear_app(state: State, app: App) -> None:
    """Delete what an app has stored and what it was allowed, as ``pm clear`` does."""
    forget_app(state, app.package)
    state["system"]["permissions"].pop(app.package, None)
    state[app.key] = {**app.fresh(state["system"]), "ui": app.fresh_ui()}


def _offset(state: State, path: str) -> int:
    try:
        return int(get_path(state, path))
    except KeyError:  # a page that was never scrolled has none
        return 0


def scroll_list(
    view: View, viewport: Rect, path: str, build: Build, rid: str, on_end: Act | None = None
) -> Node:
    """Lay rows out below each other, moved by the offset kept at ``path`` and cut to the viewport.

    ``build`` is given the y where the content starts and returns the nodes and where it ends;
    ``on_end`` is called when somebody scrolls to the bottom, and may make more of them.
    """
    stored = _offset(view.state, path)
    children, end = build(viewport.top)
    limit = max(0, end - viewport.bottom)
    offset = min(stored, limit)
    if offset:
        children, _ = build(viewport.top - offset)
    node = Node(ui.LIST, viewport, rid=rid, children=children)
    if limit:
        node.scroll = Scroll(path, offset, limit, on_end)
    ui.clip_tree(node, viewport)
    return node
