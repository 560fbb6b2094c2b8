"""What the parent process checks before it starts anything."""

import os
import socket
import threading
from pathlib import Path

import pytest

from core.launch.adb_server import ready_serials
from core.launch.children import shorten
from core.launch.lock import RunLock
from core.launch.ports import require_free


def answer_once(reply: bytes) -> tuple[int, threading.Thread]:
    """Serve one connection with a fixed reply; returns the port and the thread to join."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, listener.accept()[0] as client:
            client.recv(64)
            client.sendall(reply)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return listener.getsockname()[1], thread


def test_a_taken_port_is_refused_with_the_variable_to_change() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(SystemExit, match=f"port {port} is taken.*set PHONEDECK_PORT"):
            require_free("127.0.0.1", port, "PHONEDECK_PORT", patience_s=0)


def test_a_port_whose_holder_is_leaving_is_waited_for() -> None:
    taken = socket.create_server(("127.0.0.1", 0))
    port = taken.getsockname()[1]
    leaving = threading.Timer(0.2, taken.close)
    leaving.start()

    require_free("127.0.0.1", port, "PHONEDECK_PORT", patience_s=20)

    leaving.join(5)


def test_only_phones_that_answer_are_counted() -> None:
    rows = b"a\tdevice\nb\toffline\nc:5555\tdevice\nd\tunauthorized\n"
    port, server = answer_once(b"OKAY" + f"{len(rows):04x}".encode() + rows)

    found = ready_serials(port)

    server.join(5)
    assert found == ["a", "c:5555"]


def test_something_else_on_adbs_port_is_not_taken_for_an_adb_server() -> None:
    port, server = answer_once(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with pytest.raises(ConnectionError, match="is not an adb server"):
        ready_serials(port)

    server.join(5)


def test_a_second_start_on_the_same_folder_names_the_first(tmp_path: Path) -> None:
    first, second = RunLock(tmp_path), RunLock(tmp_path)

    with first, pytest.raises(SystemExit, match=rf"running on .* \(process {os.getpid()}\)"):
        second.__enter__()


def test_a_start_knows_whether_the_last_one_ended_in_order(tmp_path: Path) -> None:
    with RunLock(tmp_path) as lock:
        in_order = lock.after_crash
    (tmp_path / "run.lock").write_text("12345\n")
    with RunLock(tmp_path) as lock:
        after_kill = lock.after_crash

    assert (in_order, after_kill) == (False, True)


def test_a_long_output_is_moved_while_its_writer_goes_on(tmp_path: Path) -> None:
    output = tmp_path / "web.out"
    with output.open("ab", buffering=0) as writer:
        writer.write(b"old\n" * 10)

        shorten(output, most_bytes=20)
        writer.write(b"new\n")

    assert output.read_bytes() == b"new\n"
    assert (tmp_path / "web.out.1").read_bytes() == b"old\n" * 10
