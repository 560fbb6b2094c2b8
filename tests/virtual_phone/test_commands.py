"""Commands that other tools rely on, in the formats that they parse."""

import asyncio
import re

import pytest
import uiautomator2

from virtual_phone.android import Phone
from virtual_phone.commands import COMMANDS
from virtual_phone.profile import Profile
from virtual_phone.sh import Shell
from virtual_phone.testing import PhoneHandle
from virtual_phone.tty import Echo, End, Line, LineEditor

NOTES = "com.example.notes"


def run(*lines: str, profile: Profile | None = None) -> tuple[int, str, Phone]:
    out, phone = bytearray(), Phone(profile or Profile())

    async def sink(data: bytes) -> None:
        out.extend(data)

    async def all_of_them() -> int:
        code = 0
        for line in lines:
            code = await Shell(phone, COMMANDS).run(line, sink, sink)
        return code

    return asyncio.run(all_of_them()), out.decode(), phone


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("wm size 720x1600; wm size", "Physical size: 1080x2400\nOverride size: 720x1600\n"),
        ("wm size 720x1600; wm size reset; wm size", "Physical size: 1080x2400\n"),
        ("wm user-rotation lock 1; wm user-rotation", "lock 1\n"),
        ("wm user-rotation free; wm user-rotation", "free\n"),
        ("settings get system user_rotation", "0\n"),
        (
            "content insert --uri content://settings/system "
            "--bind name:s:user_rotation --bind value:i:1; settings get system user_rotation",
            "1\n",
        ),
        (
            "content query --uri content://settings/system --where \"name='user_rotation'\"",
            "Row: 0 _id=1, name=user_rotation, value=0\n",
        ),
        (
            "content query --uri content://settings/system --where \"name='absent'\"",
            "No result found.\n",
        ),
        ("which sh input nothing; echo $?", "/system/bin/sh\n/system/bin/input\n1\n"),
        ("cmd uimode night yes", "Night mode: yes\n"),
        ("cmd clipboard set a b; cmd clipboard get", "a b\n"),
        ("cmd nothing; echo $?", "cmd: Can't find service: nothing\n20\n"),
        ("echo a1b22 | grep -oE '[0-9]+'", "1\n22\n"),
        ("echo 'f(x)' | grep 'f(x)'", "f(x)\n"),
        ("echo 'f(x)' | grep -E 'f\\(y|x\\)'", "f(x)\n"),
        ("echo ABC | grep -qiE '^a.c$'; echo $?", "0\n"),
        ("pm list packages notes", f"package:{NOTES}\n"),
        ("dumpsys deviceidle whitelist +com.example.notes", f"Added: {NOTES}\n"),
    ],
)
def test_a_command_prints_what_a_phone_prints(line: str, printed: str) -> None:
    shown = run(line)[1]

    assert shown == printed


def test_an_overridden_size_is_the_size_of_everything() -> None:
    _, shown, phone = run("wm size 720x1600; dumpsys display")

    assert phone.camera.picture().size == phone.size == (720, 1600)
    assert "deviceWidth=720, deviceHeight=1600" in shown


def test_the_displays_are_listed_as_mobile_mcp_reads_them() -> None:
    shown = run("cmd display get-displays")[1]

    (line,) = [x for x in shown.splitlines() if x.startswith("Display id ") and "state ON," in x]
    assert re.search(r'uniqueId "(local:[^"]+)"', line)


def test_keys_have_options_and_together_make_combinations() -> None:
    _, _, phone = run(
        "input keyevent --longpress KEYCODE_VOLUME_UP; input keyevent --delay 5 24 24"
    )

    assert [touch["code"] for touch in phone.touches] == [24, 24, 24]


def test_a_finger_goes_down_moves_and_is_lifted() -> None:
    _, _, phone = run(
        "input touchscreen motionevent DOWN 540 2000; input motionevent MOVE 540 1500",
        "input motionevent UP 540 800",
    )

    assert [(t["kind"], t["to"]) for t in phone.touches] == [("swipe", [540.0, 800.0])]


