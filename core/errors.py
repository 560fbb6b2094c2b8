"""Everything that can go wrong, in one tree.

::

    ConsoleError                    500 internal
    ├── Unauthorized                401 no_login
    │   └── BadLogin                    bad_login
    ├── Forbidden                   403 forbidden
    │   ├── BadCsrf                     bad_csrf
    │   ├── WriteOff                    write_off
    │   ├── WrongDevice                 wrong_device
    │   ├── NotYours                    not_yours
    │   └── RunOnly                     run_only
    ├── NotFound                    404 not_found
    │   └── NoSuchRoute                 no_route
    ├── NotAllowed                  405 method_not_allowed
    ├── Invalid                     400 invalid
    │   ├── WrongPassword               wrong_password
    │   ├── FileEmpty                   file_empty
    │   ├── NoDevice                    no_device
    │   ├── ElementGone                 element_gone
    │   │   └── NotOnPage                   not_on_page
    │   ├── Ambiguous                   ambiguous
    │   ├── NotInTime                   not_in_time
    │   ├── Untouchable                 untouchable
    │   ├── NotAsClaimed                not_as_claimed
    │   └── NoSuchApp                   no_app
    ├── Conflict                    409 conflict
    │   ├── NameTaken                   name_taken
    │   ├── FileUsed                    file_used
    │   ├── LastAdmin                   last_admin
    │   ├── TaskChanged                 task_changed
    │   ├── ProposalStale               proposal_stale
    │   ├── ConversationBusy            conversation_busy
    │   ├── DeviceBusy                  device_busy
    │   ├── SlotBusy                    slot_busy
    │   ├── DeviceOffline               device_offline
    │   │   └── DeviceUnauthorized          device_unauthorized
    │   ├── BatteryLow                  battery_low
    │   ├── StorageLow                  storage_low
    │   ├── NotPaired                   not_paired
    │   ├── LeaseLost                   lease_lost
    │   ├── ScreenTurned                screen_turned
    │   ├── RunOver                     run_over
    │   ├── RunTimeout                  run_timeout
    │   ├── Interrupted                 interrupted
    │   ├── QuestionClosed              question_closed
    │   ├── PersonNeeded
    │   │   ├── ApprovalNeeded              approval_needed
    │   │   └── TakenOver                   taken_over
    │   ├── ApprovalStale               approval_stale
    │   ├── NeedsHuman                  needs_human
    │   ├── LookFirst                   look_first
    │   ├── StepLimit                   step_limit
    │   └── LoopDetected                loop_detected
    ├── TooLarge                    413 too_large
    │   └── FileTooLarge                file_too_large
    ├── DiskLow                     507 disk_low
    ├── WrongHost                   421 wrong_host
    ├── TooMany                     429 too_many_requests
    ├── Unreachable                 503 unreachable
    │   ├── McpUnreachable              mcp_unreachable
    │   ├── McpRefused                  mcp_refused
    │   ├── ToolsMissing                tools_missing
    │   ├── AdbDown                     adb_down
    │   ├── StreamsFull                 streams_full
    │   └── ModelUnset                  model_unset
    ├── PhoneFault                  502 device_fault
    │   ├── DeviceLost                  device_lost
    │   ├── DeviceSlow                  device_slow
    │   ├── CaptureFailed               capture_failed
    │   │   ├── ScreenSecure                screen_secure
    │   │   ├── ScreenBlack                 screen_black
    │   │   └── ScreenOff                   screen_off
    │   ├── TextNotTyped                text_not_typed
    │   ├── ActionFailed                action_failed
    │   ├── TouchRefused                touch_refused
    │   ├── PhoneLocked                 device_locked
    │   ├── StorageFull                 storage_full
    │   └── ScreenUnreadable            screen_unreadable
    └── ModelFault                  502 model_error (model_auth, model_rate, model_balance, …)

A leaf has a stable ``code``; its words come from the catalogue in the reader's language, filled
with the error's ``details``. ``str(error)`` is the English form, which a model reads.
"""

import re
from typing import Any, ClassVar

from core.words import Lang, Words, error_words, phrase


