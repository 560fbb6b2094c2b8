"""Drive a phone from the command line: ``python -m mcp_agent.cli "open Settings"``.

Without ``AGENT_MCP_TOKEN`` it is a run like any other: a row in the database of
``PHONEDECK_DATA``, a lease, an event log. With a token it only drives, and whoever gave the token
keeps the books.
"""

import argparse
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from pydantic_settings import BaseSettings, SettingsConfigDict

from core import setup
from core.config import Config
from core.devices import store as devices
from core.errors import ConsoleError, Invalid, NoDevice, NotFound
from core.ids import short_id
from core.runs import store
from core.runs.events import Done, Event, Failed, TurnResult, Usage
from core.runs.logs import EventLogs
from core.runs.wire import wire
from core.settings import API_BASE, AUTONOMY, DEFAULT_STEPS, MAX_STEPS, MIN_STEPS, AgentSettings
from core.setup import Instance
from core.words import Lang, error_words
from mcp_agent.offline.understand import lang_of
from mcp_agent.providers.base import AgentQuery, Http, QueryInput, provider
from mcp_agent.runner import Runner, RunStart

OK, FAILED, INTERRUPTED = 0, 1, 130
SHOWN_CHARS = 200

Print = Callable[[str, dict[str, Any]], None]


class AgentEnv(BaseSettings):
    """The variables of CONTRACTS 1; the field's name in capitals is the variable's."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_ignore_empty=True)

    agent_api_base: str = API_BASE
    agent_model: str = ""
    agent_api_key: str = ""
    agent_serial: str = ""
    agent_max_steps: str = ""
    agent_provider: str = ""
    agent_mcp_url: str = ""
    agent_mcp_token: str = ""

    @property
    def max_steps(self) -> int:
        """The number of steps, brought into its range; nonsense is the default."""
        text = self.agent_max_steps.strip()
        steps = int(text) if text.isdecimal() else DEFAULT_STEPS
        return min(max(steps, MIN_STEPS), MAX_STEPS)

    def settings(self) -> AgentSettings:
        """Give them as the settings of a run."""
        return AgentSettings(
            agent_api_base=self.agent_api_base,
            agent_model=self.agent_model,
            agent_api_key=self.agent_api_key,
            agent_default_serial=self.agent_serial,
            agent_max_steps=self.max_steps,
            agent_provider=self.agent_provider,
            agent_autonomy="auto",
        )


def main(arguments: list[str]) -> int:
    """Run one prompt and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m mcp_agent.cli", description=__doc__)
    parser.add_argument("prompt", help="what to do, in Chinese or English")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument(
        "--autonomy", choices=AUTONOMY, default="auto", help="what needs your word; default auto"
    )
    given = parser.parse_args(arguments)
    show = _print_json if given.json else _print_words
    lang = lang_of(given.prompt)
    try:
        env = AgentEnv()
        if env.agent_mcp_token:
            return _drive(env, given.prompt, lang, show)
        return _run(env, given, lang, show)
    except ConsoleError as error:
        words = error.words(lang)
        sys.stderr.write(f"{words.message} {words.hint}\n")
        return FAILED


def _run(env: AgentEnv, given: argparse.Namespace, lang: Lang, show: Print) -> int:
    """Carry a run of our own in the instance's database; questions are answered on stdin."""
    instance = setup.ensure()
    owner = f"cli-{os.getpid()}-{short_id()}"
    logs = EventLogs(instance.db, store.next_boot(instance.db))
    runner = Runner(instance, logs, owner, env.settings, mcp_url=env.agent_mcp_url or None)
    logs.start()
    runner.begin()
    try:
        serial = env.agent_serial or _only_device(instance)
        run_id = runner.start(
            RunStart(given.prompt, serial, autonomy=given.autonomy, lang=lang)
        ).run_id
        _on_interrupt(lambda: runner.stop(run_id))
        asked = Asked(runner, run_id, given.json, lang)
        asked.listen()
        return _follow(logs, run_id, asked.watched(show))
    finally:
        runner.shutdown()
        logs.close()
        instance.db.close()


