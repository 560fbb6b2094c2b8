"""Kill runner and MCP server at chosen points: no run stays open, no act is repeated, no 202 lost.

The phone's own JSON counts the acts, the database says what became of what was accepted. A kill
that does not happen where it was planned fails the test.
"""

import json
import os
import random
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest
from sqlalchemy import select

from core import conversations
from core.devices import lease
from core.memory import experiences
from core.models import MessageIn, MessageOut
from core.runs import store
from mcp_agent.runner import RunStart
from tests.crashing import Life, Plan, Witness, has_lessons, show_switches, touched
from tests.fixtures_mcp import McpHouse
from tests.mcp_agent.conftest import Desk, Settings
from tests.policy_model import PolicyModel
from virtual_phone.testing import PhoneHandle

SEED = 20261130
BACK_S = 2  # start.sh has a killed MCP server back within this time
#: Where a runner is killed, and the last of its hits there that may be the deadly one.
POINTS = {
    "accepted": 1,
    "claimed": 1,
    "model asked": 4,
    "act sent": 2,
    "act done": 2,
    "event flushed": 3,
    "answer written": 1,
}
#: Killed there, a run goes on or had ended; elsewhere it is closed as interrupted.
DONE = ("accepted", "answer written")


@dataclass
class Ground:
    """Where runners live and die: the MCP server, phone and model outlive them."""

    house: McpHouse
    phone: PhoneHandle
    plan: Plan
    witness: Witness
    names: list[str] = field(default_factory=list)

    def kill(self, point: str, nth: int) -> str:
        """Start a runner and a run, and have them die at a point; returns the run's id."""
        life = Life(replace(self.plan, point=point, nth=nth))
        self.witness.aim(point, nth, lambda: os.kill(life.pid, signal.SIGKILL))
        prompt = show_switches(self.phone, self.names)
        run_id = life.ask(RunStart(prompt, self.house.serial))
        assert life.was_killed(), f"{point} was not reached {nth} times"
        return run_id or store.history(self.house.instance.db, 1)[0].run_id

    def recover(self) -> None:
        """Start a runner again, and let it do what is left to do."""
        life = Life(self.plan)
        life.ask(None)
        assert not life.was_killed()

    def check(self, run_id: str, point: str) -> None:
        """See that the run ended once, as it should, and that nothing is left of it."""
        db = self.house.instance.db
        record, entries = store.get(db, run_id), store.events(db, run_id, 0)
        is_done = point in DONE
        assert record.status == ("done" if is_done else "failed")
        assert [entry.terminal for entry in entries] == [False] * (len(entries) - 1) + [True]
        assert [entry.id for entry in entries] == sorted({entry.id for entry in entries})
        if not is_done:
            assert json.loads(entries[-1].data)["code"] == "interrupted"
        assert lease.all_held(db) == {}
        with db.read() as session:
            asked = session.scalars(select(MessageIn).where(MessageIn.run_id == run_id)).all()
            said = session.scalars(select(MessageOut).where(MessageOut.run_id == run_id)).all()
        assert [row.status in ("done", "failed") for row in asked] == [True]
        assert len(said) == 1
        messages = conversations.read(db, record.conv_id)["messages"]
        assert [message["role"] for message in messages] == ["user", "assistant"]
        taps = touched(self.phone, self.names)
        assert all(count == int(is_on) for count, is_on in taps.values()), taps
        assert not is_done or all(is_on for _, is_on in taps.values()), taps


@pytest.fixture
def ground(mcp_house: McpHouse, phone: PhoneHandle) -> Iterator[Ground]:
    witness = Witness()
    with PolicyModel(witness.policy) as model, witness.watching(phone):
        plan = Plan(mcp_house.data, mcp_house.port, model.url)
        yield Ground(mcp_house, phone, plan, witness)


def deaths(kills: int) -> list[tuple[str, int]]:
    """Choose where to kill: each point three times, the rest by chance, in any order."""
    dice = random.Random(SEED)
    points = list(POINTS) * 3
    points += dice.choices(list(POINTS), k=kills - len(points))
    dice.shuffle(points)
    return [(point, dice.randint(1, POINTS[point])) for point in points]


@pytest.mark.timeout(240)
@pytest.mark.parametrize("kills", [21, pytest.param(50, marks=pytest.mark.soak)])
def test_a_runner_that_is_killed_anywhere_leaves_nothing_open_and_repeats_nothing(
    ground: Ground, kills: int
) -> None:
    for number, (point, nth) in enumerate(deaths(kills)):
        ground.names = [f"{number}甲", f"{number}乙"]

        run_id = ground.kill(point, nth)
        ground.recover()

        ground.check(run_id, point)


@pytest.mark.parametrize(
    "point",
    [pytest.param("answer written", marks=pytest.mark.soak), "model asked what it taught"],
)
def test_a_runner_that_is_killed_while_it_learns_learns_once_at_its_next_start(
    ground: Ground, point: str
) -> None:
    ground.plan = replace(ground.plan, learns=True)
    ground.names = [f"{point[0]}甲", f"{point[0]}乙"]
    db = ground.house.instance.db

    run_id = ground.kill(point, 1)
    between = has_lessons(db)
    ground.recover()

    run = store.get(db, run_id)
    said = conversations.noted(db, run.conv_id, run_id)["learned"]
    taught = [each for each in experiences.listing(db)["items"] if each["run_id"] == run_id]
    assert (run.status, between, has_lessons(db)) == ("done", True, False)
    assert said["args"]["experience"] is not None
    assert len(taught) == 1


@pytest.mark.parametrize(
    ("point", "nth"),
    [("act sent", 1), ("act told", 1), pytest.param("act sent", 3, marks=pytest.mark.soak)],
)
def test_an_mcp_server_that_is_killed_at_an_act_comes_back_and_the_act_is_not_sent_twice(
    desk: Desk, mcp_house: McpHouse, phone: PhoneHandle, settings: Settings, point: str, nth: int
) -> None:
    witness, names = Witness(), ["甲", "乙", "丙"]
    with PolicyModel(witness.policy) as model, witness.watching(phone):
        desk.settings = settings(model.url)
        witness.aim(point, nth, mcp_house.process.kill)

        run_id = desk.start(show_switches(phone, names))
        assert witness.killed.wait(30)
        mcp_house.process.wait(10)
        threading.Event().wait(BACK_S)
        mcp_house.restart()
        last = desk.entries(run_id)[-1]

        taps = touched(phone, names)
        assert all(count == int(is_on) for count, is_on in taps.values()), taps
        assert last.name == "done", last.data
        assert all(is_on for _, is_on in taps.values()), taps
    assert store.get(desk.instance.db, run_id).ended is not None
    assert lease.all_held(desk.instance.db) == {}