class ConsoleError(Exception):
    """Anything that a person or a model is told about; ``details`` fill the catalogue's words."""

    status: ClassVar[int] = 500
    code: str = "internal"

    def __init__(self, *, path: str | None = None, **details: Any) -> None:
        self.path = path
        self.details = details
        super().__init__(self.code)

    def words(self, lang: Lang) -> Words:
        """Say it in one language."""
        return error_words(self.code, lang, self.details)

    def __str__(self) -> str:
        words = self.words("en")
        return f"{words.message} {words.hint}".strip()

    def body(self, lang: Lang) -> dict[str, Any]:
        """Give the JSON form of CONTRACTS 2: code, message, hint, and path or holder if any."""
        words = self.words(lang)
        body: dict[str, Any] = {"code": self.code, "message": words.message, "hint": words.hint}
        if self.path is not None:
            body["path"] = self.path
        if "holder" in self.details:
            body["holder"] = self.details["holder"]
        return body

    def wire(self) -> dict[str, Any]:
        """Give the form that crosses the loopback between our two processes; see `from_wire`."""
        return {"code": self.code, "path": self.path, "details": self.details}


class Unauthorized(ConsoleError):
    """Nobody is logged in."""

    status = 401
    code = "no_login"


class BadLogin(Unauthorized):
    """The name or the password is wrong; which of them is not said."""

    code = "bad_login"


class Forbidden(ConsoleError):
    """Logged in, but the role does not allow it."""

    status = 403
    code = "forbidden"


class BadCsrf(Forbidden):
    """A browser's unsafe request came without its session's token, or from another site."""

    code = "bad_csrf"


class NotYours(Forbidden):
    """A conversation is changed by its owner and by admins; details: ``owner``."""

    code = "not_yours"


class WriteOff(Forbidden):
    """The MCP server runs without ``MCP_ALLOW_WRITE``, or the caller may only read."""

    code = "write_off"


class WrongDevice(Forbidden):
    """The token names one device and the call another."""

    code = "wrong_device"


class RunOnly(Forbidden):
    """A tool that belongs to a run was called by another program."""

    code = "run_only"


class NotFound(ConsoleError):
    """No such thing; details: ``kind``, ``name``, and ``known`` where a list helps."""

    status = 404
    code = "not_found"


class NoSuchRoute(NotFound):
    """No such address in the console."""

    code = "no_route"


class NotAllowed(ConsoleError):
    """The address exists, the method does not."""

    status = 405
    code = "method_not_allowed"


class Invalid(ConsoleError):
    """The request does not fit; ``path`` names the place, details: ``detail``."""

    status = 400
    code = "invalid"


class WrongPassword(Invalid):
    """The present password, asked for before a change, is another."""

    code = "wrong_password"


class FileEmpty(Invalid):
    """No file came, or one without a byte in it."""

    code = "file_empty"


class NoDevice(Invalid):
    """No device was chosen and none is the default, or the chosen one is not known."""

    code = "no_device"


class ElementGone(Invalid):
    """No such element on the screen now; details: ``wanted``, ``nearest``."""

    code = "element_gone"


class NotOnPage(ElementGone):
    """Scrolling did not find it; details: ``wanted``, ``swipes``, ``detail``, ``nearest``."""

    code = "not_on_page"


class Ambiguous(Invalid):
    """Several elements carry the text; details: ``wanted``, ``candidates``."""

    code = "ambiguous"


class NotInTime(Invalid):
    """What was waited for did not come; details: ``wanted``, ``timeout_s``, ``nearest``."""

    code = "not_in_time"


class Untouchable(Invalid):
    """The element is there and cannot be touched now; details: ``detail``."""

    code = "untouchable"


class NotAsClaimed(Invalid):
    """A step claims something of the screen that is not so; details: ``wanted``, ``seen``."""

    code = "not_as_claimed"


class NoSuchApp(Invalid):
    """No app of that label or package; details: ``app``, ``known``."""

    code = "no_app"


class Conflict(ConsoleError):
    """Right, but not now."""

    status = 409
    code = "conflict"


class NameTaken(Conflict):
    """Something else is called so; details: ``name``."""

    code = "name_taken"


