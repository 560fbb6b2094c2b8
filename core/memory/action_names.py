"""The names of actions: one space with their aliases, compared without case and spaces."""

import difflib
from collections.abc import Sequence

from sqlalchemy import Text, column, delete, select, values
from sqlalchemy.orm import Session

from core.db import Database
from core.errors import Invalid, NameTaken
from core.models import Action as Row
from core.models import ActionName
from core.screen.selectors import squeeze

NEAREST = 8
KEYS_AT_ONCE = 500
NAME_CHARS = 100
BEGINNING = 16  # signs by whose like a longer name is found
LOOKED_AT = 400  # signs of a text in which longer names are looked for
AFTER_ALL = "\U0010ffff"


def keys_of(name: str, aliases: Sequence[str]) -> dict[str, str]:
    """Give the name and the aliases by what they are compared as; doubles fall together.

    Raises:
        Invalid: One is empty or too long; ``path`` names it.
    """
    keys: dict[str, str] = {}
    for path, text in (
        ("name", name),
        *((f"aliases.{at}", alias) for at, alias in enumerate(aliases)),
    ):
        key = squeeze(text)
        if not key or len(text) > NAME_CHARS:
            detail = f"{path} is no name of 1 to {NAME_CHARS} characters that can be seen."
            raise Invalid(path=path, detail=detail)
        keys.setdefault(key, text.strip())
    return keys


def take(session: Session, row: Row, keys: dict[str, str]) -> None:
    """Give an action these names and no other.

    Raises:
        NameTaken: Another action has one of them.
    """
    taken = session.scalar(
        select(ActionName.key).where(ActionName.key.in_(keys), ActionName.action_id != row.id)
    )
    if taken is not None:
        raise NameTaken(name=keys[taken])
    session.execute(delete(ActionName).where(ActionName.action_id == row.id))
    session.add_all(ActionName(key=key, action_id=row.id) for key in keys)
    session.flush()


def find(session: Session, name: str) -> Row | None:
    """Return the row of a name or alias, if there is one."""
    return session.scalar(
        select(Row)
        .join(ActionName, ActionName.action_id == Row.id)
        .where(ActionName.key == squeeze(name))
    )


def known(db: Database, keys: Sequence[str]) -> set[str]:
    """Say which of these, given as `keys_of` does, actions have already."""
    with db.read() as session:
        return {
            key
            for at in range(0, len(keys), KEYS_AT_ONCE)
            for key in session.scalars(
                select(ActionName.key).where(ActionName.key.in_(keys[at : at + KEYS_AT_ONCE]))
            )
        }


def long_ones_within(db: Database, text: str) -> list[str]:
    """Return the names of more than `BEGINNING` signs that a text holds, the longest first.

    However many there are, only those are read that begin like some place of the text.
    """
    said = squeeze(text)[:LOOKED_AT]
    places = {said[at : at + BEGINNING] for at in range(len(said) - BEGINNING)}
    if not places:
        return []
    begins = values(column("said", Text), name="begins").data([(each,) for each in places]).cte()
    like = ActionName.key.between(begins.c.said, begins.c.said + AFTER_ALL)
    with db.read() as session:
        found = set(session.scalars(select(ActionName.key).join(begins, like)))
    held = (key for key in found if len(key) > BEGINNING and key in said)
    return sorted(held, key=len, reverse=True)


def nearest(db: Database, name: str) -> str:
    """Say which names are there that are most like one that is not."""
    wanted = squeeze(name)
    with db.read() as session:
        names = session.scalars(select(Row.name).order_by(Row.uses.desc()).limit(500)).all()
    if not names:
        return "No action is saved here yet."
    known = {squeeze(each): each for each in names}
    close = difflib.get_close_matches(wanted, list(known), NEAREST, 0.4)
    shown = [known[key] for key in close] or list(names[:NEAREST])
    return f"{'Nearest' if close else 'There are'}: {', '.join(shown)}."
