"""Decide who calls, which phone they reach, and whether a touch may be sent now.

A bearer token is looked up anew at each call, since the run that it names may have ended. The
right to write is checked once more right before each touch, against the lease's fence.
"""

from dataclasses import dataclass, replace
from functools import partial

import anyio
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken

from core import auth
from core.devices import lease, store
from core.devices.lease import TOKEN_LEASE_S, Claim
from core.errors import (
    LeaseLost,
    LookFirst,
    NoDevice,
    RunOnly,
    TakenOver,
    Unauthorized,
    WriteOff,
    WrongDevice,
)
from core.ids import digest
from core.runs import questions, tokens
from core.runs.tokens import RunAccess
from core.setup import Instance
from core.words import DEFAULT_LANG, LANGS, Lang, phrase
from mcp_server.rack import Rack
from mcp_server.slot import Slot


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever holds a token, as of now.

    ``fence`` is None for API tokens: they take a lease of their own at each write. ``serial``
    is set when the token fixes the device, ``run_id`` when it is a run's.
    """

    key: str
    who: str
    owner: str
    lang: Lang
    can_write: bool
    serial: str | None = None
    hardware_serial: str | None = None
    fence: int | None = None
    run_id: str | None = None
    autonomy: str = "auto"
    look_first: bool = False

    def fixed_to(self, serial: str) -> bool:
        """Say whether ``serial`` is the device of this token, by either of its names."""
        return serial in (self.serial, self.hardware_serial)


@dataclass(frozen=True, slots=True)
class Device:
    """The phone of one call."""

    slot: Slot
    caller: Caller

    @property
    def serial(self) -> str:
        """Give adb's name of it."""
        return self.slot.phone.serial


class Access:
    """Resolves tokens; also the SDK's token verifier."""

    def __init__(self, instance: Instance, rack: Rack) -> None:
        self.db = instance.db
        self.may_write = instance.config.mcp_allow_write
        self.rack = rack

    async def verify_token(self, token: str) -> AccessToken | None:
        """Let a request in, or not: None becomes 401."""
        caller = await anyio.to_thread.run_sync(partial(self.resolve, token))
        return AccessToken(token=token, client_id=caller.owner, scopes=[]) if caller else None

    def caller(self) -> Caller:
        """Say who makes the call that this thread serves.

        Raises:
            Unauthorized: The token died since the request came in.
        """
        token = get_access_token()
        caller = self.resolve(token.token) if token else None
        if caller is None:
            raise Unauthorized
        return caller

    def resolve(self, token: str) -> Caller | None:
        """Look a token up: a run's, else an API token."""
        run = tokens.resolve(self.db, token)
        if run is not None:
            return self._of_run(token, run)
        program = auth.by_token(self.db, token)
        return None if program is None else self._of_program(token, program)

    def _of_run(self, token: str, run: RunAccess) -> Caller:
        return Caller(
            key=digest(token),
            who=f"run {run.run_id}",
            owner=run.run_id,
            lang=run.lang,
            autonomy=run.autonomy,
            look_first=run.look_first,
            can_write=self.may_write and run.may_write,
            serial=run.serial,
            hardware_serial=run.hardware_serial,
            fence=run.fence,
            run_id=run.run_id,
        )

    def _of_program(self, token: str, program: auth.Principal) -> Caller:
        lang = next((each for each in LANGS if each == program.lang), DEFAULT_LANG)
        return Caller(
            key=digest(token),
            who=program.name,
            owner=f"token:{program.token_id}",
            lang=lang,
            can_write=self.may_write and program.may("operator"),
        )

    def run_id(self) -> str:
        """Say which run calls.

        Raises:
            RunOnly: It is another program.
        """
        run_id = self.caller().run_id
        if run_id is None:
            raise RunOnly
        return run_id

    def device(self, serial: str | None) -> Device:
        """Choose the phone of this call: the token's, the one that was named, or the only one.

        Raises:
            WrongDevice: Another one than the token's was named.
            NoDevice: None was named and there is not exactly one.
            DeviceOffline: It cannot be used now.
        """
        caller = self.caller()
        if caller.serial is not None:
            if serial and not caller.fixed_to(serial):
                raise WrongDevice(allowed=caller.serial, serial=serial)
            return Device(self.rack.slot(caller.serial), caller)
        if serial:
            return Device(self.rack.slot(serial), caller)
        ready = [known.serial for known in store.ready(self.db)]
        if not ready:
            self._say_why(caller)
        if len(ready) != 1:
            there = f"Ready now: {', '.join(ready)}." if ready else "No device is ready."
            raise NoDevice(detail=f"Pass serial. {there}")
        return Device(self.rack.slot(ready[0]), caller)

    def _say_why(self, caller: Caller) -> None:
        """Say what is wrong with the only device there is, if there is just one.

        Raises:
            DeviceOffline: With its reason.
        """
        known = store.listing(self.db, caller.lang)
        if len(known) == 1:
            self.rack.slot(known[0]["serial"])

    def writable(self, serial: str | None) -> Device:
        """Choose the phone of a call that touches it.

        Raises:
            WriteOff: This caller may only look.
            LookFirst: A person had the phone since the run last saw its screen.
        """
        device = self.device(serial)
        if not device.caller.can_write:
            raise WriteOff
        if device.caller.look_first:
            raise LookFirst
        if device.caller.fence is None:
            return replace(device, caller=self._with_lease(device))
        self.check(device)
        return device

    def seen(self, serial: str | None) -> Device:
        """Choose the phone of a call that reads its screen; a run may touch it from then on."""
        device = self.device(serial)
        if device.caller.look_first and device.caller.run_id is not None:
            tokens.looked(self.db, device.caller.run_id)
        return device

    def check(self, device: Device) -> None:
        """Make sure, right before a touch, that the phone is still the caller's.

        Raises:
            TakenOver: A person has it for a while; the run will get it back.
            LeaseLost: It is not; nothing was sent.
        """
        caller = device.caller
        try:
            lease.check(self.db, device.slot.hardware_serial, caller.owner, caller.fence or 0)
        except LeaseLost:
            if caller.run_id is not None:
                self._say_who_took_it(caller.run_id)
            raise

    def _say_who_took_it(self, run_id: str) -> None:
        """Raise `TakenOver` when a person took the phone from this run and may give it back."""
        for open_question in questions.open_of(self.db, run_id):
            if open_question.kind == "takeover":
                raise TakenOver(question_id=open_question.question_id)

    def _with_lease(self, device: Device) -> Caller:
        """Take or prolong the lease of a program that comes without a run."""
        caller = device.caller
        label = phrase("holder.token", caller.lang, name=caller.who)
        with self.db.write() as session:
            claim = Claim("agent", caller.owner, label)
            fence = lease.take(session, device.slot.hardware_serial, claim, TOKEN_LEASE_S)
        return replace(caller, fence=fence)
