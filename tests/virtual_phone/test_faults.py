"""What goes wrong on a phone goes wrong on this one, seen through the real clients."""

import subprocess
import time
from collections.abc import Callable, Iterator
from http.client import RemoteDisconnected
from pathlib import Path

import adbutils
import pytest
import uiautomator2

from virtual_phone.adb_server import AdbServer
from virtual_phone.faults import FAULTS
from virtual_phone.testing import PhoneHandle

NOTES = "com.example.notes"


@pytest.fixture
def phone(phone: PhoneHandle, adb_server: AdbServer) -> Iterator[PhoneHandle]:
    """Give the phone back with a link that works."""
    yield phone
    phone.reset()
    meet(adb_server, phone)
    adb_server.connect(phone.address)


def meet(server: AdbServer, phone: PhoneHandle) -> None:
    """Let adb meet the phone anew, without waiting until it is usable."""
    server.ask(f"host:disconnect:{phone.address}")
    server.ask(f"host:connect:{phone.address}")


def state_becomes(server: AdbServer, phone: PhoneHandle, wanted: str) -> bool:
    return until(lambda: f"{phone.address}\t{wanted}" in server.ask("host:devices").splitlines())


def until(claim: Callable[[], bool], limit_s: float = 10.0) -> bool:
    deadline = time.monotonic() + limit_s
    while not claim():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def dump(adb, *options: str) -> subprocess.CompletedProcess[bytes]:
    return adb("shell", "uiautomator", "dump", *options, "/dev/tty")


@pytest.mark.parametrize("name", ["unauthorized", "offline"])
def test_adb_says_why_a_phone_cannot_be_used_and_takes_it_once_it_can(
    name: str, phone: PhoneHandle, adb_server: AdbServer
) -> None:
    phone.fault(name)
    adb_server.ask(f"host:disconnect:{phone.address}")
    with_fault = subprocess.Popen(  # connecting waits for the answer that never comes
        [adbutils.adb_path(), "-P", str(adb_server.port), "connect", phone.address],
        stdout=subprocess.DEVNULL,
    )
    seen = state_becomes(adb_server, phone, name)

    phone.fault(name, False)

    assert seen
    assert state_becomes(adb_server, phone, "device")
    with_fault.wait(15)


def test_a_key_is_accepted_after_a_while(phone: PhoneHandle, adb_server: AdbServer) -> None:
    phone.fault("authorise_after", value=0.3)

    meet(adb_server, phone)

    assert state_becomes(adb_server, phone, "device")


def test_a_dropped_link_is_refused_for_as_long_as_said(
    phone: PhoneHandle, adb_server: AdbServer
) -> None:
    phone.fault("refuse_reconnect", value=0.3)
    away = until(lambda: not phone.linked)

    back = until(lambda: not phone.ask(lambda p: p.faults.on("refuse_reconnect")))
    adb_server.connect(phone.address)

    assert (away, back) == (True, True)


def test_a_command_that_was_cut_off_was_still_done(adb, phone: PhoneHandle) -> None:
    phone.fault("drop_mid_command")

    result = adb("shell", "svc wifi disable")

    assert result.returncode != 0
    assert phone.get("settings.wifi") is False


def test_a_push_that_was_cut_off_leaves_no_file(adb, phone: PhoneHandle, tmp_path: Path) -> None:
    (tmp_path / "film").write_bytes(bytes(400_000))
    phone.fault("drop_mid_push")

    result = adb("push", str(tmp_path / "film"), "/sdcard/film")

    assert result.returncode != 0
    assert phone.ask(lambda p: p.files.get("/sdcard/film")) is None


def test_a_half_open_link_answers_nothing_until_it_thaws(adb_port: int, phone: PhoneHandle) -> None:
    line = [adbutils.adb_path(), "-P", str(adb_port), "-s", phone.address, "shell", "echo here"]
    phone.fault("half_open")

    with subprocess.Popen(line, stdout=subprocess.PIPE) as asked:
        with pytest.raises(subprocess.TimeoutExpired):
            asked.wait(0.3)
        phone.fault("half_open", False)
        heard = asked.communicate(timeout=10)[0]

    assert heard == b"here\n"


def test_a_full_phone_says_so(adb, phone: PhoneHandle, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"data")
    phone.fault("low_storage")

    pushed = adb("push", str(tmp_path / "file"), "/sdcard/file")
    written = adb("shell", "echo a > /sdcard/file")

    assert pushed.returncode == 1
    assert b"No space left on device" in pushed.stdout + pushed.stderr
    assert b"No space left on device" in written.stderr


def test_a_screen_that_never_rests_is_dumped_compressed_only(adb, phone: PhoneHandle) -> None:
    phone.fault("no_idle")

    failed, compressed = dump(adb), dump(adb, "--compressed")

    assert (failed.returncode, failed.stdout) == (0, b"")
    assert b"ERROR: could not get idle state." in failed.stderr
    assert b"<hierarchy" in compressed.stdout


