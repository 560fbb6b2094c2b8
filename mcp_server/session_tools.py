"""The tools that belong to a run rather than to a phone."""

from collections.abc import Sequence
from typing import Annotated

from mcp.types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from core.errors import ElementGone
from core.runs import acts, proof, questions
from core.runs.proof import Checked
from core.runs.questions import Asking
from core.screen.elements import Element
from core.screen.screen import Screen
from mcp_server.access import Access, Device
from mcp_server.checks import Check, Judge, as_step
from mcp_server.device_apps import package_of
from mcp_server.sight import Sight, look
from mcp_server.toolbox import READ, Spec, waiting

MOST = 20
ASK_S = 300.0
ASKED = 'Asked. Waiting for the answer: call de_wait_for {{"question": "{question_id}"}}.'
CHECK_SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "Words that are shown"},
        "element": {"type": "string", "description": "Words or number of an element"},
        "app": {"type": "string", "description": "App in front"},
        "value": {
            "type": "string",
            "description": "on, off, selected or a text: of element, else of a field",
        },
        "gone": {"type": "boolean", "description": "Shall not be so"},
    },
}
Checks = Annotated[
    list[Check],
    Field(min_length=1, max_length=MOST),
    WithJsonSchema({"type": "array", "items": CHECK_SCHEMA, "minItems": 1, "maxItems": MOST}),
]


class Option(BaseModel):
    """One of the answers that a person may choose; without a value it is its label."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    label: str = Field(min_length=1, max_length=80)
    value: str = Field(default="", max_length=200)
    selectedLabel: str = Field(default="", max_length=80)


Options = Sequence[str | Option]
OPTIONS = WithJsonSchema(
    {"type": "array", "items": {"type": "string"}, "description": "Answers to choose from"}
)


class SessionTools:
    """Every method is a tool of a run and its docstring the tool's description."""

    def __init__(self, access: Access, sight: Sight) -> None:
        self.access = access
        self.sight = sight

    def specs(self) -> list[Spec]:
        """List the tools."""
        return [
            Spec(self.prove, "Prove the result", READ, runs_only=True),
            Spec(self.ask_user_question, "Ask the person", READ, runs_only=True),
        ]

    def prove(self, checks: Checks) -> str:
        """Have the result checked on the screen as it is now; do it before you say it is done."""
        run_id = self.access.run_id()
        device = self.access.device(None)
        judge = self._judge(device)
        results = [judge.judge(check) for check in checks]
        proof.keep(self.access.db, run_id, results)
        for check, result in zip(checks, results, strict=True):
            step = as_step(check, judge) if result.met else None
            if step is not None:
                acts.keep(self.access.db, run_id, judge.screen.app.package, step)
        return _said(results)

    def ask_user_question(
        self,
        title: Annotated[str, Field(description="A few words", max_length=80)],
        question: Annotated[str, Field(min_length=1, max_length=2000)],
        options: Annotated[Options, OPTIONS] = (),
        timeout: Annotated[float, Field(description="Seconds", ge=5, le=1800)] = ASK_S,
    ) -> CallToolResult:
        """Ask the person what cannot be found out on the phone; without options any text."""
        asking = Asking(
            kind="question",
            title=title,
            question=question,
            options=tuple(_option(each) for each in options),
            lives_s=timeout,
        )
        asked = questions.ask(self.access.db, self.access.run_id(), asking)
        text = ASKED.format(question_id=asked.question_id)
        return waiting(asked.question_id, "question", text)

    def _judge(self, device: Device) -> Judge:
        def numbered(number: int, now: Screen) -> Element | None:
            try:
                return self.sight.numbered(device, number, now)
            except ElementGone:
                return None

        def is_app(app: str, package: str) -> bool:
            return app == package or package_of(device, app) == package

        return Judge(look(device.slot.phone), numbered, is_app)


def _option(option: str | Option) -> tuple[str, str]:
    if isinstance(option, str):
        return option, option
    return option.value or option.label, option.label


def _said(results: list[Checked]) -> str:
    failed = [result for result in results if not result.met]
    lines = [f"{'met' if r.met else 'NOT MET'}: {r.key}; {r.seen}" for r in results]
    lead = f"{len(failed)} of {len(results)} checks failed." if failed else "Proved."
    return "\n".join([lead, *lines])
