"""What the API takes and gives: the models from which ``/openapi.json`` is generated."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from core.model_profiles import MAX_KEPT
from core.runs.usage import Price
from core.settings import SettingsChange


class Takes(BaseModel):
    """A request body: unknown keys are refused, so that a typing error is not silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Gives(BaseModel):
    """An answer; more may be added to it later."""

    model_config = ConfigDict(extra="allow")


class ErrorBody(Gives):
    """What went wrong, in the reader's language; ``code`` is stable."""

    code: str
    message: str
    hint: str
    path: str | None = None


class ErrorAnswer(Gives):
    """The one form of every refusal."""

    error: ErrorBody


class Login(Takes):
    """Who wants in."""

    username: str = Field(min_length=1, max_length=64)
    password: str = Field(min_length=1, max_length=256)


class LoggedIn(Gives):
    """Who is in; ``csrf`` goes into ``X-CSRF-Token`` of every unsafe request."""

    user: str
    role: str
    csrf: str | None


class Me(LoggedIn):
    """Who asks, and the language chosen; empty means: as the browser says."""

    id: str
    lang: str


class MeChange(Takes):
    """What a user changes about themselves."""

    lang: Literal["zh", "en"] | None = None
    old_password: str | None = Field(default=None, max_length=256)
    new_password: str | None = Field(default=None, min_length=8, max_length=256)


def _readable(name: str) -> str:
    if name != name.strip() or not name.isprintable():
        raise ValueError("a name has no blanks at its ends and nothing that cannot be seen")
    return name


Name = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_readable)]
RoleName = Literal["viewer", "operator", "admin"]


class NewUser(Takes):
    """Somebody who may log in; without a password one is made."""

    name: Name
    role: RoleName
    password: str | None = Field(default=None, min_length=8, max_length=256)


class UserChange(Takes):
    """Another role, or a new password to be made."""

    role: RoleName | None = None
    reset_password: bool = False


class UserShown(Gives):
    """A user; ``seen`` is when one of their sessions was last used."""

    id: str
    name: str
    role: str
    created: str
    seen: str | None
    sessions: int
    tokens: int
    password: str | None = None


class UserPage(Gives):
    """Users by name."""

    items: list[UserShown]
    next: str | None


class SessionShown(Gives):
    """A browser that is logged in; ``current`` is the one that asks."""

    id: str
    user: str
    user_id: str
    address: str
    agent: str
    created: str
    used: str
    expires: str
    current: bool


class SessionPage(Gives):
    """Sessions, last used first."""

    items: list[SessionShown]
    next: str | None


class NewToken(Takes):
    """A program's key to be made; its role is at most one's own."""

    name: Name
    role: RoleName


class Token(Gives):
    """The secret, shown this once."""

    token: str


class TokenShown(Gives):
    """A program's key without its secret."""

    id: str
    name: str
    role: str
    user: str
    user_id: str
    created: str
    used: str | None


class TokenPage(Gives):
    """API tokens, newest first."""

    items: list[TokenShown]
    next: str | None


class AuditShown(Gives):
    """What somebody did; ``action`` is the operation's name, ``times`` counts quick repeats."""

    id: int
    who: str
    token: str
    action: str
    method: str
    target: str
    status: int
    address: str
    times: int
    created: str
    until: str


class AuditPage(Gives):
    """What was done, newest first."""

    items: list[AuditShown]
    next: str | None


class NewRun(Takes):
    """One sentence for a phone."""

    prompt: str = Field(min_length=1, max_length=20_000)
    serial: str | None = Field(default=None, max_length=128)
    conv_id: str | None = Field(default=None, max_length=16)
    mode: Literal["chat"] = "chat"
    channel: Literal["phone"] = "phone"
    autonomy: Literal["observe", "confirm_all", "confirm_risky", "auto"] | None = None


class RunStarted(Gives):
    """The run is accepted and will end, whatever happens."""

    run_id: str
    conv_id: str


class Followup(Takes):
    """Something to add while it runs."""

    text: str = Field(min_length=1, max_length=20_000)


class Answer(Takes):
    """What a person says to a run's question; one of its options' values, or text."""

    question_id: str = Field(min_length=1, max_length=16)
    value: str = Field(min_length=1, max_length=4_000)


