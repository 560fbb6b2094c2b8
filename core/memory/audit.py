"""Which memories a person should look at: what was judged, by whom, and what the person said.

Nothing is forgotten by an audit. It suggests (``pending``); a person deletes or keeps, and what
was kept is not suggested again until something else speaks against it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Select, func, or_, select, tuple_, update
from sqlalchemy import delete as delete_rows
from sqlalchemy.orm import Session

from core.clock import iso, utc_now
from core.db import Database
from core.errors import NotFound
from core.memory import evidence, experiences
from core.memory.evidence import Case, Evidence
from core.models import AppMeta, Experience, ExperienceAudit
from core.words import Lang

PAGE = 50
MOST = 500  # experiences of one night
AGAIN = timedelta(days=30)  # age speaks too, without any change
RULES = "rules"
ENDED = "memory_audit"  # under it stands when the last review came to its end

ANEW = "anew"  # the action of what was only put into other words

Action = Literal["keep", "pending", "kept", "deleted"]


@dataclass(frozen=True, slots=True)
class Opinion:
    """What somebody thinks of a case: the score goes from 0 to 10; ``by`` is a model's name."""

    delete: bool
    score: float
    reason: str = ""
    by: str = RULES


def due(db: Database, now: datetime, most: int = MOST) -> Iterator[Case]:
    """Yield what is to be judged: what changed since it was judged last, or was so long ago.

    What was judged already just as it is now is passed over; the longest waiting come first. What
    a new one makes a double is judged with it.
    """
    seen = set[str]()
    while ids := _unseen(db, now, most, seen):
        seen.update(ids)
        for each in ids:
            try:
                found = evidence.case(db, experiences.get(db, each), now)
            except NotFound:  # forgotten since the list was made: a review may last for hours
                continue
            _bring_up(db, [other for other in found.worse if other not in seen])
            if _is_new(db, found):
                yield found
            else:
                _audited(db, each, now)


def left(db: Database, now: datetime, most: int = MOST) -> int:
    """Count what is to be judged still, as far as one review goes."""
    with db.read() as session:
        asked = select(func.count()).select_from(_due(now).limit(most).subquery())
        return session.scalar(asked) or 0


def by_rules(found: Case) -> Opinion:
    """Judge by the evidence alone."""
    return Opinion(found.is_bad, found.score)


def record(db: Database, found: Case, opinion: Opinion, now: datetime) -> None:
    """Write down what was thought of a case; an older suggestion gives way to the new one.

    What a person forgot or kept while it was thought about stays as the person said.
    """
    one = found.experience
    with db.write() as session:
        is_there = _is_there(session, one.experience_id)
        if not is_there or _judged_as(session, one.experience_id) == found.mark:
            return
        _settle(session, one.experience_id, "keep", "", now)
        session.add(
            ExperienceAudit(
                experience_id=one.experience_id,
                task=one.task,
                app=one.app or one.package,
                action="pending" if opinion.delete else "keep",
                score=opinion.score,
                reason=opinion.reason,
                evidence=[[each.code, each.details] for each in found.evidence],
                mark=found.mark,
                by=opinion.by,
                created=now,
            )
        )
    _audited(db, one.experience_id, now)


def keep(db: Database, experience_id: str, who: str) -> None:
    """Have a person's word that an experience stays.

    Raises:
        NotFound: There is none of that id.
    """
    now = utc_now()
    found = evidence.case(db, experiences.get(db, experience_id), now)
    with db.write() as session:
        if not _settle(session, experience_id, "kept", who, now):
            session.add(
                ExperienceAudit(
                    experience_id=experience_id,
                    task=found.experience.task,
                    app=found.experience.app or found.experience.package,
                    action="kept",
                    evidence=[[each.code, each.details] for each in found.evidence],
                    mark=found.mark,
                    by=who,
                    created=now,
                    decided=now,
                    decided_by=who,
                )
            )


def delete(db: Database, experience_id: str, who: str) -> None:
    """Forget an experience on a person's word; a suggestion to do so is settled with it.

    Raises:
        NotFound: There is none of that id.
    """
    with db.write() as session:
        experiences.remove(session, experience_id)
        _settle(session, experience_id, "deleted", who, utc_now())


def note_anew(session: Session, found: Case, now: datetime) -> None:
    """Write down that an experience was put into other words; nobody judged it."""
    one = found.experience
    session.add(
        ExperienceAudit(
            experience_id=one.experience_id,
            task=one.task,
            app=one.app or one.package,
            action=ANEW,
            evidence=[[ANEW, {}]],
            mark="",
            by=RULES,
            created=now,
            decided=now,
        )
    )


def forget(session: Session, experience_ids: Sequence[str]) -> None:
    """Forget all that was ever thought of these."""
    these = ExperienceAudit.experience_id.in_(experience_ids)
    session.execute(delete_rows(ExperienceAudit).where(these))


def queue(db: Database, lang: Lang, before: str | None = None) -> dict[str, Any]:
    """Return one page of what waits for a person, the worst first, as ``{items, next}``."""
    query = select(ExperienceAudit).where(ExperienceAudit.action == "pending")
    order = (ExperienceAudit.score, ExperienceAudit.number)
    with db.read() as session:
        if before:
            mark = _row(session, before)
            query = query.where(tuple_(*order) > (mark.score, mark.number))
        rows = session.scalars(query.order_by(*order).limit(PAGE + 1)).all()
        items = [{**_shown(row, lang), **_recipe(session, row)} for row in rows[:PAGE]]
    return {"items": items, "next": rows[PAGE - 1].id if len(rows) > PAGE else None}


