"""Drive a phone through uiautomator2's server.

What is used of the package is its program for the phone (`core/devices/u2_program.py`). Its client
opens a stream a call, waits 56 ms for a delayed acknowledgement in each (12 without Nagle, 0.6 on a
kept stream) and, after an error, restarts the server and sends the call again: an act could happen
twice. So the calls go over a stream of our own (`core/devices/u2_stream.py`), and an act is sent
once. The server is told to wait for no idle screen: an endless animation would else hold up every
look for ten seconds.

A server that hangs is killed and started anew, once in `HEAL_S`; a look that met it is asked
again, an act is not.
"""

import json
import logging
import time
from typing import Any

from core.devices.adb import Link
from core.devices.complaints import complaint
from core.devices.u2_program import KILL, PORTS, Program, install, is_installed
from core.devices.u2_stream import Stream
from core.errors import DeviceLost, DeviceSlow, PhoneFault

logger = logging.getLogger(__name__)

START_S = 30.0
PING_S = 5.0
SUSPECT_S = 3.0
HEAL_S = 30.0
REST_S = 20.0  # so long, or ten times its start, one that did not come up is not tried again
FREED_S = 0.2  # Android lets go of UiAutomation a moment after its holder died
FRESH_S = 2.0  # a stream that was quiet for longer is asked before an act is trusted to it
DEAD = (b"UiAutomation not connected", b"android.os.Dead")  # the server must be started anew