class Asked:
    """What the run asks, answered by lines on stdin.

    A person types a value or its number; with ``--json`` a line is ``{"question_id", "value"}``.
    """

    def __init__(self, runner: Runner, run_id: str, as_json: bool, lang: Lang) -> None:
        self._runner = runner
        self._run_id = run_id
        self._as_json = as_json
        self._lang = lang
        self._question: dict[str, Any] = {}

    def listen(self) -> None:
        """Begin to read."""
        threading.Thread(target=self._read, name="answers", daemon=True).start()

    def watched(self, show: Print) -> Print:
        """Print events, and remember what is asked."""

        def shown(name: str, payload: dict[str, Any]) -> None:
            if name == "question":
                self._question = payload
            show(name, payload)

        return shown

    def _read(self) -> None:
        for line in sys.stdin:
            try:
                question_id, value = self._answer(line.strip())
                self._runner.answer(self._run_id, question_id, value, "cli")
            except ConsoleError as error:
                words = error.words(self._lang)
                sys.stderr.write(f"{words.message} {words.hint}\n")

    def _answer(self, line: str) -> tuple[str, str]:
        if self._as_json:
            try:
                given = json.loads(line)
                return str(given["question_id"]), str(given["value"])
            except (ValueError, KeyError, TypeError) as error:
                raise Invalid(path="value", detail='{"question_id", "value"}') from error
        if not self._question:
            raise NotFound(kind="question", name=line)
        options = [option["value"] for option in self._question["options"]]
        if line.isdecimal() and 0 < int(line) <= len(options):
            line = options[int(line) - 1]
        return str(self._question["question_id"]), line


def _follow(logs: EventLogs, run_id: str, show: Print) -> int:
    """Print a run's events to its end."""
    after = 0
    while True:
        heard = logs.bell.count()
        for entry in logs.read(run_id, after):
            after = entry.id
            payload = json.loads(entry.data)
            show(entry.name, payload)
            if entry.terminal:
                return _exit_code(entry.name, payload)
        logs.bell.wait(heard, timeout_s=1)


def _drive(env: AgentEnv, prompt: str, lang: Lang, show: Print) -> int:
    """Drive with a token that somebody else gave."""
    chosen = env.settings()
    url = env.agent_mcp_url or Config().mcp_url
    phone = Http(url, {"Authorization": f"Bearer {env.agent_mcp_token}"})
    query = provider(chosen.provider).query(
        QueryInput(
            input_id="cli",
            prompt=prompt,
            settings=chosen,
            mcp={"phone": phone},
            max_steps=chosen.agent_max_steps,
            lang=lang,
            serial=env.agent_serial or None,
            parks=False,  # whoever gave the token keeps the books, and the answers
        )
    )
    _on_interrupt(lambda: query.abort("stopped"))
    name, payload = "error", dict[str, Any]()
    for event in _shown(query, lang):
        shown = wire(event)
        if shown is not None:
            name, payload = shown
            show(name, payload)
    return _exit_code(name, payload)


def _shown(query: AgentQuery, lang: Lang) -> Iterator[Event]:
    """Yield a query's events as a run's: usage summed, the result as its end."""
    usage: Usage | None = None
    text = ""
    for event in query.events():
        match event:
            case Usage():
                usage = event if usage is None else usage + event
                yield usage
            case TurnResult(status="error"):
                code = event.error_class or "provider_failed"
                words = error_words(code, lang, dict(event.details))
                yield Failed(code, words.message, words.hint)
            case TurnResult(status, text):
                yield Done(text, usage, stopped=status == "aborted")
            case _:
                yield event


def _only_device(instance: Instance) -> str:
    ready = devices.ready(instance.db)
    if len(ready) != 1:
        known = ", ".join(device.serial for device in ready)
        raise NoDevice(detail=f"AGENT_SERIAL: {known}")
    return ready[0].serial


def _on_interrupt(stop: Callable[[], None]) -> None:
    """Let Ctrl-C and SIGTERM stop the run; its last event then ends the program.

    The stop gets a thread of its own, since the handler may have interrupted a lock's holder.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: threading.Thread(target=stop).start())


def _exit_code(name: str, payload: dict[str, Any]) -> int:
    if payload.get("stopped"):
        return INTERRUPTED
    return OK if name == "done" else FAILED


def _print_json(name: str, payload: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"event": name, **payload}, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def _print_words(name: str, payload: dict[str, Any]) -> None:
    """Print what a person wants to see of an event; the answer goes to stdout, the rest beside."""
    match name:
        case "step":
            mark = "ok" if payload["ok"] else "failed"
            arguments = json.dumps(payload["args"], ensure_ascii=False)
            sys.stderr.write(f"{payload['n']}. {payload['tool']} {arguments} · {mark}\n")
            if not payload["ok"]:
                sys.stderr.write(f"   {payload.get('text', '')[:SHOWN_CHARS]}\n")
        case "question":
            sys.stderr.write(f"? {payload['title']} {payload['question']}\n")
            for number, option in enumerate(payload["options"], start=1):
                sys.stderr.write(f"   {number}. {option['label']} ({option['value']})\n")
        case "notice":
            sys.stderr.write(f"- {payload['message']}\n")
        case "error":
            sys.stderr.write(f"{payload['message']} {payload['hint']}\n")
        case "done":
            sys.stdout.write(f"{payload['answer']}\n")
        case _:
            pass


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
