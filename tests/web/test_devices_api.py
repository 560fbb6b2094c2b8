"""Devices are named, sorted, unlocked and mended by the routes of the console."""

from core.devices import lease, store
from core.devices.lease import Claim
from tests.web.conftest import Browser
from web.console import Console


def test_an_alias_and_tags_are_kept_and_what_is_left_out_stays(operator: Browser) -> None:
    operator.put("/api/devices/s1", json={"alias": " Till 3 ", "tags": ["shop", "shop", "zh"]})

    answer = operator.put("/api/devices/s1", json={"tags": ["zh"]})

    assert answer.status_code == 200
    assert (answer.get_json()["alias"], answer.get_json()["tags"]) == ("Till 3", ["zh"])


def test_a_pin_is_kept_encrypted_and_never_shown(operator: Browser, console: Console) -> None:
    answer = operator.put("/api/devices/s1/pin", json={"pin": "2580"})
    kept = store.pin(console.instance.db, "s1")

    assert answer.get_json()["has_pin"] is True
    assert "2580" not in answer.get_data(as_text=True)
    assert kept is not None
    assert "2580" not in kept
    assert console.instance.fernet.decrypt(kept.encode()) == b"2580"
    assert operator.put("/api/devices/s1/pin", json={"pin": None}).get_json()["has_pin"] is False


def test_a_pin_that_is_none_is_refused_by_its_path(operator: Browser) -> None:
    answer = operator.put("/api/devices/s1/pin", json={"pin": "12ab"})

    assert answer.status_code == 400
    assert answer.get_json()["error"]["path"] == "pin"


def test_a_device_that_others_hold_is_not_forgotten(operator: Browser, console: Console) -> None:
    with console.instance.db.write() as session:
        lease.take(session, "HW1", Claim("agent", "r1", "AI · shopping"))

    answer = operator.send("DELETE", "/api/devices/s1")

    assert answer.status_code == 409
    assert answer.get_json()["error"]["holder"] == "AI · shopping"


def test_a_viewer_changes_no_device(viewer: Browser) -> None:
    assert viewer.put("/api/devices/s1", json={"alias": "x"}).status_code == 403
    assert viewer.send("DELETE", "/api/devices/s1").status_code == 403
    assert viewer.post("/api/devices/s1/reconnect").status_code == 403


def test_what_needs_the_phone_says_when_its_server_is_down(operator: Browser) -> None:
    for path in ("/api/devices/s1/reconnect", "/api/devices/pair"):
        answer = operator.post(path, json={"address": "10.0.0.5:37099", "code": "123456"})
        assert answer.status_code == 503
        assert answer.get_json()["error"]["code"] == "mcp_unreachable"


def test_an_unknown_device_is_not_found(operator: Browser) -> None:
    assert operator.get("/api/devices/nobody/doctor").status_code == 404
    assert operator.put("/api/devices/nobody", json={"alias": "x"}).status_code == 404
