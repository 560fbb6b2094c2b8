"""What the phone's shell can run."""

from virtual_phone.commands import apps, device, dumpsys, screen, toybox, vphone
from virtual_phone.commands.table import COMMANDS

__all__ = ["COMMANDS", "apps", "device", "dumpsys", "screen", "toybox", "vphone"]
