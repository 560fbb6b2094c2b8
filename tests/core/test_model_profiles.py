"""What is known of models: kept for good, by address and name."""

from core import settings
from core.db import Database
from core.model_profiles import ModelProfile, ProfileBook
from core.models import ModelFacts
from core.settings import SettingsChange
from core.setup import Instance

BASE = "https://models.example/v1"


def test_what_was_learned_is_known_after_a_restart(instance: Instance) -> None:
    ProfileBook(instance.db).learn(BASE, "m1", vision=False)
    ProfileBook(instance.db).learn(BASE, "m1", usage=True)

    again = ProfileBook(Database(instance.db.url))

    assert again.get(BASE, "m1") == ModelProfile(vision=False, usage=True)


def test_each_model_at_each_address_is_known_by_itself(instance: Instance) -> None:
    book = ProfileBook(instance.db)

    book.learn(BASE + "/", "m1", vision=True)

    assert book.get(BASE, "m1").vision is True
    assert book.get(BASE, "m2").vision is None
    assert book.get("https://other.example/v1", "m1").vision is None


def test_facts_that_cannot_be_read_are_learned_anew(instance: Instance) -> None:
    with instance.db.write() as session:
        session.add(ModelFacts(api_base=BASE, model="m1", facts={"pictures_kept": 9}))

    known = ProfileBook(instance.db).get(BASE, "m1")

    assert known == ModelProfile()


def test_no_more_pictures_are_kept_than_a_request_may_hold() -> None:
    assert ModelProfile(pictures_kept=3).pictures == 3
    assert ModelProfile(pictures_kept=3, pictures_max=2).pictures == 2
    assert ModelProfile(pictures_max=5).pictures == 1


def test_settings_bring_the_profiles_of_their_instance(instance: Instance) -> None:
    settings.save(instance, SettingsChange(agent_model="m1"))
    first = settings.load(instance)
    first.profiles.learn(first.agent_api_base, "m1", vision=False)

    second = settings.load(instance)

    assert second.profiles.get(second.agent_api_base, "m1").vision is False
