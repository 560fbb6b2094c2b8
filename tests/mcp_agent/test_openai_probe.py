"""The test of a configuration: what it asks, what it finds, and what it keeps."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image, ImageChops

from core.model_profiles import ProfileBook
from core.settings import AgentSettings
from mcp_agent.providers.base import Health
from mcp_agent.providers.openai_chat import OpenAIProvider
from mcp_agent.providers.openai_probe import (
    DIGIT_AT,
    DIGIT_STEP,
    DIGITS,
    PICTURE_SIZE,
    check,
    number_picture,
)
from tests.policy_model import Call, PolicyModel, Refusal, Reply, Request, last_user

Settings = Callable[..., AgentSettings]


def picture_of(request: Request) -> bytes | None:
    """Return the picture of a request, if it holds one."""
    for message in request["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else ():
            if part["type"] == "image_url":
                return base64.b64decode(part["image_url"]["url"].partition(",")[2])
    return None


def read_digits(jpeg: bytes) -> str:
    """Read a number as an eye would: each place looks most like one of ten digits."""
    picture = Image.open(BytesIO(jpeg)).convert("L")
    digits = ""
    for at in range(DIGITS):
        left = DIGIT_AT[0] + at * DIGIT_STEP
        place = (left, 0, left + DIGIT_STEP, PICTURE_SIZE[1])
        digits += min("0123456789", key=lambda d: _unlike(picture, place, d * DIGITS))
    return digits


def _unlike(picture: Image.Image, place: tuple[int, int, int, int], digits: str) -> int:
    known = Image.open(BytesIO(number_picture(digits))).convert("L")
    unlike = ImageChops.difference(picture.crop(place), known.crop(place))
    return sum(level * count for level, count in enumerate(unlike.histogram()))


def able(request: Request) -> Reply | Refusal:
    """Be a model that can do everything it is asked here."""
    tools = [tool["function"]["name"] for tool in request.get("tools", ())]
    picture = picture_of(request)
    if picture is not None:
        return Reply(content=f"It says {read_digits(picture)}.", reasoning="I look.")
    if "tool_choice" in request:
        return Reply(calls=(Call(request["tool_choice"]["function"]["name"], {"word": "x"}),))
    if tools:
        word = last_user(request).partition("the word ")[2].partition(".")[0]
        return Reply(calls=(Call(tools[0], {"word": word}),))
    return Reply(content="ready", reasoning="They want one word.")


def found(health: Health) -> dict[str, bool | None]:
    return {finding.name: finding.ok for finding in health.findings}


def examined(settings: AgentSettings) -> Health:
    return OpenAIProvider().examine(settings, "en")


def own(settings: AgentSettings) -> AgentSettings:
    """Give settings with a book of profiles of their own."""
    return replace(settings, profiles=ProfileBook())


def test_a_model_that_can_do_everything_is_found_to(settings: Settings) -> None:
    with PolicyModel(able) as model:
        chosen = own(settings(model.url))
        health = examined(chosen)

    assert health.ok
    assert found(health) == dict.fromkeys(
        ("answers", "usage", "reasoning", "tools", "tool_choice", "vision"), True
    )
    profile = chosen.profiles.get(chosen.agent_api_base, "policy")
    assert (profile.vision, profile.usage, profile.tools, profile.tool_choice) == (True,) * 4
    assert profile.reasoning_field == "reasoning_content"
    assert len(model.requests) == 4


@pytest.mark.parametrize("blind", [Reply(content="It says 1234."), Refusal(400, "no image_url")])
def test_a_model_that_guesses_or_refuses_cannot_see(
    settings: Settings, blind: Reply | Refusal
) -> None:
    with PolicyModel(lambda r: blind if picture_of(r) else able(r)) as model:
        chosen = own(settings(model.url))
        health = examined(chosen)

    assert health.ok
    assert found(health)["vision"] is False
    assert chosen.profiles.get(chosen.agent_api_base, "policy").vision is False


def test_a_model_that_calls_no_tool_cannot_drive_a_phone(settings: Settings) -> None:
    with PolicyModel(lambda r: Reply(content="I would rather talk.")) as model:
        health = examined(own(settings(model.url)))

    assert not health.ok
    assert health.shown("en")["error"]["code"] == "model_no_tools"
    assert (found(health)["answers"], found(health)["tools"]) == (True, False)


def test_a_call_with_another_word_is_no_call_that_was_asked_for(settings: Settings) -> None:
    def parrot(request: Request) -> Reply | Refusal:
        wants_call = "tools" in request and "tool_choice" not in request
        return Reply(calls=(Call("note_word", {"word": "w"}),)) if wants_call else able(request)

    with PolicyModel(parrot) as model:
        health = examined(own(settings(model.url)))

    assert found(health)["tools"] is False


def test_a_server_without_usage_or_forced_calls_is_still_good(settings: Settings) -> None:
    def strict(request: Request) -> Reply | Refusal:
        refused = "stream_options" in request or "tool_choice" in request
        return Refusal(422, "extra fields") if refused else able(request)

    with PolicyModel(strict) as model:
        chosen = own(settings(model.url))
        health = examined(chosen)

    assert health.ok
    assert (found(health)["usage"], found(health)["tool_choice"]) == (False, False)
    assert chosen.profiles.get(chosen.agent_api_base, "policy").usage is False
    assert sum("stream_options" in request for request in model.requests) == 1


def test_what_a_person_chose_outlives_the_test_and_what_was_wrong_does_not(
    settings: Settings,
) -> None:
    with PolicyModel(able) as model:
        chosen = own(settings(model.url))
        base = chosen.agent_api_base
        chosen.profiles.learn(base, "policy", pictures_kept=3, vision=False, pictures_max=1)

        examined(chosen)

    profile = chosen.profiles.get(base, "policy")
    assert (profile.pictures_kept, profile.vision, profile.pictures_max) == (3, True, None)


def test_a_refused_key_ends_the_test_and_teaches_nothing(settings: Settings) -> None:
    with PolicyModel(lambda request: Refusal(401)) as model:
        chosen = own(settings(model.url))
        health = examined(chosen)

    assert health.shown("zh")["error"]["code"] == "model_auth"
    assert found(health) == {"answers": False}
    assert chosen.profiles.get(chosen.agent_api_base, "policy").usage is None
    assert len(model.requests) == 1


def test_the_check_asks_for_the_list_of_models_and_for_no_answer(settings: Settings) -> None:
    def listing(key: str) -> list[str] | Refusal:
        return ["policy"] if key == "sk-right" else Refusal(401)

    with PolicyModel(able, listing) as model:
        right = settings(model.url, agent_api_key="sk-right")
        good, bad = check(right), check(replace(right, agent_api_key="sk-wrong"))
        unset = check(replace(right, agent_model=""))

    assert (good.ok, good.model) == (True, "policy")
    assert bad.shown("en")["error"]["code"] == "model_auth"
    assert unset.shown("en")["error"]["code"] == "model_unset"
    assert model.requests == []


@pytest.mark.parametrize("status", [403, 404, 405, 501])
def test_a_gateway_without_a_list_of_models_is_not_failed_for_that(
    settings: Settings, status: int
) -> None:
    with PolicyModel(able, lambda key: Refusal(status)) as model:
        health = check(settings(model.url))

    assert health.ok


@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        (Refusal(402), "model_balance"),
        (Refusal(502), "model_down"),
        (Refusal(200, "<html>welcome</html>", html=True), "model_unreadable"),
    ],
)
def test_a_server_that_is_out_of_order_fails_the_check(
    settings: Settings, refusal: Refusal, code: str
) -> None:
    with PolicyModel(able, lambda key: refusal) as model:
        health = check(settings(model.url))

    assert health.error is not None
    assert health.error.code == code


def test_nobody_at_the_address_fails_the_check_and_the_test(settings: Settings) -> None:
    for health in (check(settings()), examined(own(settings()))):
        assert health.error is not None
        assert health.error.code == "model_unreachable"


def test_findings_are_words_in_the_readers_language(settings: Settings) -> None:
    with PolicyModel(lambda r: Reply(content="It says 1234.")) as model:
        health = OpenAIProvider().examine(own(settings(model.url)), "zh")

    shown = {each["name"]: each["detail"] for each in health.shown("zh")["findings"]}
    assert shown["vision"] == "它没有读出图片里的数字，接下来只给它文字。"
    assert json.dumps(health.shown("zh"))
