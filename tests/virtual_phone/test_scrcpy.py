"""scrcpy's protocol 3, spoken to the phone through the real adb server, both ways round."""

import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import av
import pytest
from av.video.frame import VideoFrame

from virtual_phone.adb_server import adb_program, free_port
from virtual_phone.testing import PhoneHandle

SCID = "1234abcd"
NAME = f"localabstract:scrcpy_{SCID}"
SERVER = "CLASSPATH=/data/local/tmp/scrcpy-server.jar app_process / com.genymobile.scrcpy.Server"
CONFIG, KEY = 1 << 63, 1 << 62


class Client:
    """The host's side: a video socket, a control socket and a decoder."""

    def __init__(self, video: socket.socket, control: socket.socket) -> None:
        self.video, self.control = video, control
        self._decoder = av.CodecContext.create("h264", "r")
        self.heads: list[int] = []
        self.frames = 0
        self.newest: VideoFrame | None = None
        self._config = b""

    def exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = self.video.recv(size - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def meet(self) -> tuple[str, tuple[int, int]]:
        name = self.exactly(64).rstrip(b"\0").decode()
        codec, width, height = struct.unpack(">4sII", self.exactly(12))
        assert codec == b"h264"
        return name, (width, height)

    def frame(self) -> VideoFrame:
        while True:
            head, size = struct.unpack(">QI", self.exactly(12))
            data = self.exactly(size)
            self.heads.append(head)
            if head & CONFIG:
                self._config = data
                continue
            pieces = self._decoder.decode(av.Packet(self._config + data))
            self._config = b""
            if pieces:
                self.frames += len(pieces)
                self.newest = pieces[-1]
                return pieces[-1]

    def frame_until(self, claim: Callable[[VideoFrame], bool]) -> VideoFrame:
        for _ in range(50):
            if claim(frame := self.frame()):
                return frame
        raise AssertionError("no such frame came")

    def touch(self, at: tuple[int, int], size: tuple[int, int]) -> None:
        for action, pressure in ((0, 0xFFFF), (1, 0)):
            place = (*at, *size, pressure)
            self.control.sendall(struct.pack(">BBqiiHHHII", 2, action, -2, *place, 1, 1))


@pytest.fixture
def server(adb_port: int, phone: PhoneHandle) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    started = []

    def start(version: str, *options: str) -> subprocess.Popen[bytes]:
        line = " ".join([SERVER, version, f"scid={SCID}", "audio=false", *options])
        words = [adb_program(), "-P", str(adb_port), "-s", phone.address, "shell", line]
        started.append(subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@contextmanager
def by_reverse(adb, server, *options: str) -> Iterator[Client]:
    with socket.create_server(("127.0.0.1", 0)) as door:
        door.settimeout(10)
        adb("reverse", NAME, f"tcp:{door.getsockname()[1]}")
        server("3.3.4", *options)
        with door.accept()[0] as video, door.accept()[0] as control:
            video.settimeout(10)
            yield Client(video, control)


@contextmanager
def by_forward(adb, server, *options: str) -> Iterator[Client]:
    port = free_port()
    adb("forward", f"tcp:{port}", NAME)
    server("3.3.4", "tunnel_forward=true", *options)
    video = dial(port)
    with video, socket.create_connection(("127.0.0.1", port)) as control:
        yield Client(video, control)
    adb("forward", "--remove", f"tcp:{port}")


def dial(port: int) -> socket.socket:
    """Connect until the phone's side is there: only then a first byte comes."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        link = socket.create_connection(("127.0.0.1", port), timeout=10)
        if link.recv(1) == b"\0":
            return link
        link.close()
        time.sleep(0.05)
    raise TimeoutError


@pytest.mark.parametrize("tunnel", [by_reverse, by_forward])
def test_video_comes_and_a_tap_changes_it(tunnel, adb, server, phone: PhoneHandle) -> None:
    with tunnel(adb, server, "max_size=800") as client:
        name, size = client.meet()
        first = client.frame()
        icon = phone.ask(lambda p: p.find(lambda n: n.desc == "设置"))
        assert icon is not None
        x, y = (c * size[0] // 1080 for c in icon.bounds.center)

        client.touch((x, y), size)
        then = client.frame_until(lambda f: f.to_ndarray()[:200].std() < 60)

    assert (name, size) == ("Pixel 7", (360, 800))
    assert (first.width, first.height) == size
    assert client.heads[0] & CONFIG and client.heads[1] & KEY
    assert phone.get("system.foreground") == "com.android.settings"
    assert then.to_ndarray().shape == first.to_ndarray().shape


def test_a_touch_made_for_another_size_is_ignored(adb, server, phone: PhoneHandle) -> None:
    with by_reverse(adb, server, "max_size=800") as client:
        client.meet()
        client.frame()

        client.touch((180, 700), (800, 360))
        client.control.sendall(struct.pack(">BqBI", 9, 7, 0, 6) + "好的".encode())
        acknowledged = client.control.recv(9)

    assert acknowledged == struct.pack(">Bq", 1, 7)
    assert phone.log() == []
    assert phone.get("system.clipboard") == "好的"


def test_a_turned_phone_gets_a_new_encoder(adb, server, phone: PhoneHandle) -> None:
    with by_reverse(adb, server, "max_size=800") as client:
        client.meet()
        client.frame()

        phone.set("system.rotation", 1)
        turned = client.frame_until(lambda f: f.width > f.height)

    assert (turned.width, turned.height) == (800, 360)
    assert sum(bool(head & CONFIG) for head in client.heads) == 2


def test_keys_and_text_arrive(adb, server, phone: PhoneHandle) -> None:
    phone.start("com.example.notes")
    phone.set("system.focus", "notes.ui.query")
    with by_reverse(adb, server, "max_size=400") as client:
        client.meet()
        client.frame()

        client.control.sendall(struct.pack(">BI", 1, 6) + "购物".encode())
        client.control.sendall(struct.pack(">BBiiI", 0, 0, 29, 0, 1))
        client.control.sendall(b"\x08\x00")
        client.control.recv(5)

    assert phone.get("notes.ui.query") == "购物A"


@pytest.mark.parametrize("version", ["4.1", "1.25", "abc"])
def test_another_version_is_refused_in_the_servers_words(version: str, server) -> None:
    process = server(version)

    printed, _ = process.communicate(timeout=10)

    assert process.returncode == 1
    assert f"does not match the client ({version})".encode() in printed


def test_a_server_that_nobody_waits_for_ends(server) -> None:
    process = server("3.3.4")

    printed, _ = process.communicate(timeout=10)

    assert process.returncode == 1
    assert b"[server] ERROR" in printed
