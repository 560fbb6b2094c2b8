"""Whether an app still has the screens on which a job was learned: only a new layout says no."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select

from core.config import Config
from core.devices.base import AppInfo, Observation, Size
from core.memory import evidence, experiences, library, screens
from core.memory.experiences import Experience, NewExperience
from core.memory.screens import Drift, Stood
from core.models import Experience as Row
from core.screen import screen
from core.setup import Instance, ensure
from core.steps import likeness
from core.steps.schema import Expect
from virtual_phone import hierarchy
from virtual_phone.android import Phone
from virtual_phone.profile import Profile

SETTINGS, XIAOJI = "com.android.settings", "com.example.xiaoji"
MAIN: dict[str, Any] = {}
BLUETOOTH = {"settings.ui.stack": ["main", "bluetooth_page"]}
DISPLAY = {"settings.ui.stack": ["main", "display"]}
POST = {"xiaoji.ui.page": "post", "xiaoji.ui.post": 1}
NEW = {"xiaoji.redesigned": True}
TASK, RECIPE = "在小集里搜索咖啡", "打开小集，输入咖啡，点搜索。"
HOME = ("home", "list", "search")
DETAIL = ("detail", "buy", "price")
CART = ("cart", "pay", "sum")


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    made = ensure(Config(phonedeck_data=tmp_path_factory.mktemp("screens") / "data"))
    yield made
    made.db.close()


def drawn(package: str, page: dict[str, Any], **profile: Any) -> Expect:
    """Draw a page of an app on a virtual phone, and take down what it is made of."""
    phone = Phone(Profile(**profile))
    app = phone.app(package)
    assert app is not None
    phone.start(app)
    for path, value in page.items():
        phone.set(path, value)
    xml = hierarchy.full_dump(phone.windows(), 0, 50)
    front = AppInfo(phone.foreground.package, phone.activity)
    seen = Observation(xml, front, Size(*phone.size), 0, False, "", True)
    return likeness.of(screen.read(seen))


def made_of(*parts: tuple[str, ...], app: str = "shop") -> tuple[Expect, ...]:
    return tuple(Expect(app=app, ids=ids) for ids in parts)


def kept(instance: Instance, *known: Expect, package: str = XIAOJI) -> str:
    wanted = NewExperience(TASK, RECIPE, package=package, screens=known)
    with instance.db.write() as session:
        return experiences.add(session, wanted).experience_id


def held(instance: Instance, experience_id: str, *seen: Expect, success: bool = True) -> bool:
    """Hold a run that acted on these screens against an experience; says whether it drifted."""
    stood = Stood(seen, success)
    with instance.db.write() as session:
        return bool(experiences.find_drifted(session, [experience_id], stood))


def of(instance: Instance, experience_id: str) -> Experience:
    return experiences.get(instance.db, experience_id)


@pytest.mark.parametrize(
    ("package", "page"),
    [(SETTINGS, MAIN), (SETTINGS, BLUETOOTH), (SETTINGS, DISPLAY), (XIAOJI, MAIN), (XIAOJI, POST)],
)
@pytest.mark.parametrize(
    ("profile", "changes"),
    [
        ({"width": 720, "height": 1280, "density": 320}, {}),
        ({"width": 2400, "height": 1080}, {}),
        ({"locale": "en-US"}, {}),
        ({}, {"settings.dark_mode": True, "settings.font_size": "large"}),
        ({}, {"settings.bluetooth": True, "settings.wifi": False}),
        ({}, {"settings.ui.scrolls.main": 900, "xiaoji.ui.scroll": 3000}),
        ({}, {"xiaoji.ui.searched": "没有这样的帖子"}),
        ({}, {"xiaoji.renewed": True}),
    ],
)
def test_the_same_screen_on_another_phone_or_in_another_state_is_no_drift(
    package: str, page: dict[str, Any], profile: dict[str, Any], changes: dict[str, Any]
) -> None:
    before, now = drawn(package, page), drawn(package, {**changes, **page}, **profile)

    assert screens.drift([before], Stood((now,), success=True)) is None


def test_a_page_that_is_laid_out_anew_is_another_whatever_its_words() -> None:
    before, now = drawn(XIAOJI, MAIN), drawn(XIAOJI, NEW)

    assert screens.drift([before], Stood((now,), success=True)) == Drift(0, 1)
    assert screens.drift([before], Stood((now,), success=False)) == Drift(0, 1)


@pytest.mark.parametrize(
    ("known", "seen", "success", "drifted"),
    [
        ((HOME, DETAIL, CART), (("new",), ("newer",)), True, 0),
        ((HOME, DETAIL, CART), (HOME, ("new",), ("newer",)), True, 1),
        ((HOME, DETAIL, CART), (HOME, ("lost",), ("astray",)), False, None),  # it got lost
        ((HOME, DETAIL, CART), (HOME,), False, None),  # it gave up
        ((HOME, DETAIL), (HOME, ("tour",), ("ad",), ("more",)), True, None),  # half is left
        ((HOME, DETAIL, CART), (("new",), CART), True, None),  # another way in
        ((HOME,), (HOME, ("a",), ("b",)), True, None),
    ],
)
def test_how_many_screens_must_be_gone(
    known: tuple[tuple[str, ...], ...],
    seen: tuple[tuple[str, ...], ...],
    success: bool,
    drifted: int | None,
) -> None:
    found = screens.drift(made_of(*known), Stood(made_of(*seen), success))

    assert found == (None if drifted is None else Drift(drifted, len(known)))


def test_what_drifted_is_stale_in_the_readers_words_and_a_review_says_so(
    instance: Instance,
) -> None:
    one = kept(instance, drawn(XIAOJI, MAIN))

    assert held(instance, one, drawn(XIAOJI, NEW), success=False)

    stale = of(instance, one)
    said = [stale.shown(lang)["stale"] for lang in ("zh", "en")]
    assert said == [
        "应用的界面变了：当时的 1 个界面，后来只遇到 0 个",
        "The app is laid out anew: a run met 0 of its 1 screens",
    ]
    [against] = evidence.case(instance.db, stale, stale.updated).evidence
    assert (against.code, said[1] in against.shown("en")["message"]) == ("stale", True)


def test_nothing_is_said_of_an_app_in_which_the_run_did_not_act(instance: Instance) -> None:
    one, by_hand = kept(instance, drawn(XIAOJI, MAIN)), kept(instance, package="")

    drifted = [held(instance, one), held(instance, one, drawn(SETTINGS, MAIN))]
    drifted.append(held(instance, by_hand, drawn(SETTINGS, MAIN)))

    assert drifted == [False, False, False]
    assert screens_of(instance, by_hand) == []


def test_what_has_no_screens_yet_gets_those_of_a_run_that_went_well(instance: Instance) -> None:
    one = kept(instance)
    way = (drawn(XIAOJI, MAIN), drawn(SETTINGS, MAIN), drawn(XIAOJI, POST))

    held(instance, one, *way, success=False)
    before = screens_of(instance, one)
    held(instance, one, *way)

    assert before == []
    assert [each["app"] for each in screens_of(instance, one)] == [XIAOJI, XIAOJI]
    assert held(instance, one, drawn(XIAOJI, NEW))


def test_a_recipe_that_a_run_renewed_is_one_of_the_screens_of_that_run(instance: Instance) -> None:
    one = kept(instance, drawn(XIAOJI, MAIN))
    now = drawn(XIAOJI, NEW)
    held(instance, one, now)

    with instance.db.write() as session:
        renewed = NewExperience(TASK, "打开小集，在底部输入。", package=XIAOJI, screens=(now,))
        experiences.renew(session, one, renewed)

    assert of(instance, one).stale == ""
    assert not held(instance, one, now)
    assert held(instance, one, drawn(XIAOJI, MAIN))


def test_a_recipe_that_a_person_mended_is_not_held_against_the_old_screens(
    instance: Instance,
) -> None:
    one, other = kept(instance, drawn(XIAOJI, MAIN)), kept(instance, drawn(XIAOJI, MAIN))
    held(instance, one, drawn(XIAOJI, NEW), success=False)

    with instance.db.write() as session:
        for each in (one, other):
            experiences.change(session, each, TASK, "打开小集，在底部输入。", "小集")

    assert (screens_of(instance, one), len(screens_of(instance, other))) == ([], 1)
    assert not held(instance, one, drawn(XIAOJI, NEW))


def test_screens_stay_on_their_rack(instance: Instance) -> None:
    kept(instance, drawn(XIAOJI, MAIN))

    out = list(library.taken_out(instance.db))

    assert out
    assert not any("screens" in each for each in out)


def test_what_is_kept_of_screens_is_bounded() -> None:
    many = made_of(*((f"page{at}", "list", "bar") for at in range(30)))
    wide = Expect(app="shop", ids=tuple(f"{at:0200}" for at in range(90)))

    assert len(screens.kept(many, "shop")) == screens.MOST
    assert len(screens.kept([wide, wide], "shop")) == 1
    assert screens.kept(many, "") == screens.kept(many, "other") == []


def screens_of(instance: Instance, experience_id: str) -> list[dict[str, Any]]:
    with instance.db.read() as session:
        return list(session.scalars(select(Row.screens).where(Row.id == experience_id)).one())
