"""The device table: one card a phone, its state with reason and age."""

from core.devices import lease, store
from core.devices.base import Hardware, Size
from core.devices.lease import Claim
from core.errors import DeviceOffline
from core.setup import Instance

PIXEL = Hardware("HW1", "Pixel 7", "14", 87)


def test_a_reason_is_told_in_the_readers_language(instance: Instance) -> None:
    why = DeviceOffline(serial="s1", reason="Connection refused.")
    store.set_state(instance.db, "s1", "offline", why)

    zh = store.listing(instance.db, "zh")[0]["reason"]
    en = store.listing(instance.db, "en")[0]["reason"]

    assert zh.startswith("设备 s1 没有响应。Connection refused.")
    assert en.startswith("s1 does not answer. Connection refused.")


def test_since_moves_only_with_the_state(instance: Instance) -> None:
    store.set_state(instance.db, "s1", "offline")
    before = store.listing(instance.db)[0]["since"]

    changed = store.set_state(instance.db, "s1", "offline", DeviceOffline(serial="s1", reason="x"))
    same = store.set_state(instance.db, "s1", "offline", DeviceOffline(serial="s1", reason="x"))

    assert (changed, same) == (True, False)
    assert store.listing(instance.db)[0]["since"] == before


def test_usb_and_wifi_of_one_phone_are_one_card_and_the_ready_one_shows(
    instance: Instance,
) -> None:
    for serial, state in (("192.168.1.7:5555", "offline"), ("R5CT", "ready")):
        store.set_state(instance.db, serial, state)  # type: ignore[arg-type]
        store.set_hardware(instance.db, serial, PIXEL, Size(1080, 2400))

    items = store.listing(instance.db)
    known = store.known(instance.db, "HW1")

    assert [item["serial"] for item in items] == ["R5CT"]
    assert known is not None
    assert known.serial == "R5CT"


def test_a_card_names_the_holder_and_hides_who_it_is(instance: Instance) -> None:
    store.set_state(instance.db, "s1", "ready")
    store.set_hardware(instance.db, "s1", PIXEL, Size(1080, 2400))
    with instance.db.write() as session:
        lease.take(session, "HW1", Claim("human", "human:1", "Li"))

    held = store.listing(instance.db)[0]["lease"]

    assert (held["holder"], held["label"]) == ("human", "Li")
    assert "owner" not in held


def test_addresses_are_remembered_once_and_forgotten_with_the_device(instance: Instance) -> None:
    store.remember_address(instance.db, "10.0.0.5:5555")
    store.remember_address(instance.db, "10.0.0.5:5555")
    known = store.addresses(instance.db)

    store.forget(instance.db, "10.0.0.5:5555")

    assert known == ["10.0.0.5:5555"]
    assert store.addresses(instance.db) == []


def test_what_is_kept_for_a_phone_is_kept_by_whatever_name_it_comes(instance: Instance) -> None:
    db, size = instance.db, Size(1080, 2400)
    store.set_state(db, "10.0.0.5:5555", "ready")
    store.set_hardware(db, "10.0.0.5:5555", PIXEL, size)
    store.edit(db, "HW1", alias="Till 3", tags=["shop"])
    store.set_pin(db, "10.0.0.5:5555", "sealed")

    store.set_state(db, "R5CT", "ready")
    store.set_hardware(db, "R5CT", PIXEL, size)
    store.edit(db, "R5CT", tags=["zh"])

    assert store.card(db, "HW1") == ["10.0.0.5:5555", "R5CT"]
    assert store.pin(db, "R5CT") == "sealed"
    assert {(i["alias"], *i["tags"], i["has_pin"]) for i in store.listing(db)} == {
        ("Till 3", "zh", True)
    }


def test_two_phones_that_report_one_serial_are_two_cards(instance: Instance) -> None:
    db, size = instance.db, Size(1080, 2400)
    for serial, mark in (("a:1", "aaaaaaaaaaaa"), ("b:1", "bbbbbbbbbbbb")):
        store.set_state(db, serial, "ready")
        store.set_hardware(db, serial, Hardware("HW1", "Pixel 7", "14", 87, mark=mark), size)

    cards = {item["hardware_serial"] for item in store.listing(db)}

    assert cards == {"HW1", "HW1~bbbbbb"}
    assert store.twins(db, "a:1") == ["HW1~bbbbbb"]


def test_a_phone_is_forgotten_by_all_its_names(instance: Instance) -> None:
    for serial in ("10.0.0.5:5555", "R5CT"):
        store.set_state(instance.db, serial, "ready")
        store.set_hardware(instance.db, serial, PIXEL, Size(1080, 2400))
    store.remember_address(instance.db, "10.0.0.5:5555")

    store.forget(instance.db, "HW1")

    assert store.listing(instance.db) == []
    assert store.addresses(instance.db) == []
