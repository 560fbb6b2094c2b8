"""Store what must not be lost: again and again, until there is room for it."""

from collections.abc import Callable
from typing import TypeVar

from core.errors import ConsoleError, DatabaseBusy, DiskFull

AGAIN_S = 1.0
PASSING = (DiskFull, DatabaseBusy)  # a person makes room, the other writer comes to its end

T = TypeVar("T")


def until_stored(
    write: Callable[[], T], leaving: Callable[[float], bool], tell: Callable[[ConsoleError], object]
) -> T:
    """Do a write until it goes through.

    Args:
        write: What to do; one that failed has changed nothing.
        leaving: Sleeps so many seconds, and says whether nobody can wait any longer.
        tell: Is told once why it does not go through yet.

    Raises:
        DiskFull, DatabaseBusy: It had not gone through when it was time to leave.
    """
    told = False
    while True:
        try:
            return write()
        except PASSING as error:
            if not told:
                tell(error)
            told = True
            if leaving(AGAIN_S):
                raise
