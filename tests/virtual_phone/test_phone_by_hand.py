"""Hands that tap everywhere: no page may break, and nothing shown may lie outside the screen."""

import random

import pytest

from virtual_phone import overlays, touch
from virtual_phone import state as st
from virtual_phone.android import Phone
from virtual_phone.profile import Profile
from virtual_phone.touch import KEY_CODES
from virtual_phone.ui import Node, Rect

STEPS = 300


def clickable(phone: Phone) -> list[Node]:
    return [n for window in phone.windows() for n in window.root.walk() if n.clickable]


def anything(phone: Phone, chance: random.Random) -> None:
    """Do what an impatient user might do next, on a phone that has its own ideas."""
    width, height = phone.size
    kind = chance.random()
    if kind < 0.66:
        touch.tap(phone, *chance.choice(clickable(phone)).bounds.center)
    elif kind < 0.8:
        start, end = (chance.randrange(height) for _ in range(2))
        touch.swipe(phone, (width / 2, start), (width / 2, end))
    elif kind < 0.9:
        name = chance.choice(["BACK", "ENTER", "DEL", "VOLUME_UP", "HOME", "POWER", "POWER"])
        touch.press(phone, KEY_CODES[name])
    elif kind < 0.95:
        phone.start(chance.choice(phone.apps))
    else:
        happens(phone, chance)


def happens(phone: Phone, chance: random.Random) -> None:
    """Let something happen that the user did not do."""
    kind = chance.randrange(5)
    if kind == 0:
        phone.switch_overlay(chance.choice([*overlays.OVERLAYS]), True)
    elif kind == 1:
        phone.set("system.rotation", chance.randrange(4))
    elif kind == 2:
        phone.set("system.pin", chance.choice(["", "1"]))
        phone.set("system.locked", True)
    elif kind == 3:
        phone.set("system.shade", chance.choice(["notifications", "quick"]))
    else:
        phone.set("system.screen_on", True)
        st.tick(phone.state)
        phone.changed()


def get_on(phone: Phone) -> None:
    """Turn the screen on and open the lock, so that there is something to touch."""
    if not phone.state["system"]["screen_on"]:
        phone.set("system.screen_on", True)
    if not clickable(phone):
        width, height = phone.size
        touch.swipe(phone, (width / 2, height * 0.9), (width / 2, height * 0.2))


@pytest.mark.parametrize("seed", range(6))
def test_no_sequence_of_touches_breaks_the_screen(seed: int) -> None:
    phone, chance = Phone(Profile(locale="en-US" if seed % 2 else "zh-CN")), random.Random(seed)
    visited = set()

    for _ in range(STEPS):
        get_on(phone)
        anything(phone, chance)
        screen = Rect(0, 0, *phone.size)
        visited.add((phone.foreground.key, phone.activity))
        for window in phone.windows():
            for node in window.root.walk():
                assert node.bounds.clip(screen) == node.bounds, (node.rid, phone.activity)
                assert not node.bounds.empty, (node.rid, phone.activity)

    assert len(visited) >= 8
    phone.camera.picture()


def test_every_page_of_settings_opens_and_closes() -> None:
    phone = Phone(Profile())
    app = phone.app("com.android.settings")
    assert app is not None
    phone.start(app)
    opened = set()

    for offset in (0, 800, 2400):
        phone.set("settings.ui.scrolls.main", offset)
        for rid in [n.rid for n in clickable(phone) if n.rid.startswith("com.android.settings")]:
            row = phone.find(lambda n, rid=rid: n.rid == rid)
            assert row is not None
            touch.tap(phone, *row.bounds.center)
            opened.add(phone.state["settings"]["ui"]["stack"][-1])
            phone.camera.picture()
            phone.back()
            phone.changed()

    assert len(opened - {"main"}) == 14


def test_a_dialog_keeps_touches_from_what_is_under_it() -> None:
    phone = Phone(Profile())
    app = phone.app("com.example.notes")
    assert app is not None
    phone.start(app)
    note = phone.find(lambda n: n.rid.endswith(":id/note"))
    assert note is not None
    touch.tap(phone, *note.bounds.center)
    trash = phone.find(lambda n: n.rid.endswith(":id/delete"))
    assert trash is not None
    touch.tap(phone, *trash.bounds.center)

    touch.tap(phone, *trash.bounds.center)
    save = touch.tap(phone, 980, 168)

    assert save is None
    assert phone.state["notes"]["ui"]["ask"] == "delete"
    assert phone.find(lambda n: n.text == "删除这条备忘录？") is not None
    assert phone.find(lambda n: n.text == "保存") is None