def test_uiautomator2_may_be_told_not_to_wait_for_rest(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    phone.fault("no_idle")

    set_to = u2.jsonrpc.setConfigurator({"waitForIdleTimeout": 0})

    assert set_to["waitForIdleTimeout"] == 0
    assert u2.jsonrpc.getConfigurator() == set_to
    assert "备忘录" in u2.dump_hierarchy()


def test_the_first_dumps_have_no_root_and_the_next_has_one(adb, phone: PhoneHandle) -> None:
    phone.fault("null_root", value=2)

    tries = [dump(adb) for _ in range(3)]

    assert [b"null root node" in t.stderr for t in tries] == [True, True, False]


def test_a_dump_is_killed_while_uiautomator2_holds_the_automation(
    adb, u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    assert u2.info["screenOn"]
    phone.fault("exclusive_uia")
    line = "CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9101"

    killed, second = dump(adb), adb("shell", line)

    assert killed.returncode == 137
    assert b"already registered!" in second.stdout


def test_uiautomator2_restarts_a_server_that_lost_its_automation(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    assert u2.info["screenOn"]
    phone.fault("u2_disconnected")

    after = u2.info

    assert after["screenOn"]
    assert not phone.ask(lambda p: p.faults.on("u2_disconnected"))


def test_a_call_in_which_the_server_dies_has_no_answer_and_the_next_one_has(
    u2: uiautomator2.Device, phone: PhoneHandle
) -> None:
    assert u2.info["screenOn"]
    phone.fault("u2_dies")

    with pytest.raises(RemoteDisconnected):
        _ = u2.info

    assert u2.info["screenOn"]


def test_a_strange_program_on_the_port_is_no_server(phone: PhoneHandle) -> None:
    device = adbutils.adb.device(phone.address)
    phone.fault("port_busy")

    with device.create_connection("tcp", 9008) as stream:
        stream.sendall(b"GET /ping HTTP/1.1\r\n\r\n")
        answer = stream.recv(1000)
    started = device.shell(
        "touch /data/local/tmp/u2.jar; "
        "CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008"
    )

    assert answer.startswith(b"HTTP/1.1 404")
    assert "Address already in use" in started


def test_another_jar_is_pushed_again(u2: uiautomator2.Device, phone: PhoneHandle) -> None:
    phone.fault("stale_jar")
    stale = phone.ask(lambda p: p.files.read("/data/local/tmp/u2.jar"))
    u2.stop_uiautomator()

    assert u2.info["screenOn"]
    assert phone.ask(lambda p: p.files.read("/data/local/tmp/u2.jar")) != stale


@pytest.mark.parametrize(
    ("name", "shell", "rpc"),
    [
        ("secure_status", b"Status: -1", True),
        ("secure_empty", b"", True),
        ("secure_null", b"\x89PNG", True),
        ("secure", b"\x89PNG", False),
    ],
)
def test_a_protected_screen_is_refused_in_each_of_the_known_ways(
    name: str, shell: bytes, rpc: bool, u2: uiautomator2.Device, adb, phone: PhoneHandle
) -> None:
    phone.fault(name)

    result = adb("shell", "screencap -p")

    printed = result.stdout + result.stderr
    assert shell in printed if shell else printed == b""
    assert (u2.jsonrpc.takeScreenshot(1, 80) is None) is rpc
    assert "备忘录" in u2.dump_hierarchy()


def test_a_stale_tree_shows_what_was_there_before(adb, phone: PhoneHandle) -> None:
    phone.fault("stale_tree", value=300)
    phone.start(NOTES)

    at_once = dump(adb).stdout.decode()

    assert "购物清单" not in at_once
    assert until(lambda: "购物清单" in dump(adb).stdout.decode(), 5)


def test_lost_taps_are_lost_by_the_seed(adb, phone: PhoneHandle) -> None:
    lost = []
    for _ in range(2):
        phone.reset()
        phone.fault("tap_swallowed", value=0.5)
        adb("shell", "; ".join(["input tap 5 1200"] * 12))
        lost.append([touch["kind"] for touch in phone.log()])

    assert lost[0] == lost[1]
    assert set(lost[0]) == {"swallowed", "tap"}


def test_a_tap_that_bounces_turns_a_switch_twice(phone: PhoneHandle, adb) -> None:
    phone.fault("double_tap")

    adb("shell", "input tap 5 1200")

    assert [touch["kind"] for touch in phone.log()] == ["tap", "tap"]


def test_a_slow_app_shows_its_splash_first(adb, phone: PhoneHandle) -> None:
    phone.fault("slow_launch", value=0.4)
    phone.start(NOTES)

    at_once = dump(adb).stdout.decode()

    assert NOTES in at_once and "购物清单" not in at_once
    assert until(lambda: "购物清单" in dump(adb).stdout.decode(), 5)


def test_aeroplane_mode_takes_the_network_away(adb, phone: PhoneHandle) -> None:
    phone.fault("airplane")

    assert adb("shell", "ip route").stdout == b""
    assert phone.get("settings.airplane") is True


def test_every_fault_is_listed_with_words_and_can_be_thrown(adb, phone: PhoneHandle) -> None:
    listed = adb("shell", "vphone fault").stdout.decode()

    for name, row in FAULTS.items():
        assert f'"{name}"' in listed and row.what in listed
    assert adb("shell", "vphone fault slow_dump on 0.5; vphone fault slow_dump off").returncode == 0
    assert b"unknown fault" in adb("shell", "vphone fault nothing on").stderr
