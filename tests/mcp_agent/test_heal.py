"""A step whose element is gone is mended by one question, and a human decides what stays."""

from typing import Any

import pytest

from core import artifacts
from core.errors import NotFound, ProposalStale
from core.tasks import proposals, store
from core.tasks.store import Task
from mcp_agent.heal import Healer, with_element
from tests.designing import APP, MENDING, POST, WORD, designs
from tests.mcp_agent.conftest import Settings
from tests.mcp_agent.tasking import Shop, click
from tests.policy_model import Policy, PolicyModel, Reply, last_user
from virtual_phone.testing import PhoneHandle

STEPS = [
    {"type": "close_app", "app": APP},
    {"type": "open_app", "app": APP},
    {"type": "input_text", "text": "{{word}}", "selector": {"resourceId": "search"}},
    click("搜索", timeout_s=0.5),
    click(POST, timeout_s=5),
    {"type": "assert", "selector": {"text": POST}},
]


class Mended:
    """A shop whose runs are mended by a policy model."""

    def __init__(self, shop: Shop, settings: Settings, policy: Policy) -> None:
        self.shop = shop
        self.model = PolicyModel(policy)
        house = shop.house
        chosen = settings(self.model.url)
        shop.runner.mender = Healer(house.instance, house.phones, lambda: chosen)

    def __enter__(self) -> "Mended":
        self.model.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.model.__exit__()

    def save(self, *steps: dict[str, Any], heal: bool = True) -> Task:
        return self.shop.save(*steps, inputs={"word": WORD}, policy={"heal": heal})

    def run(self, task: Task) -> dict[str, Any]:
        [run_id] = self.shop.start(task).run_ids
        return self.shop.ended(run_id)

    def proposed(self, task: Task) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = proposals.listing(self.shop.db, task.task_id)["items"]
        return items


def test_a_run_goes_on_with_the_mended_step_and_a_human_takes_it_into_the_task(
    shop: Shop, settings: Settings, phone: PhoneHandle
) -> None:
    phone.set("xiaoji.renewed", True)

    with Mended(shop, settings, designs) as mended:
        task = mended.save(*STEPS)
        first = mended.run(task)
        asked = len(mended.model.requests)
        [proposal] = mended.proposed(task)
        second = mended.run(task)
        again = len(mended.model.requests)
        unchanged = store.get(shop.db, task.task_id)
        accepted = proposals.decide(
            shop.db, task.task_id, proposal["proposal_id"], "li", accept=True
        )
        third = mended.run(accepted)

    assert [first["status"], second["status"], third["status"]] == ["success"] * 3
    assert (asked, again, len(mended.model.requests)) == (1, 1, 1)
    assert MENDING in last_user(mended.model.requests[0])
    assert (proposal["path"], proposal["before"], proposal["proved"]) == ("steps.3", STEPS[3], True)
    assert proposal["after"]["selector"] == {"resourceId": f"{APP}:id/find"}
    assert proposal["after"]["alternatives"][-1] == {"text": "搜索"}
    assert proposal["why"] == "it stands by the field"
    for address in proposal["pictures"].values():
        kept = artifacts.find(shop.house.instance, address.rsplit("/", 1)[1])
        assert kept.path.read_bytes()[:2] == b"\xff\xd8"
    assert unchanged.spec.steps == STEPS and unchanged.revision == 1
    assert (accepted.revision, accepted.updated_by) == (2, "li")
    assert accepted.spec.steps[3] == proposal["after"]
    assert [step["status"] for step in third["steps"]] == ["ok"] * 6
    with pytest.raises(ProposalStale):
        proposals.decide(shop.db, task.task_id, proposal["proposal_id"], "li", accept=False)


def test_a_mended_click_leaves_a_switch_alone_still_that_stands_as_it_shall() -> None:
    chosen = {"number": 2, "kind": "switch", "selectors": [{"selector": {"text": "Wireless"}}]}
    step = click("Wi-Fi", expect={"app": "settings", "ids": ["wifi"], "stands": "off"})

    mended = with_element(step, chosen)

    assert mended["selector"] == {"text": "Wireless"}
    assert mended["expect"] == {"stands": "off"}  # of the screen nothing, since it is another


def test_a_task_that_does_not_allow_it_is_not_mended(
    shop: Shop, settings: Settings, phone: PhoneHandle
) -> None:
    phone.set("xiaoji.renewed", True)

    with Mended(shop, settings, designs) as mended:
        task = mended.save(*STEPS, heal=False)
        run = mended.run(task)

    assert (run["status"], run["path"]) == ("failed", "steps.3")
    assert (mended.model.requests, mended.proposed(task)) == ([], [])


def test_a_step_that_looks_whether_it_went_well_is_never_mended(
    shop: Shop, settings: Settings, phone: PhoneHandle
) -> None:
    looks = {"type": "assert", "selector": {"text": "没有这个"}, "timeout_s": 0.1}

    with Mended(shop, settings, designs) as mended:
        run = mended.run(mended.save({"type": "open_app", "app": APP}, looks))

    assert run["status"] == "failed"
    assert mended.model.requests == []


@pytest.mark.parametrize(
    "answer",
    ["I do not know.", '{"element": null, "why": "gone"}', '{"element": 999}', '{"element": 3}'],
)
def test_an_answer_that_names_nothing_usable_lets_the_run_fail_as_it_did(
    shop: Shop, settings: Settings, phone: PhoneHandle, answer: str
) -> None:
    gone = click("没有这个", timeout_s=0.1)

    with Mended(shop, settings, lambda request: Reply(content=answer)) as mended:
        task = mended.save({"type": "open_app", "app": APP}, gone)
        run = mended.run(task)

    assert (run["status"], run["error"]["code"]) == ("failed", "element_gone")
    assert len(mended.model.requests) == 1
    assert mended.proposed(task) == []


def test_a_mended_step_that_did_not_help_is_not_proved_and_not_used_again(
    shop: Shop, settings: Settings, phone: PhoneHandle
) -> None:
    gone = click("没有这个", timeout_s=0.1)
    proof = {"type": "assert", "selector": {"text": "没有这个"}, "timeout_s": 0.1}

    with Mended(shop, settings, lambda request: Reply(content='{"element": 2}')) as mended:
        task = mended.save({"type": "open_app", "app": APP}, gone, proof)
        runs = [mended.run(task), mended.run(task)]

    assert [run["status"] for run in runs] == ["failed", "failed"]
    assert [each["proved"] for each in mended.proposed(task)] == [False, False]
    assert len(mended.model.requests) == 2


def test_a_proposal_for_a_step_that_was_changed_since_is_refused(
    shop: Shop, settings: Settings, phone: PhoneHandle
) -> None:
    gone = click("没有这个", timeout_s=0.1)
    with Mended(shop, settings, lambda request: Reply(content='{"element": 2}')) as mended:
        task = mended.save({"type": "open_app", "app": APP}, gone)
        mended.run(task)
        [proposal] = mended.proposed(task)
    changed = task.spec.model_copy(update={"steps": [task.spec.steps[0], click("别的")]})
    store.change(shop.db, task.task_id, changed, 1, "wang")

    with pytest.raises(ProposalStale):
        proposals.decide(shop.db, task.task_id, proposal["proposal_id"], "li", accept=True)
    proposals.decide(shop.db, task.task_id, proposal["proposal_id"], "li", accept=False)

    assert [each["status"] for each in mended.proposed(task)] == ["rejected"]
    assert store.get(shop.db, task.task_id).revision == 2
    with pytest.raises(NotFound):
        proposals.decide(shop.db, "nope", proposal["proposal_id"], "li", accept=True)
