"""The tables, a file a noun. A row never leaves ``core``: other packages get dataclasses and dicts.

Whoever takes a table from here has all of them, as the foreign keys and the migrations need.
"""

from core.models.actions import Action, ActionName
from core.models.artifacts import Artifact
from core.models.base import Base, UtcTime
from core.models.conversations import Conversation, ConversationMessage
from core.models.devices import Address, Device, Lease
from core.models.earned import EarnedHour
from core.models.experiences import Experience, ExperienceAudit, ExperienceGram, GramCount
from core.models.inbox import MessageIn, MessageOut
from core.models.instance import AppMeta, ModelFacts
from core.models.people import ApiToken, AuditEntry, AuthSession, User
from core.models.policy_rules import PolicyRule
from core.models.questions import Question
from core.models.runs import Run, RunAct, RunCheck, RunEvent, RunLesson, RunToken
from core.models.task_runs import TaskGroup, TaskRun, TaskRunStep
from core.models.tasks import Task, TaskDue, TaskProposal, TaskRevision

__all__ = [
    "Action",
    "ActionName",
    "Address",
    "ApiToken",
    "AppMeta",
    "Artifact",
    "AuditEntry",
    "AuthSession",
    "Base",
    "Conversation",
    "ConversationMessage",
    "Device",
    "EarnedHour",
    "Experience",
    "ExperienceAudit",
    "ExperienceGram",
    "GramCount",
    "Lease",
    "MessageIn",
    "MessageOut",
    "ModelFacts",
    "PolicyRule",
    "Question",
    "Run",
    "RunAct",
    "RunCheck",
    "RunEvent",
    "RunLesson",
    "RunToken",
    "Task",
    "TaskDue",
    "TaskGroup",
    "TaskProposal",
    "TaskRevision",
    "TaskRun",
    "TaskRunStep",
    "User",
    "UtcTime",
]
