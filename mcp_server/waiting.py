"""Wait for a person on behalf of a brain that has no better way to: a while at a time.

An answer counts once the run goes on, since only then has it a slot and its phone again.
"""

import time

from core.errors import NotFound, RunOver
from core.runs import questions, store
from core.runs.questions import OPEN_RUNS, YES, Question
from mcp_server.access import Access

POLL_S = 1.0
STILL = 'No answer yet. Call de_wait_for {{"question": "{question_id}"}} again.'
SAID = {
    "approved": "Approved. Call the same tool with the same arguments again now.",
    "denied": "The person said no. Nothing was sent. Do it another way, or stop and say so.",
    "expired": "Nobody answered in time. Go on without it, or stop and say what is missing.",
    "back": "The phone was given back. Look at the screen again before you go on.",
}


class Waiting:
    """One question of the calling run."""

    def __init__(self, access: Access, question_id: str) -> None:
        self.db = access.db
        self.run_id = access.run_id()
        self.question_id = question_id

    def wait(self, limit_s: float) -> str:
        """Wait for the answer, and say it; after ``limit_s`` say that there is none yet.

        Raises:
            NotFound: This run asked no such question.
        """
        deadline = time.monotonic() + limit_s
        while True:
            asked = questions.get(self.db, self.question_id)
            if asked.run_id != self.run_id:
                raise NotFound(kind="question", name=self.question_id)
            status = store.get(self.db, self.run_id).status
            if status not in OPEN_RUNS:
                raise RunOver
            if not asked.open and status == "running":
                return _said(asked)
            left = deadline - time.monotonic()
            if left <= 0:
                return STILL.format(question_id=asked.question_id)
            time.sleep(min(POLL_S, left))


def _said(asked: Question) -> str:
    if asked.status != "answered":
        return SAID["expired"]
    if asked.kind == "takeover":
        return SAID["back"]
    if asked.kind == "approval":
        return SAID["approved" if asked.value in YES else "denied"]
    return f"The person answered: {asked.value}"