class ActionChange(Takes):
    """A named list of steps; `GET /api/agent/steps` describes the steps."""

    name: str = Field(min_length=1, max_length=100)
    aliases: list[Annotated[str, Field(min_length=1, max_length=100)]] = Field(
        default_factory=list, max_length=20
    )
    app: str = Field(default="", max_length=200)
    steps: list[dict[str, Any]]


class ActionShown(Gives):
    """A saved action; ``uses`` counts how often it was replayed."""

    id: str
    name: str
    aliases: list[str]
    app: str
    steps: list[dict[str, Any]]
    uses: int
    used: str | None
    created: str
    updated: str


class ActionPage(Gives):
    """Actions, last changed first."""

    items: list[ActionShown]
    next: str | None


class StepsShown(Gives):
    """The JSON Schema of a list of steps, and the types that never stand in an action."""

    schema_: dict[str, Any] = Field(alias="schema")
    never_in_actions: list[str]


class NewRule(Takes):
    """Allow acts of an app without asking, or ask though they look harmless; empty means any."""

    app: str = Field(min_length=1, max_length=200)
    kind: Literal[
        "",
        "pay",
        "order",
        "transfer",
        "send",
        "publish",
        "delete",
        "install",
        "grant",
        "log_in",
        "call",
        "reset",
        "open",
    ] = ""
    label: str = Field(default="", max_length=200)
    effect: Literal["allow", "ask"]


class RuleShown(Gives):
    """A decision about an app's acts."""

    id: str
    app: str
    kind: str
    label: str
    effect: str
    created: str
    created_by: str


class RulePage(Gives):
    """Decisions, newest first."""

    items: list[RuleShown]
    next: str | None


class Option(Gives):
    """One answer to choose."""

    value: str
    label: str


class QuestionShown(Gives):
    """What a run waits for; as in its ``question`` event."""

    question_id: str
    kind: Literal["question", "approval", "takeover"]
    title: str
    question: str
    options: list[Option]
    expires_at: str | None


class Accepted(Gives):
    """It is written down."""

    message_id: str


class Ok(Gives):
    """It is done."""

    ok: bool = True


class LiveRun(Gives):
    """A run that goes on."""

    run_id: str
    conv_id: str
    serial: str | None
    mode: str
    status: str
    step: int
    max_steps: int
    question: QuestionShown | None = None


class Snapshot(Gives):
    """What runs now: the oldest as ``run``, all of them in ``runs``."""

    running: bool
    run: LiveRun | None
    runs: list[LiveRun]


class RunShown(LiveRun):
    """A run of the history."""

    channel: str
    provider: str
    prompt: str
    created: str
    ended: str | None


class RunDetail(RunShown):
    """A run with its steps, in the payload of the ``step`` event."""

    steps: list[dict[str, Any]]


class Again(Takes):
    """How to go on after a run that broke off: where it was, or from the beginning."""

    how: Literal["resume", "restart"]


class RunPage(Gives):
    """Runs, newest first."""

    items: list[RunShown]
    next: str | None


class ConversationShown(Gives):
    """A conversation in the list; one without owner may be changed by every operator."""

    id: str
    title: str
    serial: str | None
    owner_id: str | None
    owner: str | None
    tokens: int
    created: str
    updated: str


class ConversationPage(Gives):
    """Conversations, last used first."""

    items: list[ConversationShown]
    next: str | None


class NewConversation(Takes):
    """An empty conversation."""

    title: str = Field(default="", max_length=200)


class Rename(Takes):
    """Another title."""

    title: str = Field(min_length=1, max_length=200)


class MessageShown(Gives):
    """One message; an answer carries usage, reasoning, steps and how it ended."""

    id: int
    role: str
    content: str
    run_id: str | None
    created: str


class ConversationDetail(ConversationShown):
    """A conversation with its newest messages; ``next`` pages older ones in."""

    messages: list[MessageShown]
    next: int | None


class LeaseShown(Gives):
    """Who holds a device."""

    holder: str
    label: str
    since: str
    until: str


