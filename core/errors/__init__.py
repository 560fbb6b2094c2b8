"""Everything that can go wrong, in one tree; its leaves stand in a file an area.

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
    │   ├── NotSubmitted                not_submitted
    │   ├── LookFirst                   look_first
    │   ├── StepLimit                   step_limit
    │   └── LoopDetected                loop_detected
    ├── TooLarge                    413 too_large
    │   └── FileTooLarge                file_too_large
    ├── DiskLow                     507 disk_low
    │   └── DiskFull                    disk_full
    ├── WrongHost                   421 wrong_host
    ├── TooMany                     429 too_many_requests
    ├── Unreachable                 503 unreachable
    │   ├── McpUnreachable              mcp_unreachable
    │   ├── McpRefused                  mcp_refused
    │   ├── ToolsMissing                tools_missing
    │   ├── AdbDown                     adb_down
    │   ├── DatabaseBusy                database_busy
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
    │   ├── ActionChanged               action_changed
    │   ├── ActionLost                  action_lost
    │   ├── TouchRefused                touch_refused
    │   ├── PhoneLocked                 device_locked
    │   ├── StorageFull                 storage_full
    │   └── ScreenUnreadable            screen_unreadable
    └── ModelFault                  502 model_error (model_auth, model_rate, model_balance, …)

A leaf has a stable ``code``; its words come from the catalogue in the reader's language, filled
with the error's ``details``. ``str(error)`` is the English form, which a model reads.
"""

from core.errors.base import (
    Conflict,
    ConsoleError,
    Forbidden,
    Invalid,
    NoSuchRoute,
    NotAllowed,
    NotFound,
    TooLarge,
    TooMany,
    Unauthorized,
    Unreachable,
    WrongHost,
)
from core.errors.consent import (
    ApprovalNeeded,
    ApprovalStale,
    LookFirst,
    NeedsHuman,
    NotSubmitted,
    PersonNeeded,
    QuestionClosed,
    TakenOver,
)
from core.errors.files import DiskFull, DiskLow, FileEmpty, FileTooLarge, FileUsed
from core.errors.people import (
    BadCsrf,
    BadLogin,
    LastAdmin,
    NotYours,
    RunOnly,
    WriteOff,
    WrongDevice,
    WrongPassword,
)
from core.errors.phones import (
    AdbDown,
    BatteryLow,
    CaptureFailed,
    DeviceBusy,
    DeviceLost,
    DeviceOffline,
    DeviceSlow,
    DeviceUnauthorized,
    LeaseLost,
    NoDevice,
    NotPaired,
    PhoneFault,
    PhoneLocked,
    ScreenBlack,
    ScreenOff,
    ScreenSecure,
    ScreenUnreadable,
    StorageFull,
    StorageLow,
    TextNotTyped,
    TouchRefused,
)
from core.errors.runs import (
    ConversationBusy,
    Interrupted,
    LoopDetected,
    RunOver,
    RunTimeout,
    SlotBusy,
    StepLimit,
)
from core.errors.saved import (
    ActionChanged,
    ActionFailed,
    ActionLost,
    NameTaken,
    ProposalStale,
    TaskChanged,
)
from core.errors.screen import (
    Ambiguous,
    ElementGone,
    NoSuchApp,
    NotAsClaimed,
    NotInTime,
    NotOnPage,
    ScreenTurned,
    Untouchable,
)
from core.errors.services import (
    DatabaseBusy,
    McpRefused,
    McpUnreachable,
    ModelFault,
    ModelUnset,
    StreamsFull,
    ToolsMissing,
)
from core.errors.wire import from_wire

__all__ = [
    "ActionChanged",
    "ActionFailed",
    "ActionLost",
    "AdbDown",
    "Ambiguous",
    "ApprovalNeeded",
    "ApprovalStale",
    "BadCsrf",
    "BadLogin",
    "BatteryLow",
    "CaptureFailed",
    "Conflict",
    "ConsoleError",
    "ConversationBusy",
    "DatabaseBusy",
    "DeviceBusy",
    "DeviceLost",
    "DeviceOffline",
    "DeviceSlow",
    "DeviceUnauthorized",
    "DiskFull",
    "DiskLow",
    "ElementGone",
    "FileEmpty",
    "FileTooLarge",
    "FileUsed",
    "Forbidden",
    "Interrupted",
    "Invalid",
    "LastAdmin",
    "LeaseLost",
    "LookFirst",
    "LoopDetected",
    "McpRefused",
    "McpUnreachable",
    "ModelFault",
    "ModelUnset",
    "NameTaken",
    "NeedsHuman",
    "NoDevice",
    "NoSuchApp",
    "NoSuchRoute",
    "NotAllowed",
    "NotAsClaimed",
    "NotFound",
    "NotInTime",
    "NotOnPage",
    "NotPaired",
    "NotSubmitted",
    "NotYours",
    "PersonNeeded",
    "PhoneFault",
    "PhoneLocked",
    "ProposalStale",
    "QuestionClosed",
    "RunOnly",
    "RunOver",
    "RunTimeout",
    "ScreenBlack",
    "ScreenOff",
    "ScreenSecure",
    "ScreenTurned",
    "ScreenUnreadable",
    "SlotBusy",
    "StepLimit",
    "StorageFull",
    "StorageLow",
    "StreamsFull",
    "TakenOver",
    "TaskChanged",
    "TextNotTyped",
    "TooLarge",
    "TooMany",
    "ToolsMissing",
    "TouchRefused",
    "Unauthorized",
    "Unreachable",
    "Untouchable",
    "WriteOff",
    "WrongDevice",
    "WrongHost",
    "WrongPassword",
    "from_wire",
]
