"""A run's checks, and what they are worth."""

import pytest

from core.models import Conversation, Run
from core.runs import proof
from core.runs.proof import Checked
from core.setup import Instance


@pytest.fixture
def run_id(instance: Instance) -> str:
    with instance.db.write() as session:
        conv = Conversation()
        session.add(conv)
        session.flush()
        run = Run(conv_id=conv.id, prompt="把 Wi-Fi 关掉")
        session.add(run)
        session.flush()
        return run.id


def check(text: str, met: bool) -> Checked:
    return Checked({"text": text}, met, "seen")


def test_a_run_that_stated_nothing_is_neither_proved_nor_disproved(
    instance: Instance, run_id: str
) -> None:
    assert proof.verified(instance.db, run_id) is None


def test_a_run_is_verified_only_with_every_check_met(instance: Instance, run_id: str) -> None:
    proof.keep(instance.db, run_id, [check("a", True)])
    one = proof.verified(instance.db, run_id)

    proof.keep(instance.db, run_id, [check("b", False)])
    two = proof.verified(instance.db, run_id)

    assert (one, two) == (True, False)


def test_the_newest_result_of_a_check_counts_and_a_failed_one_is_not_forgotten(
    instance: Instance, run_id: str
) -> None:
    proof.keep(instance.db, run_id, [check("hard", False)])
    proof.keep(instance.db, run_id, [check("easy", True)])
    dodged = proof.verified(instance.db, run_id)

    proof.keep(instance.db, run_id, [check("hard", True)])

    assert dodged is False
    assert proof.verified(instance.db, run_id) is True
    assert len(proof.kept(instance.db, run_id)) == 2
