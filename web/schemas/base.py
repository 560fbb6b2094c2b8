"""What every body and answer of the API has in common, and the one form of a refusal."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

LAST_ID = 2**63 - 1
RowId = Annotated[int, Field(ge=0, le=LAST_ID)]


class Takes(BaseModel):
    """A request body: unknown keys are refused, so that a typing error is not silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Gives(BaseModel):
    """An answer; more may be added to it later."""

    model_config = ConfigDict(extra="allow")


class ErrorBody(Gives):
    """What went wrong, in the reader's language; ``code`` is stable."""

    code: str
    message: str
    hint: str
    path: str | None = None


class ErrorAnswer(Gives):
    """The one form of every refusal."""

    error: ErrorBody


class Accepted(Gives):
    """It is written down."""

    message_id: str


class Ok(Gives):
    """It is done."""

    ok: bool = True