class Server:
    """uiautomator2's server on one phone, started when needed, over one kept stream.

    Not safe for two threads; the phone's gate lets one in. ``trouble`` says why it does not run,
    from a failed start until a call succeeds; ``is_out`` that it ended by itself at its start.
    """

    def __init__(self, link: Link) -> None:
        self.link = link
        self.stream = Stream(link, PORTS[0])
        self._program: Program | None = None
        self._suspect = False
        self._healed = -HEAL_S
        self.trouble: PhoneFault | None = None
        self.is_out = False
        self._rests_until = 0.0

    @property
    def rests(self) -> bool:
        """Say whether it cannot run, as its last start told: others must do without it."""
        return self.is_out and time.monotonic() < self._rests_until

    def is_ready(self) -> bool:
        """Make sure that it runs; False where it cannot. Nothing is done to the phone's screen.

        Raises:
            PhoneFault: It is not known whether it can: the phone is gone, or full.
        """
        if self.rests:
            return False
        try:
            self._prepare()
        except PhoneFault:
            if not self.rests:
                raise
            return False
        return True

    def look(self, method: str, *params: Any, timeout_s: float) -> Any:
        """Call something that changes nothing, once more if the stream broke or the server hung.

        Raises:
            DeviceSlow: The server answers other calls, so this one takes too long by itself.
        """
        self._settle_suspicion()
        try:
            return self._call(method, params, timeout_s)
        except DeviceLost as lost:
            if "sent" not in lost.details:
                raise
            logger.info("%s: %s again, %s", self.link.serial, method, lost.details["detail"])
        except DeviceSlow:
            if self._answers():
                raise
            self.heal()
        except PhoneFault as error:
            if "dead" not in error.details:
                raise
            self.heal()
        return self._call(method, params, timeout_s)

    def act(self, method: str, *params: Any, timeout_s: float) -> Any:
        """Call something that touches the phone; it is sent at most once.

        Raises:
            DeviceSlow: No answer in time, so it may have happened.
            DeviceLost: The stream broke; ``detail`` says whether it had been sent.
        """
        self._prepare()
        try:
            return self._call(method, params, timeout_s)
        except DeviceSlow:
            self._suspect = True
            raise
        except DeviceLost as lost:
            known = "It may have happened." if lost.details.get("sent") else "Nothing was sent."
            detail = f"{lost.details['detail']} {known}"
            raise DeviceLost(serial=self.link.serial, detail=detail) from lost

    def start(self, *, checked: bool = False) -> None:
        """Make sure that the server runs.

        Args:
            checked: Also end one that runs from another file than ours, such as an older one.

        Raises:
            StorageFull: It does not fit onto the phone.
            PhoneFault: It does not come up; the detail is its own last line.
        """
        if self._ping():
            if not checked or is_installed(self.link):
                self._wait_for_nothing()
                return
            logger.info("%s: another uiautomator2 server runs there, ending it", self.link.serial)
            self.kill()
        self.close()
        try:
            self._launch()
        except PhoneFault as error:
            # a phone that is gone says nothing about its server
            self.trouble = None if isinstance(error, DeviceLost | DeviceSlow) else error
            raise
        logger.info("%s: uiautomator2 server started", self.link.serial)
        self._wait_for_nothing()

    def _wait_for_nothing(self) -> None:
        """Read screens as they are; the other timeouts are kept, since all are set at once."""
        try:
            timeouts = self._call("getConfigurator", (), PING_S)
            self._call("setConfigurator", ({**timeouts, "waitForIdleTimeout": 0},), PING_S)
        except (DeviceLost, DeviceSlow):
            raise
        except PhoneFault as error:  # an odd server: looks are slower on it, and still right
            logger.warning("%s: it keeps waiting for idle screens: %s", self.link.serial, error)

    def _launch(self) -> None:
        install(self.link)
        began, said = time.monotonic(), ""
        for port in PORTS:
            self.stream.port = port
            program = self._program = Program(self.link, port)
            if self._comes_up(program):
                return
            said = program.complaint()
            if not program.port_is_taken:
                break
            logger.warning("%s: port %s is taken there", self.link.serial, port)
        now = time.monotonic()
        self.is_out, self._rests_until = True, now + max(REST_S, 10 * (now - began))
        raise PhoneFault(serial=self.link.serial, detail=said)

    def _comes_up(self, program: Program) -> bool:
        deadline = time.monotonic() + START_S
        while not self._ping():
            if program.ended.wait(0.1) or time.monotonic() > deadline:
                return False
        return True

    def heal(self) -> None:
        """Kill a server that hangs and start it anew.

        Raises:
            PhoneFault: That was done a moment ago and did not help, or it does not come up.
        """
        left = HEAL_S - (time.monotonic() - self._healed)
        if left > 0:
            detail = f"its uiautomator2 server hangs again; it is started anew in {left:.0f} s."
            self.trouble = PhoneFault(serial=self.link.serial, detail=detail)
            raise self.trouble
        self._healed = time.monotonic()
        logger.warning("%s: uiautomator2 server hangs, starting it anew", self.link.serial)
        self.kill()
        self.start()

    def kill(self) -> None:
        """End the server, also one that another program started, so that UiAutomation is free."""
        self.close()
        self._suspect = False
        self.link.shell(f"{KILL}; sleep {FREED_S}", PING_S)

    def close(self) -> None:
        """Let go of the phone; a server that we started ends with its stream."""
        self.stream.hang_up()
        if self._program is not None:
            self._program.close()
            self._program = None

    def _prepare(self) -> None:
        self._settle_suspicion()
        if self.stream.quiet_s > FRESH_S:
            self._wake()

    def _settle_suspicion(self) -> None:
        """After an act without answer, find out whether the server or the phone was slow."""
        if self._suspect:
            if not self._answers():
                self.heal()
            self._suspect = False

    def _answers(self) -> bool:
        """Ask for something that needs UiAutomation: a hanging server may still say pong."""
        try:
            self._call("deviceInfo", (), SUSPECT_S)
        except DeviceSlow:
            return False
        except DeviceLost as lost:
            if "sent" not in lost.details:
                raise
            return False
        return True

    def _wake(self) -> None:
        if not self._ping():
            self.start()

    def _ping(self) -> bool:
        try:
            return self.stream.request("GET", "/ping", None, PING_S) == b"pong"
        except DeviceSlow:
            return False
        except DeviceLost as lost:
            if "sent" not in lost.details:
                raise  # the phone itself is gone
            return False

    def _call(self, method: str, params: tuple[Any, ...], timeout_s: float) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
        payload = json.dumps(body).encode()
        try:
            answer = self.stream.request("POST", "/jsonrpc/0", payload, timeout_s)
        except DeviceLost as lost:
            if lost.details.get("sent") is not False:
                raise
            self.start()  # nobody listened, so nothing was sent
            answer = self.stream.request("POST", "/jsonrpc/0", payload, timeout_s)
        return self._result(method, answer)

    def _result(self, method: str, answer: bytes) -> Any:
        try:
            reply = json.loads(answer)
        except ValueError as error:
            raise self._refused(method, answer[:100].decode("utf-8", "replace")) from error
        if isinstance(reply, dict) and "result" in reply:
            self.trouble, self.is_out = None, False
            return reply["result"]
        failure = reply.get("error") if isinstance(reply, dict) else None
        message = str(failure.get("message", "")) if isinstance(failure, dict) else ""
        if any(sign in answer for sign in DEAD):
            self.close()  # the next call starts a new one
            detail = f"its uiautomator2 server lost UiAutomation during {method}."
            raise PhoneFault(serial=self.link.serial, detail=detail, dead=True)
        known = complaint(self.link.serial, message)
        if isinstance(known, PhoneFault):
            raise known
        raise self._refused(method, message.splitlines()[0][:200] if message else "no result")

    def _refused(self, method: str, message: str) -> PhoneFault:
        return PhoneFault(serial=self.link.serial, detail=f"{method} failed: {message}")
