"""What somebody saved is not as it was thought to be: a name, a task, a proposal, an action."""

from core.errors.base import Conflict
from core.errors.phones import PhoneFault


class NameTaken(Conflict):
    """Something else is called so; details: ``name``."""

    code = "name_taken"


class TaskChanged(Conflict):
    """Somebody saved the task meanwhile; details: ``who``, ``revision``."""

    code = "task_changed"


class ProposalStale(Conflict):
    """A proposal was decided before, or what it changes is another step by now."""

    code = "proposal_stale"


class ActionFailed(PhoneFault):
    """A saved action ended before its end; details: ``name``, ``step``, ``detail``, ``done``."""

    code = "action_failed"


class ActionLost(PhoneFault):
    """A saved action was on its way when whoever carried it went; details: ``name``."""

    code = "action_lost"


class ActionChanged(PhoneFault):
    """A saved action was changed or deleted while it was on its way; details: ``name``."""

    code = "action_changed"
