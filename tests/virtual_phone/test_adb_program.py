"""The real adb program drives the phone."""

import io
import json
import os
from pathlib import Path

from PIL import Image

from virtual_phone.testing import PhoneHandle, VirtualRack


def test_the_exit_code_of_the_phone_is_the_exit_code_of_adb(adb) -> None:
    codes = [
        adb("shell", line).returncode for line in ("true", "exit 7", "false || sh -c 'exit 4'")
    ]

    assert codes == [0, 7, 4]


def test_standard_output_and_standard_error_come_apart(adb) -> None:
    result = adb("shell", "echo good; nosuchthing one")

    assert result.stdout == b"good\n"
    assert b"nosuchthing: inaccessible or not found" in result.stderr
    assert result.returncode == 127


def test_an_unknown_command_is_remembered(adb, phone: PhoneHandle) -> None:
    adb("shell", "settle --all")

    assert phone.unknown() == ["settle --all"]


def test_a_pushed_file_comes_back_the_same(adb, tmp_path: Path) -> None:
    sent, got = tmp_path / "sent", tmp_path / "got"
    sent.write_bytes(os.urandom(1_500_000))

    pushed = adb("push", str(sent), "/sdcard/Download/")
    pulled = adb("pull", "/sdcard/Download/sent", str(got))

    assert (pushed.returncode, pulled.returncode) == (0, 0)
    assert got.read_bytes() == sent.read_bytes()


def test_a_folder_is_pushed_with_what_is_in_it(adb, tmp_path: Path) -> None:
    (tmp_path / "album").mkdir()
    (tmp_path / "album" / "一.txt").write_text("你好")

    pushed = adb("push", str(tmp_path / "album"), "/sdcard/Pictures")

    assert pushed.returncode == 0
    assert adb("shell", "cat /sdcard/Pictures/album/一.txt").stdout.decode() == "你好"


def test_pulling_what_is_not_there_fails(adb, tmp_path: Path) -> None:
    result = adb("pull", "/sdcard/absent", str(tmp_path))

    assert result.returncode == 1
    assert b"No such file or directory" in result.stderr + result.stdout


def test_a_screenshot_is_a_png_of_the_whole_screen(adb) -> None:
    data = adb("exec-out", "screencap", "-p").stdout

    assert Image.open(io.BytesIO(data)).size == (1080, 2400)


def test_the_raw_screenshot_is_the_same_picture(adb) -> None:
    png = Image.open(io.BytesIO(adb("exec-out", "screencap -p").stdout))

    raw = adb("exec-out", "screencap").stdout

    assert int.from_bytes(raw[:4], "little") == 1080
    assert Image.frombytes("RGBA", png.size, raw[16:]).convert("RGB").tobytes() == png.tobytes()


def test_a_session_without_a_command_reads_lines_from_its_input(adb) -> None:
    result = adb("shell", stdin=b"A=3\necho $A\nexit\necho never\n")

    assert result.stdout == b"3\n"


def test_the_state_can_be_read_and_set_over_adb(adb) -> None:
    adb("shell", 'vphone set settings.toggles \'[{"label": "夜航", "on": true}]\'')

    state = json.loads(adb("shell", "vphone state").stdout)

    assert state["settings"]["toggles"] == [{"label": "夜航", "on": True}]
    assert state["system"]["foreground"] == "com.example.launcher"
    assert set(state) >= {"settings", "notes", "system"}


def test_a_snapshot_brings_everything_back(adb, phone: PhoneHandle) -> None:
    adb("shell", "vphone snapshot before")
    before = phone.state()

    adb("shell", "svc wifi disable; am start -n com.example.notes/.MainActivity; input tap 500 500")
    between = phone.state()
    adb("shell", "vphone restore before")

    assert between["settings"]["wifi"] is False
    assert phone.state() == before


def test_a_wrong_vphone_call_says_why(adb) -> None:
    results = [adb("shell", f"vphone {words}") for words in ("restore never", "set a.b 1", "dance")]

    assert [r.returncode for r in results] == [1, 1, 2]
    assert b"usage: vphone" in results[2].stderr


def test_the_shell_and_the_settings_app_change_the_same_value(adb, phone: PhoneHandle) -> None:
    adb("shell", "svc wifi disable && settings put system screen_brightness 200")

    assert phone.get("settings.wifi") is False
    assert phone.get("settings.brightness") == 200
    assert adb("shell", "settings get global wifi_on").stdout == b"0\n"


def test_installing_is_refused_in_words(adb, tmp_path: Path) -> None:
    package = tmp_path / "app.apk"
    package.write_bytes(os.urandom(200_000))

    result = adb("install", str(package))

    assert result.returncode == 1
    assert b"INSTALL_FAILED" in result.stdout + result.stderr


def test_reverse_tunnels_are_listed_and_removed(adb) -> None:
    adb("reverse", "tcp:7001", "tcp:8001")
    listed = adb("reverse", "--list").stdout

    adb("reverse", "--remove-all")

    assert b"tcp:7001 tcp:8001" in listed
    assert adb("reverse", "--list").stdout.strip() == b""


def test_a_dropped_link_comes_back_by_connecting_again(adb, phone: PhoneHandle, adb_server) -> None:
    phone.fault("offline_link")
    while_off = adb("shell", "echo here")
    phone.fault("offline_link", False)

    adb_server.disconnect(phone.address)
    adb_server.connect(phone.address)

    assert while_off.returncode != 0
    assert adb("shell", "echo here").stdout == b"here\n"


def test_two_phones_have_their_own_serial_numbers_and_states(adb_server) -> None:
    with VirtualRack(phones=2) as rack:
        one, two = rack.phones
        for phone in rack.phones:
            adb_server.connect(phone.address)

        one.set("settings.airplane", True)

        assert two.get("settings.airplane") is False
        assert one.serialno != two.serialno
        for phone in rack.phones:
            adb_server.disconnect(phone.address)


def test_a_value_that_no_app_can_draw_is_refused(adb, phone: PhoneHandle) -> None:
    before = phone.state()

    result = adb("shell", "vphone set notes.items '[{\"id\": 1}]'")

    assert result.returncode == 1
    assert b"no screen can be drawn" in result.stderr
    assert phone.state() == before


def test_selected_text_is_replaced_by_what_is_typed(adb, phone: PhoneHandle) -> None:
    phone.start("com.example.notes")
    phone.set("system.focus", "notes.ui.query")

    adb("shell", "input text old; input keycombination CTRL_LEFT A; input text new")

    assert phone.get("notes.ui.query") == "new"


def test_an_intent_opens_its_page_of_settings(adb, phone: PhoneHandle) -> None:
    adb("shell", "am start -a android.settings.WIFI_SETTINGS")

    focus = adb("shell", "dumpsys window | grep mCurrentFocus").stdout.decode()

    assert "com.android.settings/com.android.settings.SubSettings" in focus
    assert phone.get("settings.ui.stack") == ["main", "network"]
