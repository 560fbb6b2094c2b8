"""What a step looks for on a screen and does not find, or finds otherwise."""

from core.errors.base import Conflict, Invalid


class ElementGone(Invalid):
    """No such element on the screen now; details: ``wanted``, ``nearest``."""

    code = "element_gone"


class NotOnPage(ElementGone):
    """Scrolling did not find it; details: ``wanted``, ``swipes``, ``detail``, ``nearest``."""

    code = "not_on_page"


class Ambiguous(Invalid):
    """Several elements carry the text; details: ``wanted``, ``candidates``."""

    code = "ambiguous"


class NotInTime(Invalid):
    """What was waited for did not come; details: ``wanted``, ``until``, ``timeout_s``."""

    code = "not_in_time"


class Untouchable(Invalid):
    """The element is there and cannot be touched now; details: ``detail``."""

    code = "untouchable"


class NotAsClaimed(Invalid):
    """A step claims something of the screen that is not so; details: ``wanted``, ``seen``."""

    code = "not_as_claimed"


class NoSuchApp(Invalid):
    """No app of that label or package; details: ``app``, ``known``."""

    code = "no_app"


class ScreenTurned(Conflict):
    """A touch was meant for the screen as it was turned before; details: ``serial``."""

    code = "screen_turned"