def test_the_shade_is_opened_by_name_and_by_uiautomator2(
    adb, u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    adb("shell", "cmd statusbar expand-notifications")
    by_shell = phone.get("system.shade")
    adb("shell", "cmd statusbar collapse")
    closed = phone.get("system.shade")

    u2.open_quick_settings()

    assert (by_shell, closed, phone.get("system.shade")) == ("notifications", "", "quick")


def test_a_toast_is_painted_read_and_forgotten(
    adb, u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    before = phone.ask(lambda p: p.camera.picture().tobytes())
    adb("shell", "vphone toast 已保存")

    assert phone.ask(lambda p: p.camera.picture().tobytes()) != before
    assert "已保存" not in u2.dump_hierarchy()
    assert u2.last_toast == "已保存"
    u2.clear_toast()
    assert u2.last_toast is None


def test_the_second_dialect_of_keyboards_types_chinese(adb, phone: PhoneHandle) -> None:
    phone.start(NOTES)
    phone.set("system.focus", "notes.ui.query")

    adb("shell", "ime set com.android.adbkeyboard/.AdbIME")
    typed = adb("shell", "am broadcast -a ADB_INPUT_B64 --es msg 6LSt54mp")
    text = phone.get("notes.ui.query")
    adb("shell", "am broadcast -a ADB_CLEAR_TEXT")

    assert b"result=-1" in typed.stdout
    assert (text, phone.get("notes.ui.query")) == ("购物", "")


def test_a_helper_app_copies_for_tools_only_when_it_is_installed() -> None:
    copy = "am broadcast -a devicekit.clipboard.set -e encoding base64 -e text 5L2g"
    install = "vphone set system.helpers '[\"com.mobilenext.devicekit\"]'"

    without, with_it = run(copy)[2], run(install, copy)[2]

    assert without.state["system"]["clipboard"] == ""
    assert with_it.state["system"]["clipboard"] == "你"


def test_a_permission_is_granted_and_shown() -> None:
    shown = run(f"pm grant {NOTES} android.permission.CAMERA; dumpsys package {NOTES}")[1]

    assert "android.permission.CAMERA: granted=true" in shown


def test_a_modern_phone_keeps_its_focus_out_of_the_window_list() -> None:
    lines = ("dumpsys window windows", "dumpsys window")

    lists = [run(line, profile=Profile(modern=True))[1] for line in lines]

    assert ["mCurrentFocus" in text for text in lists] == [False, True]


def test_a_process_is_killed_by_its_number() -> None:
    pid = run(f"am start -n {NOTES}/.Main", f"pidof {NOTES}")[1].split()[-1]

    code, _, phone = run(f"am start -n {NOTES}/.Main", f"kill -9 {pid}")

    assert code == 0
    assert phone.state["system"]["foreground"] != NOTES


def test_a_phone_that_was_restarted_shows_its_launcher_and_keeps_what_it_stored(
    adb, phone: PhoneHandle, adb_server
) -> None:
    phone.start(NOTES)
    adb("shell", "svc wifi disable; reboot")
    adb_server.disconnect(phone.address)
    adb_server.connect(phone.address)

    assert phone.get("system.foreground") == "com.example.launcher"
    assert phone.get("settings.wifi") is False


def keys(editor: LineEditor, typed: str) -> tuple[str, list[str], bool]:
    """Press keys one byte at a time; returns what was shown, the lines, and whether it ended."""
    events = [event for byte in typed.encode() for event in editor.feed(bytes([byte]))]
    shown = "".join(e.text for e in events if isinstance(e, Echo))
    return shown, [e.text for e in events if isinstance(e, Line)], End() in events


@pytest.mark.parametrize(
    ("typed", "lines"),
    [
        ("ls\r", ["ls"]),
        ("lx\x7fs\r", ["ls"]),
        ("s\x1b[Dl\r", ["ls"]),
        ("s\x01l\x05 /\r", ["ls /"]),
        ("ls /data\x17/\r", ["ls /"]),
        ("nonsense\x15ls\r", ["ls"]),
        ("ls xx\x1b[D\x1b[D\x1b[D\x0b\r", ["ls"]),
        ("xls\x1b[H\x1b[3~\r", ["ls"]),
        ("wrong\x03ls\r", ["ls"]),
        ("ls\rpwd\r\x1b[A\x1b[A\r", ["ls", "pwd", "ls"]),
        ("ls\r\x1b[A\x1b[B\x10\r", ["ls", "ls"]),
        ("echo 你好吗\x7f\r", ["echo 你好"]),
    ],
)
def test_a_line_is_edited_by_the_keys_of_a_terminal(typed: str, lines: list[str]) -> None:
    assert keys(LineEditor(), typed)[1] == lines


def test_keys_at_the_end_of_a_line_are_echoed_as_they_are_and_control_d_ends() -> None:
    shown, _, ended = keys(LineEditor(), "ls\r\x04")

    assert shown == "ls\n"
    assert ended


def test_wide_characters_move_the_cursor_by_two_columns() -> None:
    shown, _, _ = keys(LineEditor(), "你\x1b[D")

    assert shown.endswith("你\x1b[K\x1b[2D")


def test_an_object_is_dragged_onto_a_point(u2: uiautomator2.Device, phone: PhoneHandle) -> None:
    u2(text="备忘录").drag_to(540, 300, duration=0.01)

    (touch,) = phone.log()
    assert (touch["kind"], touch["to"]) == ("swipe", [540, 300])


def test_a_row_of_a_list_is_found_by_the_words_in_it(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    phone.start("com.android.settings")
    listed, layout = u2(scrollable=True), "android.widget.LinearLayout"

    row = listed.child_by_text(
        "关于手机",
        allow_scroll_search=True,
        className=layout,
        clickable=True,
    )
    row.click()

    assert phone.get("settings.ui.stack")[-1] == "about"
    with pytest.raises(uiautomator2.exceptions.UiObjectNotFoundError):
        listed.child_by_text("没有", className=layout)
