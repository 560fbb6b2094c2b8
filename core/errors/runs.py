"""A run that cannot start, go on or be spoken to."""

from core.errors.base import Conflict


class ConversationBusy(Conflict):
    """A run of the conversation is going on."""

    code = "conversation_busy"


class SlotBusy(Conflict):
    """Every agent slot is taken; details: ``holder``."""

    code = "slot_busy"


class RunOver(Conflict):
    """The run has ended, so it takes no more messages or answers."""

    code = "run_over"


class RunTimeout(Conflict):
    """A task run took longer than it may; details: ``limit_s``."""

    code = "run_timeout"


class Interrupted(Conflict):
    """The process that carried a task run is gone."""

    code = "interrupted"


class StepLimit(Conflict):
    """The run has used up its steps; details: ``steps``."""

    code = "step_limit"


class LoopDetected(Conflict):
    """The brain goes in circles; details: ``tool`` and ``times``."""

    code = "loop_detected"
