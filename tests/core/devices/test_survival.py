"""What real phones do to a client, done by the virtual phone, and what is left of it."""

import threading
from collections.abc import Iterator

import pytest

from core.devices import doctor, tree, u2_program
from core.devices.adb import Adb
from core.devices.android import AndroidPhone
from core.devices.text_entry import Field
from core.errors import DeviceLost, DeviceSlow, PhoneFault, StorageFull, TextNotTyped
from core.screen import screen
from tests.stack import wait_for
from virtual_phone.testing import PhoneHandle
from virtual_phone.wire import Stream

SETTINGS = "com.android.settings"


@pytest.fixture
def android(android: AndroidPhone, phone: PhoneHandle) -> Iterator[AndroidPhone]:
    """Drive the phone, and let it go well before it is let go."""
    yield android
    phone.ask(lambda virtual: virtual.faults.clear())


def hang(phone: PhoneHandle) -> None:
    """Let the server on the phone accept calls and never answer, as a deadlocked one does."""

    async def silence(stream: Stream) -> None:
        while await stream.read():
            pass

    phone.ask(lambda virtual: virtual.listeners.update({"9008": silence}))


def quick(monkeypatch: pytest.MonkeyPatch, **seconds: float) -> None:
    """Shorten deadlines, named as ``module__NAME``."""
    for name, value in seconds.items():
        module, _, constant = name.partition("__")
        monkeypatch.setattr(f"core.devices.{module}.{constant}", value)


