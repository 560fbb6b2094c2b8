"""The loopback API as the console uses it."""

import io

import httpx2
import pytest
from PIL import Image

from core.devices import lease
from core.devices.frames import view
from core.devices.lease import Claim
from core.devices.remote import RemotePhones
from core.errors import (
    CaptureFailed,
    DeviceOffline,
    Forbidden,
    Invalid,
    LeaseLost,
    McpUnreachable,
    NotFound,
    ScreenSecure,
    ScreenTurned,
)
from tests.fixtures_mcp import McpHouse
from tests.stack import free_port
from virtual_phone.testing import PhoneHandle


def hold(house: McpHouse, phone: PhoneHandle) -> dict[str, object]:
    """Take the phone for a person."""
    with house.instance.db.write() as session:
        fence = lease.take(session, phone.serialno, Claim("human", "human:1", "Li"))
    return {"owner": "human:1", "fence": fence}


def next_part(stream: httpx2.Response) -> bytes:
    """Read one frame of the live view."""
    buffer = b""
    for chunk in stream.iter_raw():
        buffer += chunk
        if b"\r\n\r\n" in buffer and buffer.rstrip().endswith(b"--frame"):
            body = buffer.split(b"\r\n\r\n", 1)[1]
            return body[: body.rindex(b"\r\n--frame")]
    raise AssertionError("the stream ended")


def test_without_the_secret_every_route_is_refused(mcp_house: McpHouse) -> None:
    base = f"http://127.0.0.1:{mcp_house.port}/phones"
    token = {"Authorization": f"Bearer {mcp_house.token('admin')}"}

    answers = [
        httpx2.get(f"{base}/health", headers=token),
        httpx2.get(f"{base}/{mcp_house.serial}/screenshot", headers=token),
        httpx2.post(f"{base}/{mcp_house.serial}/input", json={}, headers=token),
    ]

    assert {answer.status_code for answer in answers} == {Forbidden.status}


def test_a_screenshot_is_a_jpeg_no_larger_than_asked(mcp_house: McpHouse) -> None:
    whole = Image.open(io.BytesIO(mcp_house.phones.screenshot(mcp_house.serial)))
    small = Image.open(io.BytesIO(mcp_house.phones.screenshot(mcp_house.serial, longest=600)))

    assert (whole.format, whole.size) == ("JPEG", (1080, 2400))
    assert small.size == (270, 600)


def test_the_live_view_sends_frames_that_can_be_decoded(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    url = f"http://127.0.0.1:{mcp_house.port}/phones/{mcp_house.serial}/live"
    secret = {"X-Phonedeck-Secret": mcp_house.instance.loopback_secret}

    with httpx2.stream("GET", url, headers=secret, timeout=10) as stream:
        kind = stream.headers["content-type"]
        frame = next_part(stream)

    assert kind == "multipart/x-mixed-replace; boundary=frame"
    assert Image.open(io.BytesIO(frame)).size[1] in (1200, 1280)


def test_a_live_view_without_picture_shows_words_and_not_black(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.fault("screencap_fail")

    with mcp_house.phones.live(mcp_house.serial) as (_, chunks):
        data = b""
        while data.count(b"--frame") < 2:
            data += next(chunks)

    frame = data.split(b"\r\n\r\n", 1)[1].rpartition(b"\r\n--frame")[0]
    colours = Image.open(io.BytesIO(frame)).convert("L").getextrema()
    assert colours[1] > 200


def test_info_tells_app_and_size(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    phone.start("com.android.settings")

    info = mcp_house.phones.info(mcp_house.serial)

    assert (info.package, info.width, info.height) == ("com.android.settings", 1080, 2400)


def test_a_person_taps_under_a_lease(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    phone.start("com.android.settings")
    held = hold(mcp_house, phone)

    mcp_house.phones.input(mcp_house.serial, {"type": "tap", "x": 540, "y": 306, **held})
    mcp_house.phones.input(mcp_house.serial, {"type": "text", "text": "声音", **held})
    mcp_house.phones.input(mcp_house.serial, {"type": "key", "key": "back", **held})
    swipe = {"type": "swipe", "from": [540, 1500], "to": [540, 900], **held}
    mcp_house.phones.input(mcp_house.serial, swipe)

    assert len(phone.log()) >= 3


@pytest.mark.parametrize(
    ("act", "refusal"),
    [
        ({"type": "tap", "x": 1, "y": 1, "owner": "human:1", "fence": 999}, LeaseLost),
        ({"type": "tap", "x": 1, "y": 1, "owner": "human:2", "fence": 0}, LeaseLost),
        ({"type": "tap", "owner": "human:1"}, Invalid),
        ({"type": "shake", "owner": "human:1", "fence": 1}, Invalid),
    ],
)
def test_input_is_refused_without_the_lease_or_in_a_wrong_form(
    mcp_house: McpHouse, phone: PhoneHandle, act: dict[str, object], refusal: type[Exception]
) -> None:
    hold(mcp_house, phone)

    with pytest.raises(refusal):
        mcp_house.phones.input(mcp_house.serial, act)

    assert phone.log() == []


def test_errors_arrive_as_the_leaves_they_were(mcp_house: McpHouse, phone: PhoneHandle) -> None:
    phone.fault("screencap_fail")

    with pytest.raises(CaptureFailed, match="gave no picture"):
        mcp_house.phones.screenshot(mcp_house.serial)
    with pytest.raises(NotFound, match="no device nobody"):
        mcp_house.phones.info("nobody")
    with pytest.raises(DeviceOffline, match="does not answer"):
        mcp_house.phones.connect(f"127.0.0.1:{free_port()}")


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with pytest.raises(McpUnreachable, match="does not answer"):
        RemotePhones(free_port(), "secret").health()


def test_connecting_a_known_address_gives_its_serial(mcp_house: McpHouse) -> None:
    assert mcp_house.phones.connect(mcp_house.serial) == mcp_house.serial


def test_a_touch_on_a_phone_that_was_turned_since_is_refused(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    held = hold(mcp_house, phone)
    touch = {"type": "tap", "x": 540, "y": 500, "screen": [1080, 2400], **held}
    phone.set("system.rotation", 1)

    with pytest.raises(ScreenTurned, match="just turned"):
        mcp_house.phones.input(mcp_house.serial, touch)
    refused = phone.log()
    mcp_house.phones.input(mcp_house.serial, {**touch, "screen": [2400, 1080]})

    assert refused == []
    assert len(phone.log()) == 1


def test_a_screenshot_of_a_protected_screen_is_refused_and_never_black(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.start("com.android.settings")
    phone.fault("secure")

    with pytest.raises(ScreenSecure, match="forbids pictures"):
        mcp_house.phones.screenshot(mcp_house.serial, longest=480)


def test_the_live_view_tells_what_its_pictures_show(
    mcp_house: McpHouse, phone: PhoneHandle
) -> None:
    phone.set("system.rotation", 1)

    with mcp_house.phones.live(mcp_house.serial, view(longest=300)) as (_, chunks):
        data = b""
        while b"X-Rotation: 1" not in data or data.count(b"--frame") < 2:
            data += next(chunks)
    info = mcp_house.phones.info(mcp_house.serial)

    head = data[data.rindex(b"--frame", 0, data.index(b"X-Rotation: 1")) :].decode("latin-1")
    assert "X-Screen: 2400x1080" in head
    assert "X-Source: u2" in head
    assert "X-State: ok" in head
    assert (info.width, info.height, info.rotation, info.missing) == (2400, 1080, 1, "")
