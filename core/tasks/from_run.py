"""Make steps of a task out of what a run did on its phone."""

from typing import Any

Act = tuple[str, dict[str, Any]]
#: Where a step says by itself which app it is about.
BEGINS = ("open_app", "open_url", "run_action")


def steps_of(acts: list[Act]) -> list[dict[str, Any]]:
    """Give the steps that do again what a run did.

    They begin with an app that is started afresh, since a task begins anywhere; what the run
    typed or opened twice in a row is done once.
    """
    kept = [act for at, act in enumerate(acts) if at == 0 or act[1] != acts[at - 1][1]]
    while kept and kept[0][1] == {"type": "press_key", "key": "home"}:
        del kept[0]
    if not kept:
        return []
    app, first = kept[0]
    steps = [step for _, step in kept]
    if first["type"] == "close_app" or (first["type"] in BEGINS and first["type"] != "open_app"):
        return steps
    if first["type"] != "open_app" and app:
        steps = [{"type": "open_app", "app": app}, *steps]
    return [{"type": "close_app", "app": app}, *steps] if app else steps