def history(db: Database, lang: Lang, before: str | None = None) -> dict[str, Any]:
    """Return one page of all that was judged and decided, newest first, as ``{items, next}``."""
    query: Select[ExperienceAudit] = select(ExperienceAudit)
    with db.read() as session:
        if before:
            query = query.where(ExperienceAudit.number < _row(session, before).number)
        ordered = query.order_by(ExperienceAudit.number.desc())
        rows = session.scalars(ordered.limit(PAGE + 1)).all()
    more = rows[PAGE - 1].id if len(rows) > PAGE else None
    return {"items": [_shown(row, lang) for row in rows[:PAGE]], "next": more}


def newest(db: Database, experience_ids: Sequence[str], lang: Lang) -> dict[str, dict[str, Any]]:
    """Return what was thought last of each of these; nothing for what was not judged yet."""
    last = (
        select(func.max(ExperienceAudit.number))
        .where(ExperienceAudit.experience_id.in_(experience_ids), ExperienceAudit.action != ANEW)
        .group_by(ExperienceAudit.experience_id)
    )
    with db.read() as session:
        rows = session.scalars(select(ExperienceAudit).where(ExperienceAudit.number.in_(last)))
        return {row.experience_id: _shown(row, lang) for row in rows}


def waiting(db: Database) -> int:
    """Count the suggestions that wait for a person."""
    query = select(func.count()).where(ExperienceAudit.action == "pending")
    with db.read() as session:
        return session.scalar(query) or 0


def ended(db: Database, now: datetime) -> None:
    """Write down that a review came to its end, also one that found nothing to judge."""
    with db.write() as session:
        session.merge(AppMeta(key=ENDED, value=iso(now)))


def latest(db: Database) -> datetime | None:
    """Say when the last review came to its end."""
    with db.read() as session:
        row = session.get(AppMeta, ENDED)
    return datetime.fromisoformat(row.value) if row is not None else None


def _is_there(session: Session, experience_id: str) -> bool:
    return session.scalar(select(Experience.id).where(Experience.id == experience_id)) is not None


def _due(now: datetime) -> Select[str]:
    audited = Experience.audited
    changed = or_(audited.is_(None), audited < Experience.updated)
    clock_was_wrong = audited > now
    return select(Experience.id).where(or_(changed, audited < now - AGAIN, clock_was_wrong))


def _unseen(db: Database, now: datetime, most: int, seen: set[str]) -> list[str]:
    """List what is due and was not seen in this review, up to ``most`` in all."""
    query = _due(now).order_by(Experience.audited, Experience.number).limit(most)
    with db.read() as session:
        unseen = [each for each in session.scalars(query) if each not in seen]
    return unseen[: most - len(seen)]


def _bring_up(db: Database, experience_ids: Sequence[str]) -> None:
    """Have these judged soon, though nothing of their own has changed."""
    if experience_ids:
        with db.write() as session:
            rows = update(Experience).where(Experience.id.in_(experience_ids))
            session.execute(rows.values(audited=None))


def _is_new(db: Database, found: Case) -> bool:
    """Say whether it is another case than the one that was judged last."""
    with db.read() as session:
        return _judged_as(session, found.experience.experience_id) != found.mark


def _judged_as(session: Session, experience_id: str) -> str | None:
    newest = (
        select(ExperienceAudit.mark)
        .where(ExperienceAudit.experience_id == experience_id, ExperienceAudit.action != ANEW)
        .order_by(ExperienceAudit.number.desc())
        .limit(1)
    )
    return session.scalar(newest)


def _audited(db: Database, experience_id: str, now: datetime) -> None:
    with db.write() as session:
        row = update(Experience).where(Experience.id == experience_id)
        session.execute(row.values(audited=now))


def _settle(session: Session, experience_id: str, action: Action, who: str, now: datetime) -> bool:
    """End an open suggestion; says whether there was one."""
    row = session.scalar(
        select(ExperienceAudit).where(
            ExperienceAudit.experience_id == experience_id, ExperienceAudit.action == "pending"
        )
    )
    if row is None:
        return False
    row.action, row.decided, row.decided_by = action, now, who
    return True


def _row(session: Session, audit_id: str) -> ExperienceAudit:
    row = session.scalar(select(ExperienceAudit).where(ExperienceAudit.id == audit_id))
    if row is None:
        raise NotFound(kind="audit", name=audit_id)
    return row


def _shown(row: ExperienceAudit, lang: Lang) -> dict[str, Any]:
    return {
        "id": row.id,
        "experience_id": row.experience_id,
        "task": row.task,
        "action": row.action,
        "score": row.score,
        "reason": row.reason,
        "evidence": [Evidence(code, details).shown(lang) for code, details in row.evidence],
        "by": row.by,
        "created": iso(row.created),
        "decided": iso(row.decided) if row.decided else None,
        "decided_by": row.decided_by,
    }


def _recipe(session: Session, row: ExperienceAudit) -> dict[str, Any]:
    one = session.scalar(select(Experience).where(Experience.id == row.experience_id))
    return {"recipe": one.recipe if one else "", "app": one.app if one else ""}
