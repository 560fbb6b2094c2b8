"""Do something again after a run that broke off: from where it was, or from the beginning."""

from core.errors import Invalid, NotFound
from core.runs.record import RunRecord
from core.words import phrase
from mcp_agent.providers.base import provider

RESUME, RESTART = "resume", "restart"


def offered(record: RunRecord) -> list[str]:
    """Say how a run that broke off can be done again: its brain may not know where it was."""
    try:
        resumes = provider(record.provider).caps.resumes
    except NotFound:  # its package was removed; the chosen brain begins anew
        resumes = False
    return [RESUME, RESTART] if resumes else [RESTART]


def prompt_again(record: RunRecord, how: str) -> str:
    """Give the prompt of the run that does it again.

    Raises:
        Invalid: Its brain cannot go on where it was.
    """
    if how not in offered(record):
        raise Invalid(path="how", detail=", ".join(offered(record)))
    begun = phrase("run.resume", record.lang, prompt="")
    if how == RESTART or record.prompt.startswith(begun):
        return record.prompt
    return begun + record.prompt
