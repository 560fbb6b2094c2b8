"""Files that come with a message."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from core.attachments import MOST
from web.schemas.base import Gives

AttachmentIds = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=16)], ...], Field(max_length=MOST)
]


class Upload(BaseModel):
    """One file; what it is, its bytes say."""

    model_config = ConfigDict(extra="ignore", json_schema_extra={"required": ["file"]})

    # the view checks that it came: SpecTree would write what it refuses as JSON
    file: Annotated[Any, WithJsonSchema({"type": "string", "format": "binary"})] = None


class AttachmentShown(Gives):
    """A file; pictures are shown at ``url``, others only downloaded."""

    id: str
    name: str
    mime: str
    size: int
    url: str


class AttachmentSaid(AttachmentShown):
    """A file with a message that was sent; ``gone``: only its name is still kept."""

    gone: bool = False
