"""Files for a message: kept one by one before it is sent."""

from contextlib import closing
from typing import Any

from flask import Blueprint
from werkzeug.datastructures import FileStorage

from core import attachments
from core.errors import FileEmpty
from web.api import contract
from web.console import console
from web.guard import takes_file
from web.schemas.attachments import AttachmentShown, Upload
from web.schemas.base import Ok

blueprint = Blueprint("attachments", __name__, url_prefix="/api/agent/attachments")


@blueprint.post("")
@takes_file(attachments.MOST_MB)
@contract(gives=AttachmentShown, status=201, form=Upload)
def keep(form: Upload) -> tuple[dict[str, Any], int]:
    """Keep a file (``multipart/form-data``, part ``file``) until a message names its id."""
    if not isinstance(form.file, FileStorage):
        raise FileEmpty(path="file")
    with closing(form.file) as file:  # a large one lies in a temporary file until then
        name, data = file.filename or "", file.stream.read(attachments.MOST_BYTES + 1)
    return attachments.keep(console().instance, name, data).shown(), 201


@blueprint.delete("/<attachment_id>")
@contract(gives=Ok)
def drop(attachment_id: str) -> dict[str, Any]:
    """Let go of a file that was not sent; one that nobody sends goes after a day."""
    attachments.drop(console().instance, attachment_id)
    return {"ok": True}
