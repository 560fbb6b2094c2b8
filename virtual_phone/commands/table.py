"""The table of shell commands; each file of this folder adds its own by decorator."""

from __future__ import annotations

from collections.abc import Callable

from virtual_phone.sh import Command

COMMANDS: dict[str, Command] = {}


def command(*names: str) -> Callable[[Command], Command]:
    """Enter a command under its names; a name taken twice is a ValueError."""

    def enter(function: Command) -> Command:
        for name in names:
            if name in COMMANDS:
                raise ValueError(f"command {name} exists twice")
            COMMANDS[name] = function
        return function

    return enter
