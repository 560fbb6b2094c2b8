"""Sentences that mean something by themselves, so that no saved action may go by them.

An action runs before a command of the same words, with a model and without: one that is called
"go home" or "ok", in a file of somebody else's, would run whenever anybody says so.
"""

import re

from core.errors import Invalid
from core.memory.actions import NewAction
from core.screen.selectors import squeeze
from mcp_agent.offline.intents import Intent, Look, Open, Press, Read, Scroll, Tap
from mcp_agent.offline.labels import names_app
from mcp_agent.offline.understand import understand

#: What people answer a question with, and verbs alone.
ANSWERS = re.compile(
    r"好[的吧]?|是的?|对|行|可以|确定|确认|同意|继续|下一步|不[是行要]?|取消|停止?|打开|关闭|点击?"
    r"|ok(?:ay)?|yes|yep|y|sure|no?|go|continue|confirm|next|cancel|stop|open|close|tap|click"
)


def is_command(sentence: str) -> bool:
    """Say whether a sentence means the same on every rack, whatever is saved there."""
    if ANSWERS.fullmatch(squeeze(sentence)):
        return True
    return all(map(_is_fixed, understand(sentence)))


def refuse(wanted: NewAction, place: str = "") -> None:
    """Refuse an action that goes by a command.

    Raises:
        Invalid: It does; ``path`` names the name or alias, behind ``place``.
    """
    names = {"name": wanted.name, **{f"aliases.{n}": a for n, a in enumerate(wanted.aliases)}}
    for path, name in names.items():
        if is_command(name):
            detail = f"{path}: {name} is a command already. Give the action a name of its own."
            raise Invalid(path=f"{place}{path}", detail=detail)


def _is_fixed(intent: Intent) -> bool:
    match intent:
        case Press() | Scroll() | Look() | Read():
            return True
        case Open(target):
            return names_app(target.text)
        case Tap(target):
            return ANSWERS.fullmatch(squeeze(target.text)) is not None
        case _:
            return False