class FileUsed(Conflict):
    """A file belongs to a message that was sent; details: ``name``."""

    code = "file_used"


class LastAdmin(Conflict):
    """Without this user nobody could look after users any more; details: ``name``."""

    code = "last_admin"


class ConversationBusy(Conflict):
    """A run of the conversation is going on."""

    code = "conversation_busy"


class TaskChanged(Conflict):
    """Somebody saved the task meanwhile; details: ``who``, ``revision``."""

    code = "task_changed"


class ProposalStale(Conflict):
    """A proposal was decided before, or what it changes is another step by now."""

    code = "proposal_stale"


class DeviceBusy(Conflict):
    """Someone else holds the device's lease; details: ``serial``, ``holder``."""

    code = "device_busy"


class SlotBusy(Conflict):
    """Every agent slot is taken; details: ``holder``."""

    code = "slot_busy"


class DeviceOffline(Conflict):
    """The device is known but does not answer; details: ``serial``, ``reason``."""

    code = "device_offline"


class DeviceUnauthorized(DeviceOffline):
    """The phone has not accepted this computer's key yet; details: ``serial``."""

    code = "device_unauthorized"


class BatteryLow(Conflict):
    """A phone has less charge than a task asks for; details: ``now``, ``needs`` in percent."""

    code = "battery_low"


class StorageLow(Conflict):
    """A phone has less free space than a task asks for; details: ``now``, ``needs`` in MB."""

    code = "storage_low"


class NotPaired(Conflict):
    """The phone did not pair; details: ``address``, ``detail`` in adb's words."""

    code = "not_paired"


class LeaseLost(Conflict):
    """The writer's lease lapsed or was taken; details: ``serial``."""

    code = "lease_lost"


class ScreenTurned(Conflict):
    """A touch was meant for the screen as it was turned before; details: ``serial``."""

    code = "screen_turned"


class RunOver(Conflict):
    """The run has ended, so it takes no more messages or answers."""

    code = "run_over"


class RunTimeout(Conflict):
    """A task run took longer than it may; details: ``limit_s``."""

    code = "run_timeout"


class Interrupted(Conflict):
    """The process that carried a task run is gone."""

    code = "interrupted"


class QuestionClosed(Conflict):
    """It takes no answer any more; details: ``status`` of the question, ``who`` answered it."""

    code = "question_closed"


class PersonNeeded(Conflict):
    """A person must answer a question first; details: ``question_id``."""

    kind: ClassVar[str] = "question"


class ApprovalNeeded(PersonNeeded):
    """A risky act was not sent; a person is asked whether it may be."""

    code = "approval_needed"
    kind = "approval"


class TakenOver(PersonNeeded):
    """A person took the phone from this run and will give it back."""

    code = "taken_over"
    kind = "takeover"


class ApprovalStale(Conflict):
    """The act was approved on another screen than the one that is shown now."""

    code = "approval_stale"


class NeedsHuman(Conflict):
    """A step would do something that nobody allowed; details: ``kind`` of risk, ``said``."""

    code = "needs_human"

    def words(self, lang: Lang) -> Words:
        """Say it, with what the act would do in the reader's language."""
        why = phrase(f"risk.{self.details['kind']}", lang) if "kind" in self.details else ""
        return error_words(self.code, lang, {**self.details, "why": why})


class NotSubmitted(Conflict):
    """The text was typed, and enter would now do something risky; details: ``holds``, ``said``."""

    code = "not_submitted"


class LookFirst(Conflict):
    """A person had the phone, so the run must see its screen before it touches it."""

    code = "look_first"


class StepLimit(Conflict):
    """The run has used up its steps; details: ``steps``."""

    code = "step_limit"


class LoopDetected(Conflict):
    """The brain goes in circles; details: ``tool`` and ``times``."""

    code = "loop_detected"


class TooLarge(ConsoleError):
    """The body is larger than the console reads."""

    status = 413
    code = "too_large"


class FileTooLarge(TooLarge):
    """A file is larger than a message carries; details: ``most_mb``."""

    code = "file_too_large"


class DiskLow(ConsoleError):
    """The disk is nearly full, so no more pictures are kept; details: ``free_mb``."""

    status = 507
    code = "disk_low"