class DeviceShown(Gives):
    """One device."""

    serial: str
    hardware_serial: str
    alias: str
    tags: list[str]
    model: str
    android: str
    state: str
    since: str
    lease: LeaseShown | None
    width: int
    height: int
    reason: str | None = None
    battery: int | None = None
    storage_mb: int | None = None
    has_pin: bool = False


class DevicePage(Gives):
    """All devices."""

    items: list[DeviceShown]
    next: str | None = None


class Connect(Takes):
    """A phone's network address, ``host:port``."""

    address: str = Field(min_length=3, max_length=128, pattern=r"^[A-Za-z0-9_.:\-\[\]%]+$")


class Pair(Takes):
    """What a phone shows under Wireless debugging, Pair device with pairing code."""

    address: str = Field(min_length=3, max_length=128, pattern=r"^[A-Za-z0-9_.:\-\[\]]+$")
    code: str = Field(pattern=r"^\d{6}$")


class DeviceEdit(Takes):
    """What a person calls a device and sorts it by; what is left out stays."""

    alias: str | None = Field(default=None, max_length=64)
    tags: list[Annotated[str, Field(min_length=1, max_length=32)]] | None = Field(
        default=None, max_length=20
    )


class DevicePin(Takes):
    """The PIN of a device's lock; null forgets it."""

    pin: str | None = Field(pattern=r"^\d{4,16}$")


class FindingShown(Gives):
    """Something that hampers a device, and what to do about it."""

    code: str
    message: str
    hint: str


class Examined(Gives):
    """What was found on a device; nothing when ``ok``."""

    ok: bool
    findings: list[FindingShown]


class Connected(Gives):
    """The device as adb names it now."""

    serial: str


class Input(Takes):
    """A person's touch on the live picture, in the device's pixels.

    ``screen`` is the size that the picture named; when the phone was turned since, the touch is
    refused.
    """

    type: Literal["tap", "long_press", "swipe", "key", "text"]
    x: int | None = Field(default=None, ge=0)
    y: int | None = Field(default=None, ge=0)
    from_: tuple[int, int] | None = Field(default=None, alias="from")
    to: tuple[int, int] | None = None
    ms: int | None = Field(default=None, ge=1, le=10_000)
    key: str | None = Field(default=None, max_length=32)
    text: str | None = Field(default=None, max_length=5_000)
    screen: tuple[int, int] | None = None


class ConfigChange(SettingsChange):
    """A change of the settings; what is only shown may come back and changes nothing."""

    agent_task_draft: dict[str, Any] | None = None
    providers: list[str] | None = None

    @property
    def settings(self) -> SettingsChange:
        """The part that changes something."""
        return SettingsChange.model_validate(
            self.model_dump(exclude_none=True, exclude={"agent_task_draft", "providers"})
        )


class ConfigShown(Gives):
    """The agent's settings; the key is masked."""

    agent_api_base: str
    agent_model: str
    agent_api_key: str
    agent_default_serial: str
    agent_max_steps: int
    agent_provider: str
    agent_slots: int
    agent_autonomy: str
    agent_vision: str
    agent_budget_tokens: int
    agent_budget_cost: float
    agent_budget_minutes: float
    agent_retention_days: int
    agent_retention_gb: float
    agent_prices: dict[str, Price]
    agent_task_draft: dict[str, Any] | None
    providers: list[str]


class ProfileChange(Takes):
    """What a person decides about a model; the rest is found out."""

    pictures_kept: int = Field(ge=1, le=MAX_KEPT)


class ProfileShown(Gives):
    """What is known of the configured model; null where nobody has found out yet."""

    api_base: str
    model: str
    vision: bool | None
    usage: bool | None
    tools: bool | None
    tool_choice: bool | None
    reasoning_field: str
    reasoning_back: bool
    pictures_max: int | None
    pictures_kept: int


class Tried(Gives):
    """One thing that was tried of a brain; ``ok`` is null when it could not be."""

    name: str
    ok: bool | None
    detail: str


class TestResult(Gives):
    """Whether the configured brain can do what a run needs."""

    ok: bool
    provider: str
    model: str | None = None
    ms: int | None = None
    error: dict[str, Any] | None = None
    findings: list[Tried] = []
