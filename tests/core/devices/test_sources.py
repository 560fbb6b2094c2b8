"""The better source is used while it works; when it fails, pictures go on and say so."""

import threading
from collections.abc import Callable

import pytest

from core.devices.base import Size
from core.devices.sources import COOL_DOWN_S, Shot, Source, Sources
from core.errors import CaptureFailed, PhoneFault
from tests.stack import wait_for


class Reel:
    """A source that gives one frame again and again, until it is broken."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.broken = False
        self.closed = 0

    def next(self, wait_s: float) -> Shot:
        if self.broken:
            raise PhoneFault(serial="s1", detail="It broke.")
        return Shot(self.name.encode(), Size(540, 1200), 1)

    def close(self) -> None:
        self.closed += 1


class Opening:
    """Opens reels, or fails as often as it is told; it waits while it is held."""

    name = "film"

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.tries = 0
        self.reels: list[Reel] = []
        self.free = threading.Event()
        self.free.set()

    def open(self) -> Source:
        assert self.free.wait(5)
        self.tries += 1
        if self.tries <= self.failures:
            raise PhoneFault(serial="s1", detail="It does not start.")
        self.reels.append(Reel("film"))
        return self.reels[-1]


class Hands:
    """A clock that is turned by hand."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def taken(sources: Sources) -> str:
    shot = sources.next(0.01)
    assert shot is not None
    assert isinstance(shot.raw, bytes)
    return shot.raw.decode()


def waits_for(sources: Sources, name: str) -> None:
    def there() -> bool:
        return taken(sources) == name

    wait_for(there, name, 5)


@pytest.fixture
def clock() -> Hands:
    return Hands()


def both(opening: Opening, clock: Callable[[], float]) -> Sources:
    return Sources(Reel("pictures"), opening, clock)


def test_pictures_are_shown_until_the_film_has_come(clock: Hands) -> None:
    opening = Opening()
    opening.free.clear()
    sources = both(opening, clock)

    first = taken(sources)
    opening.free.set()
    waits_for(sources, "film")

    assert first == "pictures"
    assert (sources.name, sources.missing) == ("film", "")


def test_a_film_that_breaks_off_is_replaced_at_once_and_named_as_missing(clock: Hands) -> None:
    opening = Opening()
    sources = both(opening, clock)
    waits_for(sources, "film")

    opening.reels[0].broken = True
    after = taken(sources)

    assert after == "pictures"
    assert (sources.name, sources.missing) == ("pictures", "film")
    assert opening.reels[0].closed == 1


def test_a_failed_film_is_left_alone_until_the_cool_down_is_over(clock: Hands) -> None:
    opening = Opening(failures=1)
    sources = both(opening, clock)
    taken(sources)
    wait_for(lambda: sources.missing == "film", "the failure", 5)

    clock.now += COOL_DOWN_S - 1
    taken(sources)
    tries = opening.tries
    clock.now += 1
    waits_for(sources, "film")

    assert (tries, opening.tries) == (1, 2)
    assert sources.missing == ""


def test_a_film_that_starts_when_everybody_has_left_is_ended(clock: Hands) -> None:
    opening = Opening()
    opening.free.clear()
    sources = both(opening, clock)
    taken(sources)

    sources.close()
    opening.free.set()

    wait_for(lambda: opening.reels and opening.reels[0].closed == 1, "the end of the film", 5)
    assert sources.name == "pictures"


def test_closing_ends_the_film_and_the_next_viewer_starts_another(clock: Hands) -> None:
    opening = Opening()
    sources = both(opening, clock)
    waits_for(sources, "film")

    sources.close()
    waits_for(sources, "film")

    assert [reel.closed for reel in opening.reels] == [1, 0]


def test_a_frame_that_is_no_picture_is_refused() -> None:
    with pytest.raises(CaptureFailed, match="no picture"):
        Shot.of(b"Status: -1")
