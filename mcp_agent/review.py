"""Review memories: a model's opinion of each beside the evidence, or the evidence alone.

A model that fails, or whose answer cannot be read, costs no more than its opinion: the rules
judge what it left out.
"""

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from core.clock import utc_now
from core.devices.remote import RemotePhones
from core.errors import ConsoleError
from core.memory import audit, renewal
from core.memory.audit import Opinion
from core.memory.evidence import BEST, Case
from core.settings import AgentSettings
from core.setup import Instance
from core.words import Lang, phrase
from mcp_agent import aside, trial
from mcp_agent.abort import Abort
from mcp_agent.salvage import objects

logger = logging.getLogger(__name__)

BATCH = 10
REASON_CHARS = 300
RECIPE_CHARS = 1_500


def review(
    instance: Instance,
    settings: AgentSettings,
    lang: Lang,
    phones: RemotePhones | None = None,
    stop: Abort | None = None,
) -> dict[str, int]:
    """Judge what is due; returns how many were judged, and how many a person should look at.

    Where the settings allow it, actions are tried on a free one of the phones first. What is
    being judged when ``stop`` is raised is judged the next time.
    """
    try:
        return _review(instance, settings, lang, phones, stop or Abort())
    except Exception:  # told under the name that people look for; whoever asked hears of it, too
        logger.exception("经验巡检: the review did not come to its end")
        raise


def _review(
    instance: Instance,
    settings: AgentSettings,
    lang: Lang,
    phones: RemotePhones | None,
    stop: Abort,
) -> dict[str, int]:
    if phones is not None and settings.agent_audit_replay:
        trial.try_out(instance.db, phones, lang, stop)
    renewed = renewal.say_anew(instance.db, stop.is_set)
    if renewed:
        logger.info("经验巡检: %s said anew by the rules of now", renewed)
    now = utc_now()
    judged = suggested = 0
    cases = audit.due(instance.db, now)
    answers = bool(settings.agent_model)
    while batch := list(islice(cases, BATCH)):
        opinions = _asked(batch, settings, lang, stop) if answers else {}
        if stop.is_set():
            break
        if opinions is None:  # one that failed is not waited for again tonight
            answers, opinions = False, {}
        for at, found in enumerate(batch, start=1):
            opinion = _weighed(opinions.get(at), found)
            audit.record(instance.db, found, opinion, now)
            judged += 1
            suggested += opinion.delete
    else:
        audit.ended(instance.db, utc_now())
    logger.info("经验巡检: %s judged, %s suggested to be deleted", judged, suggested)
    return {"judged": judged, "suggested": suggested}


def _weighed(opinion: Opinion | None, found: Case) -> Opinion:
    """Take the model's opinion where there is one; a recipe may ask it for kindness.

    So a person looks at what mostly failed, though the model would keep it.
    """
    if opinion is None:
        return audit.by_rules(found)
    if opinion.delete or not found.mostly_failed:
        return opinion
    return replace(opinion, delete=True, score=min(opinion.score, found.score))


def _asked(
    cases: Sequence[Case], settings: AgentSettings, lang: Lang, stop: Abort
) -> dict[int, Opinion] | None:
    """Ask the model about a batch; what it said of each by number, as far as that is sense.

    Returns:
        None when it did not answer at all.
    """
    question = "\n\n".join(_told(at, found, lang) for at, found in enumerate(cases, start=1))
    try:
        answer = aside.ask(settings, lang, phrase("review.ask", lang), question, stop=stop)
    except ConsoleError as error:
        logger.warning("经验巡检: %s", error)
        return None
    found = dict(_read(answer, len(cases)))
    if len(found) < len(cases):
        logger.warning("经验巡检: %s of %s were answered: %.200r", len(found), len(cases), answer)
    return {at: replace(each, by=settings.agent_model) for at, each in found.items()}


def _told(at: int, found: Case, lang: Lang) -> str:
    """Show one case as data; what it holds came from screens and is no instruction."""
    one = found.experience
    evidence = [each.shown(lang)["message"] for each in found.evidence]
    case = {
        "n": at,
        "task": one.task,
        "recipe": one.recipe[:RECIPE_CHARS],
        "app": one.app,
        "told": one.hits,
        "succeeded": one.successes,
        "failed": one.failures,
        "evidence": evidence,
    }
    return json.dumps(case, ensure_ascii=False)


def _read(answer: str, most: int) -> Iterator[tuple[int, Opinion]]:
    for said in objects(answer):
        at, opinion = said.get("n"), _opinion(said)
        if isinstance(at, int) and 1 <= at <= most and opinion is not None:
            yield at, opinion


def _opinion(said: dict[str, Any]) -> Opinion | None:
    verdict, score = said.get("verdict"), said.get("score")
    if not isinstance(score, int | float) or isinstance(score, bool) or score != score:
        return None  # NaN alone is not itself
    if verdict not in ("keep", "delete"):
        return None
    reason = " ".join(str(said.get("reason") or "").split())[:REASON_CHARS]
    return Opinion(verdict == "delete", float(min(max(score, 0), BEST)), reason)
