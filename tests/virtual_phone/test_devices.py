"""Recording from a device and probing it, with a virtual phone in the device's place."""

import json
from pathlib import Path

import pytest

from virtual_phone import touch
from virtual_phone.android import Phone
from virtual_phone.probe import FORMATS, probe
from virtual_phone.profile import Profile
from virtual_phone.rack import with_recording
from virtual_phone.record import Recorder, record
from virtual_phone.testing import PhoneHandle

SETTINGS = "com.android.settings"


def center(phone: PhoneHandle, text: str) -> tuple[int, int]:
    node = phone.ask(lambda p: p.find(lambda n: n.text == text))
    assert node is not None
    return node.bounds.center


def test_what_was_recorded_is_shown_again(phone: PhoneHandle, tmp_path: Path) -> None:
    phone.start(SETTINGS)
    x, y = center(phone, "显示")
    recorder = Recorder(phone.address, tmp_path)

    names = [recorder.do(f"tap {x} {y}"), recorder.do("back"), recorder.do("swipe up")]

    replayed = Phone(with_recording(Profile(), str(tmp_path)))
    same = replayed.camera.picture().tobytes() == replayed.camera.picture().tobytes()
    touch.tap(replayed, x, y)
    opened = replayed.state["recorded"]["ui"]["at"]
    replayed.back()
    assert names == ["screen002", "screen001", "screen003"]
    assert (replayed.foreground.package, replayed.size, same) == (SETTINGS, (1080, 2400), True)
    assert (opened, replayed.state["recorded"]["ui"]["at"]) == ("screen002", "screen001")
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".json", *[".png"] * 3, *[".xml"] * 3]


def test_a_line_that_is_not_understood_is_answered_with_what_is(
    phone: PhoneHandle, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(phone.address, tmp_path, ["dance", "", "quit", "back"])

    assert "not understood: dance; say tap X Y" in capsys.readouterr().out
    assert phone.log() == []


def test_this_phone_differs_from_itself_in_nothing(phone: PhoneHandle, tmp_path: Path) -> None:
    profile = probe(phone.address, tmp_path / "profile.json")

    wrong = {c["name"]: c["got"] for c in profile["checks"] if not c["ok"]}
    saved = json.loads((tmp_path / "profile.json").read_text())
    assert wrong == {}
    assert (profile["differs"], saved) == ([], profile)
    assert len(profile["checks"]) > len(FORMATS)
    assert all(ms is not None for ms in profile["median_ms"].values())
    assert phone.unknown() == ["nosuchcommand"]


def test_a_phone_that_fails_is_described_not_stumbled_over(
    phone: PhoneHandle, tmp_path: Path
) -> None:
    phone.fault("screencap_fail")
    phone.fault("low_storage")

    profile = probe(phone.address, tmp_path / "profile.json")

    assert "picture begins as a PNG" in profile["differs"]
    assert "a file comes back the same" in profile["differs"]
