"""A task run as one page that needs nothing else: what a file of it is made of."""

import base64
from typing import Any

from core import artifacts
from core.errors import NotFound
from core.setup import Instance
from core.tasks import runs
from core.words import Lang

PICTURES_MOST = 200
#: Types whose pictures are shown; what may carry script is never put into a page.
SHOWN = ("image/jpeg", "image/png", "image/webp")


def report(instance: Instance, run_id: str, lang: Lang) -> dict[str, Any]:
    """Give a run with its pictures as ``data:`` addresses; those that are gone are empty.

    Each step has ``share``, its part of the longest step's time in percent.

    Raises:
        NotFound: There is no such run.
    """
    run = runs.get(instance.db, run_id, lang)
    longest = max((step["ms"] for step in run["steps"]), default=0) or 1
    left = PICTURES_MOST
    for step in run["steps"]:
        step["share"] = round(step["ms"] * 100 / longest)
        for picture in step.get("pictures", ()):
            picture["data"] = _data(instance, picture["url"]) if left > 0 else ""
            left -= 1
    return run


def _data(instance: Instance, url: str) -> str:
    try:
        found = artifacts.find(instance, url.rsplit("/", 1)[1])
    except NotFound:
        return ""
    if found.mime not in SHOWN:
        return ""
    return f"data:{found.mime};base64,{base64.b64encode(found.path.read_bytes()).decode()}"
