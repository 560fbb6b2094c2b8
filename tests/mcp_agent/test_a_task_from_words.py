"""From a sentence to a task that runs by the clock without a model, and outlives an update."""

from datetime import timedelta

from core import settings as stored
from core.clock import utc_now
from core.tasks import due, proposals, runs, store
from core.tasks.runs import Wish
from core.tasks.schema import TaskSpec
from mcp_agent.heal import Healer
from tests.designing import POST, PROMPT, designs
from tests.mcp_agent.conftest import Desk, Settings
from tests.mcp_agent.tasking import Shop
from tests.mcp_agent.test_designer import end
from tests.policy_model import PolicyModel
from virtual_phone.testing import PhoneHandle


def run_by_the_clock(shop: Shop, days: int) -> str:
    """Let the clock be that many days on, and give how the run ended that is due then."""
    [group_id] = due.take(shop.db, utc_now() + timedelta(days=days))
    shop.runner.wake()
    [run] = runs.listing(shop.db, Wish(group_id=group_id), "en")["items"]
    return str(shop.ended(run["run_id"])["status"])


def test_what_was_explored_once_is_done_by_the_clock_and_mended_when_the_app_changes(
    desk: Desk, shop: Shop, settings: Settings, phone: PhoneHandle
) -> None:
    with PolicyModel(designs) as model:
        desk.settings = settings(model.url)
        shop.runner.mender = Healer(shop.house.instance, shop.house.phones, lambda: desk.settings)
        done = end(desk.run(PROMPT, mode="designer"))
        explored = len(model.requests)
        draft = (stored.load(desk.instance).agent_task_draft or {})["draft"]
        plan = {
            "targets": {"serials": [desk.serial]},
            "schedule": {"cron": "0 8 * * *", "zone": "Asia/Shanghai"},
            "policy": {"heal": True},
        }
        task = store.create(shop.db, TaskSpec.model_validate({**draft, **plan}), "li")
        first = run_by_the_clock(shop, days=1)
        replayed = len(model.requests)
        shown = phone.get("xiaoji.ui.page")

        phone.set("xiaoji.renewed", True)
        second = run_by_the_clock(shop, days=2)
        mended = len(model.requests)
        [proposal] = proposals.listing(shop.db, task.task_id)["items"]
        proposals.decide(shop.db, task.task_id, proposal["proposal_id"], "li", accept=True)
        third = run_by_the_clock(shop, days=3)

    assert done["verified"] and draft == done["draft"]
    assert (first, shown, replayed - explored) == ("success", "post", 0)
    assert (second, proposal["proved"], mended - replayed) == ("success", True, 1)
    assert (third, len(model.requests) - mended) == ("success", 0)
    assert store.get(shop.db, task.task_id).revision == 2
    assert any(POST in str(step) for step in draft["steps"])
