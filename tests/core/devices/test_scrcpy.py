"""The video that scrcpy's server sends becomes frames; what cannot be used is said."""

import socket
import struct
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import simplejpeg

from core.devices import image, scrcpy_source, video
from core.devices.adb import Adb
from core.devices.base import Size
from core.devices.scrcpy_source import ScrcpyOpener, ScrcpySource
from core.devices.sources import Shot
from core.errors import PhoneFault

RED, BLUE = (200, 30, 40), (20, 60, 220)
KEY = 1 << 62


class Film:
    """Encodes single-coloured frames as a phone does: a configuration, then frames."""

    def __init__(self, width: int = 464, height: int = 1024) -> None:
        self.encoder = av.CodecContext.create("libx264", "w")
        self.encoder.width, self.encoder.height = width, height
        self.encoder.pix_fmt = "yuv420p"
        self.encoder.time_base = Fraction(1, 1000)
        self.encoder.options = {"preset": "ultrafast", "tune": "zerolatency"}
        self.at = 0

    def head(self) -> bytes:
        size = struct.pack(">2I", self.encoder.width, self.encoder.height)
        return b"\0" + b"Pixel 7".ljust(64, b"\0") + b"h264" + size

    def packets(self, color: tuple[int, int, int]) -> bytes:
        pixels = np.full((self.encoder.height, self.encoder.width, 3), color, np.uint8)
        frame = av.VideoFrame.from_ndarray(pixels, "rgb24").reformat(format="yuv420p")
        frame.pts = self.at
        self.at += 66
        return b"".join(self._packet(bytes(each)) for each in self.encoder.encode(frame))

    def _packet(self, data: bytes) -> bytes:
        start = data.find(b"\0\0\1\x65")  # the first whole picture; settings stand before it
        start = start - 1 if start > 0 and data[start - 1] == 0 else start
        parts = [(KEY, data)] if start <= 0 else [(video.CONFIG, data[:start]), (KEY, data[start:])]
        return b"".join(struct.pack(">QI", mark | self.at, len(d)) + d for mark, d in parts)


class Shell:
    """Stands where the program on the phone would."""

    closed = False

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def line() -> Iterator[tuple[socket.socket, ScrcpySource, Shell]]:
    phone, ours = socket.socketpair()
    shell: Any = Shell()
    source = ScrcpySource("s1", ours, shell)
    yield phone, source, shell
    source.close()
    phone.close()


def seen(source: ScrcpySource) -> Shot:
    shot = source.next(5)
    assert shot is not None
    return shot


def middle(shot: Shot) -> list[int]:
    pixels = simplejpeg.decode_jpeg(image.picture(shot.raw).jpeg)
    return [int(each) for each in pixels[pixels.shape[0] // 2, pixels.shape[1] // 2]]


def test_a_video_frame_keeps_its_colours_and_only_the_newest_is_kept(
    line: tuple[socket.socket, ScrcpySource, Shell],
) -> None:
    phone, source, _ = line
    film = Film()

    phone.sendall(film.packets(RED))
    first = seen(source)
    phone.sendall(film.packets(BLUE) + film.packets(RED) + film.packets(BLUE))
    second = seen(source)
    while (later := source.next(0.2)) is not None:
        second = later

    assert (first.size, first.mark != second.mark) == (Size(464, 1024), True)
    assert middle(first) == pytest.approx(RED, abs=8)
    assert middle(second) == pytest.approx(BLUE, abs=8)


def test_a_still_screen_gives_no_frame_and_no_fault(
    line: tuple[socket.socket, ScrcpySource, Shell],
) -> None:
    _, source, _ = line

    assert source.next(0.01) is None


def test_a_turned_phone_sends_a_video_of_another_size(
    line: tuple[socket.socket, ScrcpySource, Shell],
) -> None:
    phone, source, _ = line

    phone.sendall(Film(464, 1024).packets(RED))
    upright = seen(source)
    phone.sendall(Film(1024, 464).packets(RED))
    lying = seen(source)

    assert (upright.size, lying.size) == (Size(464, 1024), Size(1024, 464))


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        struct.pack(">QI", KEY, 9) + b"short",
        struct.pack(">QI", 1 << 63, 0xFFFFFFFF),
    ],
    ids=["nothing", "half a packet", "a packet of 4 GB"],
)
def test_a_video_that_breaks_off_is_a_fault(
    line: tuple[socket.socket, ScrcpySource, Shell], sent: bytes
) -> None:
    phone, source, _ = line

    phone.sendall(sent)
    phone.close()

    with pytest.raises(PhoneFault, match="video"):
        source.next(5)


def test_closing_ends_the_program_on_the_phone(
    line: tuple[socket.socket, ScrcpySource, Shell],
) -> None:
    _, source, shell = line
    threads = [each for each in threading.enumerate() if each.name == "scrcpy s1"]

    source.close()

    for each in threads:
        each.join(5)
    assert shell.closed
    assert not any(each.is_alive() for each in threads)


def test_the_server_is_looked_for_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = tmp_path / "scrcpy-server-v3.1"
    server.write_bytes(b"PK")
    link = Adb().link("s1")

    monkeypatch.setenv(scrcpy_source.PATH_VARIABLE, str(server))
    found = scrcpy_source.opener(link)
    monkeypatch.setenv(scrcpy_source.PATH_VARIABLE, str(tmp_path / "gone"))

    assert found is not None
    assert (found.server, found.version) == (server, "3.1")
    assert scrcpy_source.opener(link) is None


def test_a_server_of_another_generation_is_refused_before_it_runs(tmp_path: Path) -> None:
    opener = ScrcpyOpener(Adb().link("s1"), tmp_path / "scrcpy-server-v4.0")

    with pytest.raises(PhoneFault, match=r"4\.0; only 3\.x"):
        opener.open()