def test_a_tree_that_takes_too_long_leaves_the_picture_and_says_so(
    android: AndroidPhone, phone: PhoneHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(monkeypatch, tree__SERVER_S=0.2, tree__DUMP_S=0.2)
    phone.start(SETTINGS)
    phone.fault("slow_dump")

    seen = android.observe()

    assert seen.source == "picture"
    assert seen.app.package == SETTINGS
    assert screen.read(seen).state == "thin"


def test_a_server_that_gives_no_tree_is_replaced_by_androids_own_dump(
    android: AndroidPhone, phone: PhoneHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone.start(SETTINGS)
    phone.fault("no_idle")
    phone.fault("exclusive_uia")
    monkeypatch.setattr(tree.Tree, "_from_server", lambda self: "")

    seen = android.observe()

    assert seen.source == "dump"
    assert any(element.label for element in screen.read(seen).elements)
    android.tap((540, 400))
    assert len(phone.log()) == 1


def test_a_screen_that_never_rests_is_read_by_the_server_all_the_same(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    phone.fault("no_idle")

    seen = android.observe()

    assert seen.source == "u2"
    assert phone.get("system.uia")["waitForIdleTimeout"] == 0
    assert phone.get("system.uia")["keyInjectionDelay"] is not None


def test_a_screen_without_a_tree_is_left_to_the_picture(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    phone.fault("dump_fail")

    assert android.observe().source == "picture"
    phone.fault("dump_fail", on=False)
    assert android.observe().source == "u2"


def test_a_server_that_hangs_is_started_anew_once_and_the_look_goes_on(
    android: AndroidPhone, phone: PhoneHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(monkeypatch, android__INFO_S=0.3, u2__SUSPECT_S=0.3, u2__PING_S=1.0)
    hang_only_this_stream(android, phone)

    assert android.size().width == 1080

    hang_only_this_stream(android, phone)
    with pytest.raises(PhoneFault, match="hangs again; it is started anew in"):
        android.size()


def hang_only_this_stream(android: AndroidPhone, phone: PhoneHandle) -> None:
    """Hang the server; ending its program, as the phone's pkill does, frees the port."""
    hang(phone)
    android.server.stream.hang_up()


def test_an_act_that_met_a_hanging_server_is_reported_unknown_and_not_sent_again(
    android: AndroidPhone, phone: PhoneHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(monkeypatch, android__ACT_S=0.3, u2__SUSPECT_S=0.3)
    phone.start(SETTINGS)
    android.observe()
    hang_only_this_stream(android, phone)

    with pytest.raises(DeviceSlow, match="not known whether"):
        android.tap((540, 400))
    android.tap((540, 400))

    assert len(phone.log()) == 1


def test_a_link_that_drops_in_the_middle_of_a_tap_is_reported_and_the_tap_not_repeated(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    android.observe()
    sent = threading.Event()
    request = android.server.stream.request

    def drop(verb: str, path: str, body: bytes | None, timeout_s: float) -> bytes:
        if body and b'"click"' in body:
            sent.set()
            phone.fault("link_drop")
        return request(verb, path, body, timeout_s)

    android.server.stream.request = drop  # type: ignore[method-assign]
    with pytest.raises(DeviceLost):
        android.tap((540, 400))
    android.server.stream.request = request  # type: ignore[method-assign]

    assert sent.is_set()
    assert len(phone.log()) <= 1
    wait_for(lambda: phone.linked, "the link")


def test_a_link_that_drops_in_the_middle_of_a_file_leaves_none_and_the_next_start_copies_it(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    android.close()
    phone.fault("stale_jar")
    phone.fault("drop_mid_push")

    with pytest.raises(DeviceLost):
        android.start()
    wait_for(lambda: phone.linked, "the link")
    phone.ask(lambda virtual: virtual.faults.clear())
    wait_for(lambda: starts(android), "a start")

    assert u2_program.is_installed(android.link)


def starts(android: AndroidPhone) -> bool:
    try:
        android.start()
    except PhoneFault:
        return False  # adb has not taken the link up again
    return True


def test_a_full_phone_is_told_so_while_the_server_is_copied(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    android.close()
    phone.fault("stale_jar")
    phone.fault("low_storage")

    with pytest.raises(StorageFull, match="no free space left"):
        android.start()


def test_a_link_that_is_half_open_holds_nobody_longer_than_the_deadline(
    android: AndroidPhone, phone: PhoneHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(monkeypatch, android__INFO_S=0.3, packages__LOOK_S=0.3, u2__SUSPECT_S=0.3, u2__PING_S=0.3)
    phone.fault("half_open")

    with pytest.raises(PhoneFault):
        android.observe()
    with pytest.raises(DeviceSlow):
        android.installed()

    assert android.link.silent >= 2


def test_a_link_that_drops_while_nobody_calls_is_back_by_itself(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    android.observe()
    phone.fault("link_drop")
    wait_for(lambda: phone.linked, "the link")

    wait_for(lambda: starts(android), "a start")

    assert android.observe().app.package == SETTINGS


def test_a_server_that_dies_inside_a_look_is_started_again(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    android.observe()
    phone.fault("u2_dies")

    assert android.observe().source == "u2"


def test_a_server_that_lost_uiautomation_is_started_anew(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    android.observe()
    phone.fault("u2_disconnected")

    assert android.observe().source == "u2"


def test_a_port_that_another_program_holds_is_left_to_it(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    android.close()
    phone.fault("port_busy")

    android.start()

    assert android.server.stream.port != u2_program.PORTS[0]
    assert android.observe().source == "u2"


def test_androids_own_dump_gets_uiautomation_also_from_another_programs_server(
    android: AndroidPhone, phone: PhoneHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    android.close()
    other = AndroidPhone(Adb().link(phone.address))
    other.start()
    phone.fault("exclusive_uia")
    monkeypatch.setattr(tree.Tree, "_from_server", lambda self: "")

    seen = android.observe()
    other.close()

    assert seen.source == "dump"
    assert phone.unknown() == []


def test_a_server_that_dies_inside_a_tap_leaves_it_unknown_and_not_repeated(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    android.observe()
    phone.fault("u2_dies")

    with pytest.raises(DeviceLost, match="may have happened"):
        android.tap((540, 400))
    android.tap((540, 400))

    assert 1 <= len(phone.log()) <= 2


def test_a_tap_after_a_turn_lands_where_the_turned_screen_shows_it(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    upright = android.observe()
    phone.set("system.rotation", 1)

    turned = android.observe()

    assert (upright.size.width, upright.rotation) == (turned.size.height, 0)
    assert turned.rotation == 1
    assert android.upright() == upright.size
    element = next(e for e in screen.read(turned).elements if e.kind == "button" or e.label)
    assert turned.size.bounds.contains(element.point)


def test_what_lies_over_the_app_is_known_with_androids_own_dump_too(
    android: AndroidPhone, phone: PhoneHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone.start(SETTINGS)
    phone.fault("exclusive_uia")
    monkeypatch.setattr(tree.Tree, "_from_server", lambda self: "")
    free = screen.read(android.observe())
    phone.set("system.shade", True)
    under = screen.read(android.observe())

    assert not any(element.covered for element in free.elements if element.package == SETTINGS)
    rows = [element for element in under.elements if element.package == SETTINGS]
    assert under.source == "dump"
    assert not rows or all(element.covered for element in rows)


def test_a_phone_whose_server_is_killed_is_driven_without_it(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    phone.set("system.rotation", 1)
    helped = android.observe()
    phone.fault("u2_killed")

    alone = android.observe()
    picture = android.screenshot()
    row = next(e for e in screen.read(alone).elements if "蓝牙" in e.label)
    android.tap(row.point)
    opened = android.observe()
    android.press_key("back")

    assert alone.source == "dump"
    assert (alone.size, alone.rotation, alone.app) == (helped.size, helped.rotation, helped.app)
    assert picture.size.width > picture.size.height
    assert opened.app != alone.app
    assert android.observe().app == alone.app
    assert len(phone.log()) == 2


def test_the_keyboards_place_is_known_without_the_server(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    field = next(e for e in screen.read(android.observe()).elements if e.kind == "field")
    android.tap(field.point)
    helped = screen.read(android.observe())
    phone.fault("u2_killed")

    alone = screen.read(android.observe())

    assert alone.source == "dump"
    assert alone.keyboard == helped.keyboard
    assert alone.keyboard is not None
    assert alone.keyboard.area


def test_a_phone_on_which_the_server_never_starts_is_usable(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    android.close()
    phone.fault("u2_killed")
    phone.start(SETTINGS)

    android.start()
    android.swipe((540, 1800), (540, 600))
    android.long_press((540, 400))

    assert len(phone.log()) == 2
    assert "helper_dead" in [finding.code for finding in doctor.examine(android, [])]


def test_without_server_and_adb_keyboard_ascii_is_typed_and_other_text_refused(
    android: AndroidPhone, phone: PhoneHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.devices.keyboard.BROADCASTS", {})
    phone.fault("u2_killed")
    phone.start(SETTINGS)
    field = next(e for e in screen.read(android.observe()).elements if e.kind == "field")
    android.tap(field.point)

    held = android.type_text("wifi 5")
    with pytest.raises(TextNotTyped, match="only ASCII can be added"):
        android.type_text("蓝牙")

    assert held == "wifi 5"
    assert android.focused_field() == Field("wifi 5", is_password=False)


def test_a_link_that_drops_inside_a_tap_leaves_it_unknown_and_not_repeated(
    android: AndroidPhone, phone: PhoneHandle
) -> None:
    phone.start(SETTINGS)
    android.observe()
    phone.fault("drop_mid_command")

    with pytest.raises(DeviceLost, match="may have happened"):
        android.tap((540, 400))
    wait_for(lambda: phone.linked, "the link")

    assert len(phone.log()) == 1  # it was done, and nobody heard of it