class WrongHost(ConsoleError):
    """The request names a host that this console does not answer to."""

    status = 421
    code = "wrong_host"


class TooMany(ConsoleError):
    """Asked too often; details: ``wait_s``, which is also the answer's ``Retry-After``."""

    status = 429
    code = "too_many_requests"


class Unreachable(ConsoleError):
    """A part that should answer does not."""

    status = 503
    code = "unreachable"


class McpUnreachable(Unreachable):
    """The MCP server does not answer; details: ``url``, of which its port is named."""

    code = "mcp_unreachable"

    def __init__(self, *, path: str | None = None, **details: Any) -> None:
        port = re.search(r"(?<=:)\d+", str(details.get("url", "")))
        super().__init__(path=path, **{"port": port[0] if port else "", **details})


class ToolsMissing(Unreachable):
    """The MCP server answers and offers no tool, so a brain could only talk; details: ``url``."""

    code = "tools_missing"


class AdbDown(Unreachable):
    """The adb server does not answer, so no phone can be seen."""

    code = "adb_down"


class McpRefused(Unreachable):
    """The MCP server answers and does not take this token; details: ``url``, ``status``."""

    code = "mcp_refused"


class StreamsFull(Unreachable):
    """As many pages watch as the console serves; the answer carries ``Retry-After``."""

    code = "streams_full"


class ModelUnset(Unreachable):
    """No model is configured for a provider that needs one."""

    code = "model_unset"


class PhoneFault(ConsoleError):
    """The phone did not do what it was asked; details: ``serial``, ``detail``."""

    status = 502
    code = "device_fault"


class DeviceLost(PhoneFault):
    """The link to the phone broke during a call."""

    code = "device_lost"


class DeviceSlow(PhoneFault):
    """The phone did not answer in time, so whether the act happened is not known."""

    code = "device_slow"


class CaptureFailed(PhoneFault):
    """The phone gave no picture; that is never shown as a black one."""

    code = "capture_failed"


class ScreenSecure(CaptureFailed):
    """The app in front forbids pictures; its elements can still be read."""

    code = "screen_secure"


class ScreenBlack(CaptureFailed):
    """The picture is black and nothing says why."""

    code = "screen_black"


class ScreenOff(CaptureFailed):
    """The display is dark."""

    code = "screen_off"


class TextNotTyped(PhoneFault):
    """The text was sent and is not in the field; details: ``detail``."""

    code = "text_not_typed"


class ActionFailed(PhoneFault):
    """A saved action ended before its end; details: ``name``, ``step``, ``detail``, ``done``."""

    code = "action_failed"


class TouchRefused(PhoneFault):
    """The phone's settings do not let adb inject touches."""

    code = "touch_refused"


class PhoneLocked(PhoneFault):
    """The keyguard is in the way and could not be opened; details: ``detail``."""

    code = "device_locked"


class StorageFull(PhoneFault):
    """Nothing can be written to the phone any more."""

    code = "storage_full"


class ScreenUnreadable(PhoneFault):
    """The phone gave no hierarchy that can be read."""

    code = "screen_unreadable"


class ModelFault(ConsoleError):
    """The model's side failed; ``code`` is one of the ``model_…`` codes of the catalogue."""

    status = 502
    code = "model_error"

    def __init__(self, code: str = "model_error", **details: Any) -> None:
        super().__init__(**details)
        self.code = code


def from_wire(wire: dict[str, Any]) -> ConsoleError:
    """Rebuild the leaf that `ConsoleError.wire` sent; an unknown code becomes the root."""
    code, details = str(wire.get("code")), dict(wire.get("details") or {})
    leaf = _leaves().get(code)
    if leaf is None:
        return ModelFault(code, **details) if code.startswith("model_") else ConsoleError(**details)
    return leaf(path=wire.get("path"), **details)


def _leaves() -> dict[str, type[ConsoleError]]:
    found: dict[str, type[ConsoleError]] = {}
    todo: list[type[ConsoleError]] = [ConsoleError]
    while todo:
        kind = todo.pop()
        todo.extend(kind.__subclasses__())
        if kind is not ModelFault:
            found[kind.code] = kind
    return found
