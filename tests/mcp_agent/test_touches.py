"""Where an agent touched the screen comes with its step, for people to see."""

import json
from typing import Any

from tests.mcp_agent.conftest import Desk, Settings
from tests.policy_model import Call, PolicyModel, Reply, Request, tool_texts
from virtual_phone.testing import PhoneHandle

ACTS = (
    Call("de_tap_text", {"text": "网络和互联网"}),
    Call("de_tap_xy", {"x": 540, "y": 600}),
    Call("de_swipe", {"from": [540, 1800], "to": [540, 900]}),
    Call("de_press_key", {"key": "back"}),
)


def in_turn(request: Request) -> Reply:
    done = len(tool_texts(request))
    return Reply(calls=(ACTS[done],)) if done < len(ACTS) else Reply(content="好了。")


def test_a_step_says_where_it_touched_as_a_part_of_the_screen(
    desk: Desk, settings: Settings, phone: PhoneHandle
) -> None:
    phone.start("com.android.settings")

    with PolicyModel(in_turn) as model:
        desk.settings = settings(model.url)
        entries = desk.entries(desk.start("动一动"))

    steps: list[dict[str, Any]] = [json.loads(e.data) for e in entries if e.name == "step"]
    tapped = next(each for each in phone.log() if each["kind"] == "tap")
    assert [each["tool"] for each in steps] == [each.name for each in ACTS]
    assert steps[0]["at"] == [round(tapped["x"] / 1080, 4), round(tapped["y"] / 2400, 4)]
    assert (steps[1]["at"], "to" in steps[1]) == ([0.5, 0.25], False)
    assert (steps[2]["at"], steps[2]["to"]) == ([0.5, 0.75], [0.5, 0.375])
    assert "at" not in steps[3]
