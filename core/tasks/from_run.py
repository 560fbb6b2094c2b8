"""Make steps of a task out of what a run did on its phone."""

import re
from typing import Any

#: The app in front before the act, and the step that does the same.
Act = tuple[str, dict[str, Any]]
#: Where a step says by itself which app it is about.
BEGINS = ("open_app", "close_app", "open_url", "run_action")
HOME = {"type": "press_key", "key": "home"}
#: What makers call the app that shows the home screen.
_HOME_APP = re.compile(r"launcher|\.home\b|\.trebuchet|nexuslauncher")


def steps_of(acts: list[Act]) -> list[dict[str, Any]]:
    """Give the steps that do again what a run did.

    They begin with an app that is started afresh, since a task begins anywhere; what the run
    did twice in a row is done once.
    """
    kept = [act for at, act in enumerate(acts) if at == 0 or act != acts[at - 1]]
    while kept and (kept[0][1] == HOME or _opens_from_home(kept)):
        del kept[0]
    if not kept:
        return []
    app, first = kept[0]
    steps = [step for _, step in kept]
    if first["type"] == "open_app":
        return [*_close(app), *steps]
    if first["type"] in BEGINS:
        return steps
    if _is_home(app):
        return [HOME, *steps]
    return [*_close(app), *([{"type": "open_app", "app": app}] if app else []), *steps]


def _opens_from_home(acts: list[Act]) -> bool:
    """Say whether the first act is a tap on an icon, after which another app is in front."""
    if len(acts) < 2 or not acts[1][0]:
        return False
    (app, step), (follows, _) = acts[:2]
    return _is_home(app) and step["type"] == "click" and not _is_home(follows)


def _is_home(app: str) -> bool:
    return _HOME_APP.search(app) is not None


def _close(app: str) -> list[dict[str, Any]]:
    return [{"type": "close_app", "app": app}] if app and not _is_home(app) else []
