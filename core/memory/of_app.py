"""Which memories are of an app, whatever it is called in them.

People say a label in one of two languages, runs note the label and the package, and a step only
knows the package. One name leads to the others: by what is well known, and by what runs noted.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Text, cast, false, or_, select
from sqlalchemy.orm import Session

from core.devices import apps
from core.memory import actions
from core.models import Action, Experience, ExperienceAudit
from core.screen.selectors import squeeze


@dataclass(frozen=True, slots=True)
class Names:
    """What an app is called in the libraries: labels and packages as they stand there."""

    labels: tuple[str, ...]
    packages: tuple[str, ...]

    @property
    def experiences(self) -> ColumnElement[bool]:
        """Choose the experiences of the app."""
        return Experience.app.in_(self.labels) | Experience.package.in_(self.packages)

    @property
    def reviews(self) -> ColumnElement[bool]:
        """Choose what was thought of experiences of the app, also of those that are gone."""
        return ExperienceAudit.app.in_((*self.labels, *self.packages))

    def actions(self, session: Session) -> Sequence[Action]:
        """Return the actions of the app; one that names no app is of that of its screens."""
        held = or_(false(), *(cast(Action.steps, Text).contains(each) for each in self.packages))
        chosen = Action.app.in_(self.labels) | ((Action.app == "") & held)
        rows = session.scalars(select(Action).where(chosen).order_by(Action.created, Action.id))
        return [row for row in rows if row.app or actions.package_of(row.steps) in self.packages]


def names(session: Session, app: str) -> Names:
    """Find out what an app is called, by one of its names."""
    noted = session.execute(select(Experience.app, Experience.package).distinct()).all()
    called = apps.called(app)
    packages = {
        package
        for label, package in noted
        if package and not called.isdisjoint((squeeze(label), squeeze(package)))
    }
    labels = {label for label, package in noted if label and package in packages}
    every = {*called, *map(squeeze, labels | packages)}
    stand = {label for label, _ in noted}
    for column in (Action.app, ExperienceAudit.app):
        stand.update(session.scalars(select(column).distinct()))
    found = tuple(label for label in stand if label and squeeze(label) in every)
    known = {each for each in (app, *called) if "." in each}
    return Names(found, tuple(packages | known))
