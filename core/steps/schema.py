"""What every step is made of: the registry of types, common keys, selectors, nested steps.

One frozen model a type, in `core.steps.types`; everything else that knows steps reads the
registry. Keys are camel case where uiautomator2's are.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from lxml import etree
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    SerializeAsAny,
    StringConstraints,
    ValidationError,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from core.registry import Registry
from core.screen.xpaths import searches_too_much

MANY = 400
#: A value that comes from inputs, a data row or an earlier ``extract``.
OPEN, CLOSE = "{{", "}}"
Words = Annotated[str, StringConstraints(min_length=1, max_length=500)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Strict(BaseModel):
    """Data from outside: unknown keys are refused, so that a typing error is not silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Selector(Strict):
    """How a step finds its element; all keys must hold, ``instance`` counts the rest from 0."""

    text: Words | None = None
    textContains: Words | None = None
    description: Words | None = None
    descriptionContains: Words | None = None
    resourceId: Words | None = Field(default=None, description="Whole, or what follows ':id/'")
    className: Words | None = None
    xpath: Words | None = Field(default=None, description="Tags are class names, or 'node'")
    instance: int | None = Field(default=None, ge=0, le=10_000)

    @field_validator("xpath")
    @classmethod
    def _reads(cls, path: str | None) -> str | None:
        if path is not None and OPEN not in path:
            try:
                etree.XPath(path)
            except etree.XPathSyntaxError as error:
                raise ValueError(f"{path} cannot be read: {error}") from error
            if searches_too_much(path):
                raise ValueError(f"{path} searches within its searches, which may never end")
        return path

    @model_validator(mode="after")
    def _finds(self) -> "Selector":
        if not self.given.keys() - {"instance"}:
            keys = ", ".join(key for key in type(self).model_fields if key != "instance")
            raise ValueError(f"it needs at least one of {keys}")
        return self

    @property
    def given(self) -> dict[str, Any]:
        """Give the keys that are set."""
        return {key: value for key, value in self if value is not None}

    @property
    def said(self) -> str:
        """Say it in one line, for a sentence."""
        return ", ".join(
            f"{key}={value}" if key == "instance" else f'{key}="{value}"'
            for key, value in self.given.items()
        )

    @property
    def words(self) -> str:
        """Give what it says of the element, to look for the nearest when there is none."""
        named = (self.text, self.textContains, self.description, self.descriptionContains)
        spoken = next((each for each in named if each), None)
        return spoken or (self.resourceId or "").rpartition("/")[2]


class Expect(Strict):
    """The screen a step was made for: its app, the ids on it, or its shape when it has none.

    ``stands`` says how the switch stood that the step then turned over.
    """

    app: str = Field(default="", max_length=200)
    ids: tuple[Name, ...] = Field(default=(), max_length=MANY)
    shape: tuple[Name, ...] = Field(default=(), max_length=MANY)
    stands: Literal["on", "off"] | None = None


class StepParams(Strict):
    """The keys that any step may carry.

    ``waits_s`` is how long a type looks for its element by itself; an ``idempotent`` type may be
    done twice without harm, and only such a one is ever tried again.
    """

    waits_s: ClassVar[float] = 10.0
    idempotent: ClassVar[bool] = False

    type: str
    optional: bool = Field(default=False, description="Go on when it fails")
    note: str = Field(default="", max_length=500)
    timeout_s: float | None = Field(default=None, gt=0, le=300, allow_inf_nan=False)
    alternatives: tuple[Selector, ...] = Field(default=(), max_length=8)
    expect: Expect | None = None

    @property
    def patience_s(self) -> float:
        """Give how long the step may look for what it needs."""
        return self.waits_s if self.timeout_s is None else self.timeout_s


STEP_TYPES: Registry[type[StepParams]] = Registry("step type")


def as_step(raw: Any) -> StepParams:
    """Check one step by its type's model.

    Raises:
        ValidationError: It does not fit; the places in it are within the step.
    """
    if isinstance(raw, StepParams):
        return raw
    if not isinstance(raw, Mapping):
        raise ValueError("a step is an object {type, …}")
    kind = raw.get("type")
    if not isinstance(kind, str) or kind not in STEP_TYPES:
        said = f"no step type {kind!r}" if "type" in raw else "a step needs a type"
        problem = PydanticCustomError("step_type", "{said}; there are {known}", _known(said))
        where = InitErrorDetails(type=problem, loc=("type",), input=kind)
        raise ValidationError.from_exception_data("step", [where])
    return STEP_TYPES.get(kind).model_validate(dict(raw))


def _known(said: str) -> dict[str, Any]:
    return {"said": said[:200], "known": ", ".join(STEP_TYPES)}


#: Stands in a type's schema for a step of any type; pydantic takes no reference to it.
ANY_STEP: dict[str, Any] = {"title": "Step", "type": "object"}
#: A step of any type inside another; checked by `as_step`.
AnyStep = Annotated[SerializeAsAny[StepParams], PlainValidator(as_step), WithJsonSchema(ANY_STEP)]
Steps = tuple[AnyStep, ...]
