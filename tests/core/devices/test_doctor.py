"""The doctor names what hampers a phone, in the reader's words."""

import pytest

from core.devices import doctor
from core.devices.android import AndroidPhone
from core.devices.finding import Finding, unreachable
from core.errors import DeviceOffline
from core.words import LANGS, catalogue
from virtual_phone.testing import PhoneHandle


def codes(android: AndroidPhone) -> set[str]:
    return {finding.code for finding in doctor.examine(android, [])}


def test_a_sound_phone_has_no_findings(android: AndroidPhone) -> None:
    assert doctor.examine(android, []) == []


def test_network_lock_and_twins_are_found(android: AndroidPhone, phone: PhoneHandle) -> None:
    phone.set("settings.wifi", False)
    phone.set("settings.airplane", True)
    phone.set("system.locked", True)

    found = doctor.examine(android, ["HW1~ab"])

    assert [each.code for each in found] == ["no_network", "locked", "same_serial"]
    assert "aeroplane mode is on" in found[0].shown("en")["hint"]
    assert phone.serialno in found[2].shown("zh")["message"]


def test_an_old_helper_is_found(android: AndroidPhone, phone: PhoneHandle) -> None:
    phone.ask(lambda virtual: virtual.files.write("/data/local/tmp/u2.jar", b"older"))

    found = codes(android)
    android.close()
    android.start()

    assert found == {"helper_stale"}
    assert codes(android) == set()


def test_conditions_are_judged_by_what_the_phone_prints(
    android: AndroidPhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {
        doctor.CONDITION: (
            "  AC powered: false\n  level: 9\n  temperature: 471\n"
            "/dev/block/dm-5  113371756 113169004 202752 99% /data\n"
        ),
        doctor.NO_KEY: "java.lang.SecurityException: Injecting to another application requires "
        "INJECT_EVENTS permission",
    }
    shell = android.link.shell

    def say(command: str, timeout_s: float = 5.0) -> str:
        return answers.get(command) or shell(command, timeout_s)

    monkeypatch.setattr(android.link, "shell", say)

    found = doctor.examine(android, [])

    assert [each.code for each in found] == [
        "storage_low",
        "battery_low",
        "battery_hot",
        "touch_refused",
    ]
    assert found[0].shown("en")["message"] == "Only 198 MB of storage are free."


def test_a_phone_that_cannot_be_asked_is_a_finding_in_the_readers_language() -> None:
    finding = unreachable(DeviceOffline(serial="s1", reason=""), "zh")

    assert finding.shown("zh")["message"] == "现在连不上：设备 s1 没有响应。"


@pytest.mark.parametrize("lang", LANGS)
def test_every_finding_has_words_and_a_hint(lang: str) -> None:
    phrases = catalogue(lang)["phrases"]  # type: ignore[arg-type]
    said = {key for key in phrases if key.startswith("doctor.")}

    assert {key for key in said if not key.endswith(".hint")} == {
        key.removesuffix(".hint") for key in said if key.endswith(".hint")
    }
    assert Finding("locked").shown("en")["hint"]
