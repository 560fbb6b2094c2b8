"""Say what kind of element a node is, and how it stands, from its class and its flags."""

from collections.abc import Iterator

from core.screen.hierarchy import Node
from core.screen.labels import words

FIELDS = ("EditText", "AutoCompleteTextView", "SearchAutoComplete")
TURNED_OVER = ("Switch", "Toggle", "CheckBox")
LISTS = ("RecyclerView", "ListView", "GridView", "ScrollView", "ViewPager")

_ANDROID = ("android.", "androidx.")


def is_actable(node: Node) -> bool:
    """Say whether a person could do something to the node itself."""
    get = node.xml.get
    return (
        get("clickable", "") == "true"
        or get("scrollable", "") == "true"
        or get("checkable", "") == "true"
        or get("long-clickable", "") == "true"
        or get("class", "").endswith(FIELDS)
    )


def is_field(node: Node) -> bool:
    """Say whether text can be typed into the node."""
    return node.get("class").endswith(FIELDS)


def kind_of(node: Node) -> str:
    """Choose the element's kind from its class and what can be done to it."""
    name = node.get("class").rpartition(".")[2]
    if is_field(node):
        return "field"
    if node.is_on("checkable"):
        return _checkable_kind(name)
    if "Tab" in name and node.is_on("clickable"):
        return "tab"
    if name.endswith(LISTS) or node.is_on("scrollable"):
        return "list"
    if "Image" in name:
        return "icon" if node.is_on("clickable") else "image"
    if not (node.is_on("clickable") or node.is_on("long-clickable")):
        return "text"
    return _clickable_kind(node)


def _checkable_kind(name: str) -> str:
    if "Switch" in name or "Toggle" in name:
        return "switch"
    return "radio" if "Radio" in name else "checkbox"


def _clickable_kind(node: Node) -> str:
    if words(node) or node.get("class").endswith("Button"):
        return "button"
    return "item" if node.children else "icon"


def stands(node: Node) -> Iterator[str]:
    """Say how a node stands: on, off, selected, focused, disabled."""
    if node.is_on("checkable"):
        yield "on" if node.is_on("checked") else "off"
    for name in ("selected", "focused"):
        if node.is_on(name):
            yield name
    if node.get("enabled") == "false":
        yield "disabled"
    for name in ("scrollable", "password"):
        if node.is_on(name):
            yield name


def is_turned_over(node: Node) -> bool:
    """Say whether a touch turns the node over; what is one of a choice stays on, and may go on."""
    name = node.get("class").rpartition(".")[2]
    return any(each in name for each in TURNED_OVER)


def short_id(node: Node) -> str:
    """Give a node's id without its package."""
    return node.get("resource-id").rpartition("/")[2]


def nickname(node: Node, *, deep: bool = True) -> str:
    """Name a node without words by its id, one below it (``deep``), or its app's own class."""
    for each in node.walk() if deep else (node,):
        name = short_id(each)
        if name and " " not in name:
            return f"id={name}"
    name = node.get("class")
    own = "." in name and not name.startswith(_ANDROID)
    return f"class={name.rpartition('.')[2]}" if own else ""
