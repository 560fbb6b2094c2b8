"""The phone's shell, line by line, without a wire."""

import asyncio

import pytest

from virtual_phone.android import Phone
from virtual_phone.commands import COMMANDS
from virtual_phone.profile import Profile
from virtual_phone.sh import Shell


def run(line: str) -> tuple[int, str]:
    out = bytearray()

    async def sink(data: bytes) -> None:
        out.extend(data)

    code = asyncio.run(Shell(Phone(Profile()), COMMANDS).run(line, sink, sink))
    return code, out.decode()


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("echo one; echo two", "one\ntwo\n"),
        ("false && echo no; true && echo yes", "yes\n"),
        ("false || echo saved", "saved\n"),
        ("false; echo X4EXIT:$?", "X4EXIT:1\n"),
        ("echo 'a  b' \"c $HOME\" d\\ e", "a  b c / d e\n"),
        ("echo '$HOME'", "$HOME\n"),
        ("A=x; echo ${A}y", "xy\n"),
        ("echo b > /sdcard/f; echo c >> /sdcard/f; cat /sdcard/f", "b\nc\n"),
        ("echo quiet > /dev/null", ""),
        ("nosuch 2>/dev/null; echo $?", "127\n"),
        ("nosuch > /sdcard/e 2>&1; grep -c found /sdcard/e", "1\n"),
        ("ls / | grep sys | wc -l", "1\n"),
        (
            "cat < /nothing; echo $?",
            "/system/bin/sh: can't create /nothing: No such file or directory\n1\n",
        ),
        ("export A=1 B=2; exec echo $A$B", "12\n"),
        ("toybox md5sum /nothing", "md5sum: /nothing: No such file or directory\n"),
        ("echo 2 things", "2 things\n"),
        ("echo 你好", "你好\n"),
        ("command -v ls", "/system/bin/ls\n"),
        ("which screenrecord; echo $?", "1\n"),
        ("date +%Y-%m-%d", "2026-03-12\n"),
    ],
)
def test_a_line_prints_what_a_shell_prints(line: str, printed: str) -> None:
    assert run(line)[1] == printed


@pytest.mark.parametrize("line", ["echo 'open", "(echo a)", "echo a >"])
def test_what_the_shell_does_not_speak_is_a_syntax_error(line: str) -> None:
    code, printed = run(line)

    assert code == 2
    assert "syntax error" in printed


def test_text_that_is_not_ascii_is_refused_by_input() -> None:
    code, printed = run("input text 你好")

    assert code == 255
    assert "NullPointerException" in printed


def test_an_activity_that_does_not_exist_is_not_started() -> None:
    code, printed = run("am start -n com.absent/.Main")

    assert code == 1
    assert "Error type 3" in printed
    assert "Activity class {com.absent/.Main} does not exist" in printed


def test_monkey_says_when_there_is_nothing_to_start() -> None:
    assert run("monkey -p com.absent -c android.intent.category.LAUNCHER 1") == (
        252,
        "** No activities found to run, monkey aborted.\n",
    )


def test_both_dialects_of_adb_keyboards_are_installed() -> None:
    listed = run("ime list -s -a")[1].split()

    assert {"com.github.uiautomator/.AdbKeyboard", "com.android.adbkeyboard/.AdbIME"} <= set(listed)
