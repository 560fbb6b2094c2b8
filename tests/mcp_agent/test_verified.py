"""A run is verified only by what the server saw."""

import json

import pytest

from core import conversations
from core.runs import store
from tests.mcp_agent.conftest import Desk, Settings
from tests.policy_model import Call, PolicyModel, Reply, Request, tool_texts
from virtual_phone.testing import PhoneHandle


def claiming(request: Request) -> Reply:
    """Open Settings, have it proved that Wi-Fi is off there, and claim it whatever came."""
    seen = tool_texts(request)
    if not seen:
        return Reply(calls=(Call("de_open_app", {"app": "设置"}),))
    if len(seen) == 1:
        return Reply(calls=(Call("de_tap_text", {"text": "网络和互联网"}),))
    if len(seen) == 2:
        checks = [{"app": "设置"}, {"element": "Wi-Fi", "value": "off"}]
        return Reply(calls=(Call("prove", {"checks": checks}),))
    return Reply(content="Wi-Fi 已关闭。")


def silent(request: Request) -> Reply:
    """Claim without looking."""
    return Reply(content="Wi-Fi 已关闭。")


def undoing(request: Request) -> Reply:
    """Have it proved that Wi-Fi is off, then turn it on and claim all the same."""
    seen = tool_texts(request)
    if len(seen) == 3:
        return Reply(calls=(Call("de_tap_text", {"text": "Wi-Fi"}),))
    return claiming(request)


@pytest.mark.parametrize(
    ("policy", "wifi", "verified"),
    [
        (claiming, False, True),
        (claiming, True, False),
        (silent, False, None),
        (undoing, False, None),
    ],
)
def test_done_says_what_was_proved(
    desk: Desk,
    phone: PhoneHandle,
    settings: Settings,
    policy: object,
    wifi: bool,
    verified: bool | None,
) -> None:
    phone.set("settings.wifi", wifi)

    with PolicyModel(policy) as model:  # type: ignore[arg-type]
        desk.settings = settings(model.url)
        run_id = desk.start("Wi-Fi 关了吗")
        done = json.loads(desk.entries(run_id)[-1].data)

    conv_id = store.get(desk.instance.db, run_id).conv_id
    message = conversations.read(desk.instance.db, conv_id)["messages"][-1]
    assert done["verified"] is verified
    assert message.get("verified") is verified
