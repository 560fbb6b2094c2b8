"""Start Phonedeck and stay with it: ``python -m core.launch``, which start.sh runs.

Order: set-up, adb server, console, virtual phones, MCP server. The MCP server comes after the
phones because it is told their addresses.
"""

import http.client
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import NoReturn

from pydantic import Field, ValidationError
from pydantic_settings import SettingsConfigDict

from core.config import Config
from core.launch.adb_server import (
    adb_program,
    is_listening,
    ready_serials,
    server_command,
    server_env,
)
from core.launch.children import Child, Family, Program
from core.launch.lock import RunLock
from core.launch.ports import require_free

CONSOLE = ("gunicorn", "-c", "web/gunicorn_conf.py", "web.app:create_app()")
ROOT = Path(__file__).resolve().parents[2]
READY_S = 60.0
GRACE_S = 4.0
AFTER_CRASH_S = 8.0  # the children of a killed predecessor end by themselves within this
FIRST_PHONE_PORT = 15555
ADB_PORT = 5037


class LaunchConfig(Config):
    """What only the start needs to know, besides what every program reads."""

    model_config = SettingsConfigDict(env_ignore_empty=True)

    phonedeck_virtual_phones: int | None = Field(default=None, ge=0, le=64)
    android_adb_server_port: int = Field(default=ADB_PORT, ge=1, le=65535)


class Launch:
    """One start, from an empty machine to addresses that answer."""

    def __init__(self, config: LaunchConfig, family: Family) -> None:
        """Remember what to start and who keeps it."""
        self.config = config
        self.family = family
        self.lines: list[str] = []

    def run(self, after_crash: bool) -> None:
        """Start everything in its order and say where it is."""
        self._require_ports(AFTER_CRASH_S if after_crash else 0)
        set_up()
        self._adb()
        web = self.family.start(self._python("web", *CONSOLE))
        phones = self._virtual_phones()
        self._wait_for_phones(phones)
        mcp = self.family.start(self._python("mcp", "mcp_server.mcp_server", MCP_ALLOW_WRITE="1"))
        self.family.wait_for(mcp, lambda: is_listening(self.config.phonedeck_mcp_port), READY_S)
        self.family.wait_for(web, lambda: is_healthy(self.config), READY_S)
        self._announce()

    def _require_ports(self, patience_s: float) -> None:
        config = self.config
        host, port = config.phonedeck_host, config.phonedeck_port
        require_free(host, port, "PHONEDECK_PORT", patience_s)
        require_free("127.0.0.1", config.phonedeck_mcp_port, "PHONEDECK_MCP_PORT", patience_s)

    def _adb(self) -> None:
        port = self.config.android_adb_server_port
        os.environ["ANDROID_ADB_SERVER_PORT"] = str(port)
        os.environ["ADBUTILS_ADB_PATH"] = adb_program()
        if not is_listening(port):
            command, output = server_command(port), self._output("adb")
            program = Program("adb", command, output, server_env(), ends_last=True)
            server = self.family.start(program)
            self.family.wait_for(server, lambda: is_listening(port), READY_S)

    def _virtual_phones(self) -> Child | None:
        count = self.config.phonedeck_virtual_phones
        if count is None:
            count = 0 if _answering(self.config.android_adb_server_port) else 1
        if not count:
            return None
        where = ("--port", str(FIRST_PHONE_PORT), "--phones", str(count))
        program = self._python("phone", "virtual_phone", *where)
        return self.family.start(replace(program, ends_last=True))

    def _wait_for_phones(self, phones: Child | None) -> None:
        addresses = list(self.config.connect_addresses)
        if phones is not None:
            wanted = int(phones.program.command[-1])
            self.family.wait_for(phones, lambda: len(_ready(phones)) == wanted, READY_S)
            _keep_port(phones)
            for address, serial in _ready(phones):
                addresses.append(address)
                self.lines.append(f"  Phone    {address} (virtual, {serial})")
        os.environ["PHONEDECK_CONNECT"] = ",".join(addresses)

    def _announce(self) -> None:
        config = self.config
        say("Phonedeck is running.")
        say(f"  Console  http://{_url_host(config.phonedeck_host)}:{config.phonedeck_port}")
        say(f"  MCP      {config.mcp_url}")
        for line in [*self.lines, f"  Data     {config.data}", "Ctrl-C ends it."]:
            say(line)

    def _python(self, name: str, module: str, *arguments: str, **env: str) -> Program:
        command = (sys.executable, "-m", module, *arguments)
        return Program(name, command, self._output(name), env)

    def _output(self, name: str) -> Path:
        # not NAME.log: the console and the MCP server rotate those themselves
        return self.config.logs / f"{name}.out"


def say(line: str) -> None:
    """Tell the operator one line."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def set_up() -> None:
    """Run the set-up step; the first password is shown at once, lest a later failure lose it.

    Raises:
        SystemExit: it failed; its words are on stderr.
    """
    command = [sys.executable, "-m", "core.setup"]
    step = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if step.returncode:
        raise SystemExit(f"{step.stdout}the set-up step failed (code {step.returncode}), see above")
    for line in step.stdout.splitlines():
        say(f"First password, shown only now: {line}")


def is_healthy(config: Config) -> bool:
    """Ask the console whether it serves."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(config.phonedeck_host, config.phonedeck_host)
    connection = http.client.HTTPConnection(host, config.phonedeck_port, timeout=2.0)
    try:
        connection.request("GET", "/healthz", headers={"Host": config.allowed_hosts[0]})
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _answering(port: int) -> list[str]:
    try:
        return ready_serials(port)
    except (OSError, ValueError) as error:
        raise SystemExit(
            f"the adb server on port {port} does not answer ({error}): end it, "
            "or set ANDROID_ADB_SERVER_PORT to another port"
        ) from None


def _ready(phones: Child) -> list[tuple[str, str]]:
    words = (line.split() for line in phones.printed().splitlines())
    return [(w[1], w[2]) for w in words if len(w) == 3 and w[0] == "ready"]


def _keep_port(phones: Child) -> None:
    """Have phones that are started again take the ports that the MCP server knows."""
    first = _ready(phones)[0][0].rpartition(":")[2]
    command = [first if word == str(FIRST_PHONE_PORT) else word for word in phones.program.command]
    phones.program = replace(phones.program, command=tuple(command))


def _url_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _read_config() -> LaunchConfig:
    try:
        return LaunchConfig()
    except ValidationError as error:
        wrong = error.errors()[0]
        raise SystemExit(f"{str(wrong['loc'][0]).upper()}: {wrong['msg']}") from None


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(130 if number == signal.SIGINT else 0)


def main() -> None:
    """Run until a signal ends it."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _leave)
    config = _read_config()
    config.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    config.logs.mkdir(exist_ok=True)
    os.environ["PHONEDECK_DATA"] = str(config.data)
    os.chdir(ROOT)
    with RunLock(config.data) as lock:
        family = Family(say)
        try:
            Launch(config, family).run(lock.after_crash)
            family.tend()
        finally:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, lambda *_: family.kill())
            say("Ending.")
            family.end(GRACE_S)


if __name__ == "__main__":
    main()
