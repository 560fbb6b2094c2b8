"""Drive a phone through uiautomator2's server; the only file that imports uiautomator2.

What is used of the package is its program for the phone. Its client opens a stream a call,
waits 56 ms for a delayed acknowledgement in each (12 without Nagle, 0.6 on a kept stream) and,
after an error, restarts the server and sends the call again: an act could happen twice. So the
calls go over a stream of our own, and an act is sent once. The server is told to wait for no idle
screen: an endless animation would else hold up every look for ten seconds.

A server that hangs is killed and started anew, once in `HEAL_S`; a look that met it is asked
again, an act is not.
"""

import contextlib
import hashlib
import http.client
import json
import logging
import socket
import threading
import time
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from uiautomator2.core import DEFAULT_SERVER_PORT

from core.devices.adb import Link
from core.devices.complaints import complaint
from core.errors import DeviceLost, DeviceSlow, PhoneFault

logger = logging.getLogger(__name__)

JAR = "/data/local/tmp/u2.jar"
START = f"CLASSPATH={JAR} app_process / com.wetest.uia2.Main -p"
#: The one that everybody uses comes first; another program may hold it.
PORTS = (DEFAULT_SERVER_PORT, 9018, 9028)
#: Ends every such server on the phone, whoever started it; the brackets keep pkill from itself.
KILL = "pkill -9 -f '[c]om.wetest.uia2.Main'"
START_S = 30.0
PING_S = 5.0
SUSPECT_S = 3.0
HEAL_S = 30.0
REST_S = 20.0  # so long, or ten times its start, one that did not come up is not tried again
FREED_S = 0.2  # Android lets go of UiAutomation a moment after its holder died
FRESH_S = 2.0  # a stream that was quiet for longer is asked before an act is trusted to it
DEAD = (b"UiAutomation not connected", b"android.os.Dead")  # the server must be started anew
HEADERS = {
    "User-Agent": "phonedeck",
    "Accept-Encoding": "",  # the server's gzip leaks (NanoHttpd#492)
    "Content-Type": "application/json",
}


class Server:
    """uiautomator2's server on one phone, started when needed, over one kept stream.

    Not safe for two threads; the phone's gate lets one in. ``trouble`` says why it does not run,
    from a failed start until a call succeeds; ``is_out`` that it ended by itself at its start.
    """

    def __init__(self, link: Link) -> None:
        self.link = link
        self._http: _Http | None = None
        self._used = 0.0
        self._program: _Program | None = None
        self._suspect = False
        self._healed = -HEAL_S
        self.trouble: PhoneFault | None = None
        self.is_out = False
        self._rests_until = 0.0
        self.port = PORTS[0]

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
        for self.port in PORTS:
            program = self._program = _Program(self.link, self.port)
            if self._comes_up(program):
                return
            said = program.complaint()
            if not program.port_is_taken:
                break
            logger.warning("%s: port %s is taken there", self.link.serial, self.port)
        now = time.monotonic()
        self.is_out, self._rests_until = True, now + max(REST_S, 10 * (now - began))
        raise PhoneFault(serial=self.link.serial, detail=said)

    def _comes_up(self, program: "_Program") -> bool:
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
        self._hang_up()
        if self._program is not None:
            self._program.close()
            self._program = None

    def _prepare(self) -> None:
        self._settle_suspicion()
        if time.monotonic() - self._used > FRESH_S:
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
            return self._request("GET", "/ping", None, PING_S) == b"pong"
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
            answer = self._request("POST", "/jsonrpc/0", payload, timeout_s)
        except DeviceLost as lost:
            if lost.details.get("sent") is not False:
                raise
            self.start()  # nobody listened, so nothing was sent
            answer = self._request("POST", "/jsonrpc/0", payload, timeout_s)
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

    def _request(self, verb: str, path: str, body: bytes | None, timeout_s: float) -> bytes:
        deadline = time.monotonic() + timeout_s
        connection = self._connection(timeout_s)
        try:
            connection.set_timeout(timeout_s)
            connection.request(verb, path, body, HEADERS)
            answer = connection.answer(deadline)
        except TimeoutError as error:
            self._hang_up()
            raise DeviceSlow(serial=self.link.serial, timeout_s=f"{timeout_s:g}") from error
        except (OSError, http.client.HTTPException) as error:
            self._hang_up()
            reason = f"The stream to its uiautomator2 server broke: {error}."
            raise self._broken(reason, sent=body is not None) from error
        self._used = time.monotonic()
        self.link.silent = 0
        return answer

    def _connection(self, timeout_s: float) -> "_Http":
        if self._http is None or self._http.sock is None:
            try:
                stream = self.link.open(f"tcp:{self.port}", timeout_s)
            except DeviceLost as error:
                # adb says "closed" when nobody listens there; else the phone itself is gone
                if "closed" not in str(error).lower():
                    raise
                raise self._broken("Its uiautomator2 server does not run.", sent=False) from error
            self._http = _Http(stream)
        return self._http

    def _broken(self, reason: str, *, sent: bool) -> DeviceLost:
        """Say that the server's stream broke, the phone's own link being another matter."""
        return DeviceLost(serial=self.link.serial, detail=reason, sent=sent)

    def _hang_up(self) -> None:
        if self._http is not None:
            self._http.close()
            self._http = None


