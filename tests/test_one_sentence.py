"""One sentence moves a phone: the whole way, judged by the phone's own state."""

import threading

from tests.stack import Stack, follow
from virtual_phone.testing import PhoneHandle

SENTENCE = "打开设置，把 Wi-Fi 关掉"


def test_one_sentence_turns_wifi_off_and_two_readers_see_the_same(
    shared_stack: Stack, phone: PhoneHandle
) -> None:
    assert phone.get("settings.wifi") is True
    with shared_stack.client() as client, shared_stack.client() as other:
        body = {"prompt": SENTENCE, "serial": shared_stack.addresses[0]}
        run_id = client.post("/api/agent/run", json=body).json()["run_id"]
        theirs: list[object] = []
        reader = threading.Thread(target=lambda: theirs.extend(follow(other, run_id)))
        reader.start()
        mine = list(follow(client, run_id))
        reader.join(timeout=30)

        steps = [payload for _, name, payload in mine if name == "step"]
        pictures = [step["image"] for step in steps if "image" in step]
        image = client.get(pictures[-1])

    assert phone.get("settings.wifi") is False
    assert mine[-1][1] == "done"
    assert mine == theirs
    assert [step["n"] for step in steps] == list(range(1, len(steps) + 1))
    assert all(step["ok"] for step in steps)
    assert image.headers["Content-Type"] == "image/jpeg"
    assert image.content[:2] == b"\xff\xd8"


def test_a_second_run_is_refused_with_the_holder_while_one_goes_on(
    shared_stack: Stack, phone: PhoneHandle
) -> None:
    with shared_stack.client() as client:
        body = {"prompt": "等待 「永远不会出现的字」", "serial": shared_stack.addresses[0]}
        run_id = client.post("/api/agent/run", json=body).json()["run_id"]

        refused = client.post("/api/agent/run", json=body)
        client.post(f"/api/agent/run/{run_id}/stop")
        last = list(follow(client, run_id))[-1]

    assert refused.status_code == 409
    assert refused.json()["error"]["code"] in ("device_busy", "slot_busy")
    assert refused.json()["error"]["holder"]
    assert last[1] == "done"
