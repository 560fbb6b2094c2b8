"""What the phone's shell can run."""

from virtual_phone.commands import apps, cmd, device, dumpsys, screen, toybox, vphone
from virtual_phone.commands.table import COMMANDS

__all__ = ["COMMANDS", "apps", "cmd", "device", "dumpsys", "screen", "toybox", "vphone"]