class _Http(http.client.HTTPConnection):
    """HTTP over a stream that adb opened; it never opens another by itself."""

    auto_open = 0

    def __init__(self, stream: socket.socket) -> None:
        super().__init__("localhost", DEFAULT_SERVER_PORT)
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = stream

    def set_timeout(self, timeout_s: float) -> None:
        self.sock.settimeout(timeout_s)

    def answer(self, deadline: float) -> bytes:
        """Read the whole answer; a trickle does not extend the deadline."""
        stream = self.sock  # http.client lets go of it when the answer says close
        response = self.getresponse()
        content = bytearray()
        while chunk := response.read1(1 << 18):
            content += chunk
            stream.settimeout(max(0.001, deadline - time.monotonic()))
        response.close()  # tells http.client that the stream is free for the next request
        if response.status != 200:
            raise http.client.HTTPException(f"status {response.status}")
        return bytes(content)


class _Program:
    """The shell that the server lives in; closing it ends the server."""

    def __init__(self, link: Link, port: int) -> None:
        self.ended = threading.Event()
        self._said = bytearray()
        self._stream = link.open(f"shell:{START} {port}", PING_S)
        self._stream.settimeout(None)
        name = f"u2 {link.serial}"
        threading.Thread(target=self._listen, name=name, daemon=True).start()

    @property
    def port_is_taken(self) -> bool:
        """Say whether it ended because another program holds its port."""
        return b"EADDRINUSE" in self._said

    def complaint(self) -> str:
        """Say why the server did not come up."""
        said = self._said.decode("utf-8", "replace").strip()
        if "already registered" in said:
            return "another program on this machine or phone holds UiAutomation; end it first."
        lines = said.splitlines()
        last = lines[-1][:200] if lines else "it said nothing"
        return f"its uiautomator2 server did not start: {last}"

    def close(self) -> None:
        with contextlib.suppress(OSError):  # the phone may have closed it first
            self._stream.shutdown(socket.SHUT_RDWR)
        self._stream.close()

    def _listen(self) -> None:
        try:
            while chunk := self._stream.recv(4096):
                self._said = (self._said + chunk)[-8192:]
        except OSError as error:
            logger.debug("shell of the uiautomator2 server ended: %s", error)
        self.ended.set()


def install(link: Link) -> None:
    """Copy the server onto the phone unless the same one is there.

    Raises:
        StorageFull: It does not fit.
    """
    if not is_installed(link):
        logger.info("%s: copying uiautomator2's server", link.serial)
        link.push(_jar()[0], JAR)


def is_installed(link: Link) -> bool:
    """Say whether the phone has the server that we bring."""
    return _jar()[1] in link.shell(f"toybox md5sum {JAR} || md5 {JAR}")


@cache
def _jar() -> tuple[Path, str]:
    path = Path(str(resources.files("uiautomator2") / "assets" / "u2.jar"))
    return path, hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
