"""Text counts as typed only when the field says so."""

from dataclasses import dataclass, field

import pytest

from core.devices.text_entry import Field, TextEntry
from core.errors import PhoneFault, TextNotTyped


@dataclass
class FakeField:
    """A field of a phone on which some ways of typing do not work."""

    text: str = ""
    works: frozenset[str] = frozenset({"set", "paste", "keyboard", "keys"})
    is_password: bool = False
    shows: bool = True
    garbles: bool = False
    used: list[str] = field(default_factory=list)

    def focused_field(self) -> Field | None:
        shown = "•" * len(self.text) if self.is_password else self.text
        return Field(shown, self.is_password) if self.shows else None

    def set_text(self, text: str) -> bool:
        return self._change("set", text)

    def paste(self, text: str) -> bool:
        return self._change("paste", self.text + text)

    def type_by_keyboard(self, text: str) -> bool:
        return self._change("keyboard", self.text + text)

    def input_text(self, text: str) -> None:
        self._change("keys", self.text + text)

    def _change(self, way: str, text: str) -> bool:
        self.used.append(way)
        if way not in self.works:
            raise PhoneFault(serial="s1", detail="refused")
        self.text = text[::-1] if self.garbles else text
        return True


def type_into(phone: FakeField, text: str, *, clear: bool = False) -> str:
    return TextEntry("s1", phone).type(text, clear=clear)


def test_text_is_read_back() -> None:
    assert type_into(FakeField(), "你好，world") == "你好，world"


def test_text_is_added_to_what_is_there_unless_it_shall_be_cleared() -> None:
    assert type_into(FakeField("ab"), "cd") == "abcd"
    assert type_into(FakeField("ab"), "cd", clear=True) == "cd"


@pytest.mark.parametrize(
    ("works", "used"),
    [
        ({"paste"}, ["set", "paste"]),
        ({"keyboard"}, ["set", "paste", "keyboard"]),
        ({"keys"}, ["set", "paste", "keyboard", "keys"]),
    ],
)
def test_the_next_way_is_tried_while_the_field_is_unchanged(
    works: set[str], used: list[str]
) -> None:
    phone = FakeField(works=frozenset(works))

    assert type_into(phone, "hello") == "hello"
    assert phone.used == used


def test_chinese_is_never_sent_as_key_presses() -> None:
    phone = FakeField(works=frozenset({"keys"}))

    with pytest.raises(TextNotTyped, match="The field did not change"):
        type_into(phone, "你好")
    assert "keys" not in phone.used


def test_a_field_that_holds_something_else_is_no_success() -> None:
    with pytest.raises(TextNotTyped, match='It holds "cba" now'):
        type_into(FakeField(garbles=True), "abc")


def test_without_a_focused_field_nothing_is_sent() -> None:
    phone = FakeField(shows=False)

    with pytest.raises(TextNotTyped, match="No text field has the focus"):
        type_into(phone, "abc")
    assert phone.used == []


def test_a_password_counts_by_its_length_and_is_not_told() -> None:
    assert type_into(FakeField(is_password=True), "hunter2") == ""


def test_what_a_password_field_holds_is_in_no_error() -> None:
    phone = FakeField(is_password=True, text="old")
    phone.focused_field = lambda: Field(phone.text, True)  # type: ignore[method-assign]
    phone.paste = lambda text: bool(setattr(phone, "text", "sec")) or True  # type: ignore[method-assign]

    with pytest.raises(TextNotTyped) as refused:
        type_into(phone, "hunter2")

    assert "sec" not in str(refused.value).replace("security", "")
    assert "holds something else" in str(refused.value)


def test_digits_that_a_field_groups_count_as_typed() -> None:
    phone = FakeField()
    phone.set_text = lambda text: bool(setattr(phone, "text", "138 0013 8000")) or True  # type: ignore[method-assign]

    assert type_into(phone, "13800138000") == "138 0013 8000"
