"""The rack sees phones come, go and come back, and says why one cannot be used."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from core.devices import lease, store
from core.devices.lease import Claim
from core.errors import AdbDown, DeviceOffline, DiskFull, NotFound, PhoneFault, StorageFull
from core.setup import Instance
from mcp_server.rack import Rack, _meaning
from tests.full_disk import FullDisk, room_for_none
from tests.stack import free_port, wait_for
from virtual_phone import u2rpc
from virtual_phone.adb_server import AdbServer
from virtual_phone.testing import PhoneHandle, VirtualRack


@pytest.fixture
def own_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[AdbServer]:
    """Run an adb server that the test may end."""
    server = AdbServer(free_port())
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(server.port))
    yield server
    server.close()


def card(instance: Instance, serial: str) -> dict[str, Any]:
    return next(item for item in store.listing(instance.db, "en") if item["serial"] == serial)


def wait_state(instance: Instance, serial: str, state: str) -> None:
    def is_so() -> bool:
        items = store.listing(instance.db)
        return any(i["serial"] == serial and i["state"] == state for i in items)

    wait_for(is_so, f"{serial} {state}")


def test_a_phone_becomes_ready_and_tells_who_it_is(instance: Instance, phone: PhoneHandle) -> None:
    rack = Rack(instance.db, [phone.address])

    rack.start()
    wait_state(instance, phone.address, "ready")
    by_hardware = rack.slot(phone.serialno)
    rack.stop()

    item = card(instance, phone.address)
    assert by_hardware.phone.serial == phone.address
    assert item["hardware_serial"] == phone.serialno
    assert (item["width"], item["height"], item["reason"]) == (1080, 2400, None)
    assert item["model"]
    assert item["battery"]


def test_what_was_ready_before_is_offline_until_adb_tells(
    instance: Instance, phone: PhoneHandle
) -> None:
    store.set_state(instance.db, "old", "ready")
    rack = Rack(instance.db)

    rack.start()
    rack.stop()

    assert card(instance, "old")["state"] == "offline"
    with pytest.raises(DeviceOffline, match="old does not answer"):
        rack.slot("old")
    with pytest.raises(NotFound, match="no device never-seen"):
        rack.slot("never-seen")


def test_a_phone_that_dies_is_offline_with_a_reason(
    instance: Instance, own_server: AdbServer
) -> None:
    with VirtualRack(phones=1) as shelf:
        address = shelf.phones[0].address
        rack = Rack(instance.db, [address])
        rack.start()
        wait_state(instance, address, "ready")

    wait_state(instance, address, "offline")

    item = card(instance, address)
    assert f"{address} does not answer" in item["reason"]
    with pytest.raises(DeviceOffline):
        rack.slot(address)
    rack.stop()


def test_an_address_where_nobody_answers_says_what_adb_said(
    instance: Instance, own_server: AdbServer
) -> None:
    address = f"127.0.0.1:{free_port()}"
    rack = Rack(instance.db, [address])

    rack.start()
    wait_state(instance, address, "offline")
    rack.stop()

    assert "refused" in card(instance, address)["reason"].lower()


def test_phones_come_back_after_the_adb_server_was_restarted(
    instance: Instance, own_server: AdbServer
) -> None:
    with VirtualRack(phones=1) as shelf:
        address = shelf.phones[0].address
        rack = Rack(instance.db, [address])
        rack.start()
        wait_state(instance, address, "ready")

        own_server.close()
        wait_state(instance, address, "offline")
        reason = card(instance, address)["reason"]
        again = AdbServer(own_server.port)
        wait_state(instance, address, "ready")
        app = rack.slot(address).phone.current_app()
        rack.stop()
        again.close()

    assert str(AdbDown()) == reason
    assert app.package


@contextmanager
def running(instance: Instance, *addresses: str) -> Iterator[Rack]:
    """Run a rack whose phones are ready."""
    rack = Rack(instance.db, addresses, instance.fernet)
    rack.start()
    try:
        wait_for(lambda: len(rack._slots) == len(addresses), "the phones")
        yield rack
    finally:
        rack.stop()


def test_one_phone_by_two_names_is_one_card_with_one_gate(
    instance: Instance, own_server: AdbServer
) -> None:
    with VirtualRack(phones=1) as shelf:
        address = shelf.phones[0].address
        other = address.replace("127.0.0.1", "localhost")
        with running(instance, address, other) as rack:
            items = store.listing(instance.db)
            used = {rack.slot(each).phone for each in (address, other, shelf.phones[0].serialno)}

            used.pop().close()
            rack._drop(address, "offline", DeviceOffline(serial=address, reason=""))

            assert rack.slot(address).phone.serial == other

    assert [item["state"] for item in items] == ["ready"]
    assert used == set()


def test_two_phones_of_one_model_and_one_serial_are_two_cards(
    instance: Instance, own_server: AdbServer
) -> None:
    with VirtualRack(phones=2) as shelf:
        for number, phone in enumerate(shelf.phones):
            phone.ask(lambda p: setattr(p, "profile", replace(p.profile, serialno="CLONE1")))
            phone.set("system.provider.secure.android_id", f"{number:016x}")
        with running(instance, *(phone.address for phone in shelf.phones)):
            items = store.listing(instance.db)

    assert len({item["hardware_serial"] for item in items}) == 2
    assert {item["model"] for item in items} == {"Pixel 7"}


def test_a_phone_is_opened_anew_when_asked(instance: Instance, own_server: AdbServer) -> None:
    with VirtualRack(phones=1) as shelf:
        address = shelf.phones[0].address
        with running(instance, address) as rack:
            before = rack.slot(address).phone

            assert rack.reconnect(address) == address

            assert rack.slot(address).phone is not before
            assert rack.slot(address).phone.current_app().package


def test_a_forgotten_address_is_not_connected_again(
    instance: Instance, own_server: AdbServer
) -> None:
    with VirtualRack(phones=1) as shelf:
        address = shelf.phones[0].address
        with running(instance, address) as rack:
            rack.forget(address)
            wait_for(lambda: not shelf.phones[0].linked, "the end of the link")

            with pytest.raises(NotFound):
                rack.slot(address)
            with pytest.raises(NotFound):
                rack.forget(address)

    assert store.addresses(instance.db) == []


def test_a_link_that_answers_nothing_is_connected_anew(
    instance: Instance, own_server: AdbServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_server.tender.TEND_S", 0.1)
    with VirtualRack(phones=1) as shelf:
        address = shelf.phones[0].address
        with running(instance, address) as rack:
            before = rack.slot(address).phone
            before.link.silent = 2

            wait_for(
                lambda: [slot.phone for slot in rack._ready()] not in ([], [before]), "a new link"
            )


def test_a_phone_whose_helper_does_not_run_is_sick_until_it_does(
    instance: Instance, own_server: AdbServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_server.tender.TEND_S", 0.1)
    with VirtualRack(phones=1) as shelf:
        phone = shelf.phones[0]
        with running(instance, phone.address) as rack:
            phone.fault("stale_jar")
            phone.fault("low_storage")
            android = rack.slot(phone.address).phone
            android.server.close()
            wait_for(lambda: not phone.ask(u2rpc.running), "the end of the helper")

            with pytest.raises(StorageFull):
                android.size()
            wait_state(instance, phone.address, "sick")
            reason = card(instance, phone.address)["reason"]
            phone.fault("low_storage", on=False)
            wait_state(instance, phone.address, "ready")

    assert "no free space left" in reason


def test_a_phone_whose_helper_cannot_run_at_all_is_driven_without_it(
    instance: Instance, own_server: AdbServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_server.tender.TEND_S", 0.1)
    monkeypatch.setattr("mcp_server.tender.CONDITION_S", 0.1)
    with VirtualRack(phones=1) as shelf:
        phone = shelf.phones[0]
        phone.fault("u2_killed")
        with running(instance, phone.address) as rack:
            before = rack.slot(phone.address)
            phone.set("system.battery", 12)

            wait_for(lambda: card(instance, phone.address)["battery"] == 12, "a round of care")

            assert rack.slot(phone.address) is before
            assert card(instance, phone.address)["state"] == "ready"
            assert before.phone.observe().source == "dump"


def test_a_link_that_is_half_open_is_offline_with_a_reason_and_comes_back(
    instance: Instance, own_server: AdbServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_server.tender.TEND_S", 0.1)
    monkeypatch.setattr("core.devices.android.INFO_S", 0.2)
    monkeypatch.setattr("core.devices.packages.LOOK_S", 0.2)
    with VirtualRack(phones=1) as shelf:
        phone = shelf.phones[0]
        with running(instance, phone.address) as rack:
            android = rack.slot(phone.address).phone
            phone.fault("half_open")
            for _ in range(2):
                with pytest.raises(PhoneFault):
                    android.installed()

            wait_state(instance, phone.address, "offline")
            reason = card(instance, phone.address)["reason"]
            phone.fault("half_open", on=False)
            wait_state(instance, phone.address, "ready")

    assert "does not answer" in reason


def test_a_phone_keeps_its_screen_on_while_it_is_held(
    instance: Instance, own_server: AdbServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_server.tender.TEND_S", 0.1)
    timeout = "system.provider.system.screen_off_timeout"
    with VirtualRack(phones=1) as shelf:
        phone = shelf.phones[0]
        with running(instance, phone.address):
            with instance.db.write() as session:
                lease.take(session, phone.serialno, Claim("human", "human:1", "Li"))
            wait_for(lambda: phone.get(timeout) == "1800000", "a screen that stays on")

            with instance.db.write() as session:
                lease.release(session, "human:1")

            wait_for(lambda: phone.get(timeout) == "60000", "the user's own setting")


def test_battery_and_storage_of_an_idle_phone_are_asked_now_and_then(
    instance: Instance, own_server: AdbServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_server.tender.TEND_S", 0.1)
    monkeypatch.setattr("mcp_server.tender.CONDITION_S", 0.1)
    with VirtualRack(phones=1) as shelf:
        phone = shelf.phones[0]
        with running(instance, phone.address):
            phone.set("system.battery", 12)

            wait_for(lambda: card(instance, phone.address)["battery"] == 12, "the battery")

    assert card(instance, phone.address)["storage_mb"] > 0


def test_a_phone_that_comes_and_goes_on_a_full_disk_is_known_when_there_is_room(
    instance: Instance, own_server: AdbServer, caplog: pytest.LogCaptureFixture
) -> None:
    disk = FullDisk(instance.db)
    with VirtualRack(phones=1) as shelf:
        address = shelf.phones[0].address
        rack = Rack(instance.db, [address])
        rack.start()
        disk.fill()
        wait_for(lambda: disk.refused > 1, "a state that is not stored")
        before = store.listing(instance.db, "en")
        disk.free()
        wait_state(instance, address, "ready")
        ready = rack.slot(address).phone.serial
        disk.fill()
        refused = disk.refused

    wait_for(lambda: disk.refused > refused, "that it is gone")
    between = card(instance, address)["state"]
    disk.free()
    wait_state(instance, address, "offline")
    rack.stop()
    disk.forget()

    assert before == []
    assert (ready, between) == (address, "ready")
    assert "waits to be stored" in caplog.text


@pytest.mark.parametrize("asked", ["forget", "reconnect"])
def test_what_is_asked_of_a_phone_on_a_full_disk_is_refused_at_once(
    instance: Instance, asked: str
) -> None:
    store.set_state(instance.db, "s1", "ready")
    rack = Rack(instance.db, [])

    with ThreadPoolExecutor() as pool, room_for_none(instance.db):
        error = pool.submit(getattr(rack, asked), "s1").exception(timeout=5)

    assert isinstance(error, DiskFull)
    assert card(instance, "s1")["state"] == "ready"


def test_a_full_phone_is_sick_and_says_so(instance: Instance, own_server: AdbServer) -> None:
    with VirtualRack(phones=1) as shelf:
        phone = shelf.phones[0]
        phone.fault("low_storage")
        rack = Rack(instance.db, [phone.address])
        rack.start()

        wait_state(instance, phone.address, "sick")

        assert "no free space left" in card(instance, phone.address)["reason"]
        rack.stop()


@pytest.mark.parametrize(
    ("said", "state", "words"),
    [
        ("unauthorized", "unauthorized", "accept USB debugging"),
        ("no permissions (missing udev rules?); see [http://x]", "sick", "USB rules"),
        ("no permissions", "sick", "USB rules"),
        ("sideload", "sick", "adb says: sideload"),
        ("offline", "offline", "does not answer"),
        ("authorizing", "connecting", "does not answer"),
    ],
)
def test_a_state_of_adb_is_told_with_what_to_do(said: str, state: str, words: str) -> None:
    shown, why = _meaning("????????????", said)

    assert shown == state
    assert words in str(why)


def test_a_serial_of_question_marks_is_a_card_that_says_why(instance: Instance) -> None:
    rack = Rack(instance.db)

    rack._note({"????????????": "no permissions"})

    assert "USB rules" in card(instance, "????????????")["reason"]
    with pytest.raises(DeviceOffline, match="USB rules"):
        rack.slot("????????????")
