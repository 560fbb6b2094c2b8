"""Say in a few lines which types of steps there are, for a model that writes some.

Made of the registry, as the JSON Schema is; the schema itself costs a model eight times as much.
"""

from functools import cache

from core.steps.schema import STEP_TYPES, Selector, StepParams

COMMON = frozenset(StepParams.model_fields)
LEAD = "A list of flat objects {type, …}; in {} what a type needs, ? marks what may be left out: "
SELECTOR = "selector is an object of {keys}; all given keys must fit."
MAY = "Any step may carry optional, note, timeout_s and alternatives (more selectors)."


@cache
def outline() -> str:
    """Give every type with its keys, and what a selector is made of."""
    types = "; ".join(_line(kind, STEP_TYPES.get(kind)) for kind in STEP_TYPES)
    return f"{LEAD}{types}. {SELECTOR.format(keys=', '.join(Selector.model_fields))} {MAY}"


def _line(kind: str, model: type[StepParams]) -> str:
    keys = [
        f"{field.alias or name}{'' if field.is_required() else '?'}"
        for name, field in model.model_fields.items()
        if name not in COMMON
    ]
    return f"{kind} {{{', '.join(keys)}}}"
