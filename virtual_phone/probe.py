"""Ask any device on adb for everything that this phone imitates, and note what differs.

The profile that it saves is how the imitation meets physical phones: each check has the pattern
that our clients parse by, what the device said, and how long it took. Nothing on the device is
changed but a file under /data/local/tmp, which is removed, and uiautomator2's own helper.
"""

from __future__ import annotations

import json
import logging
import os
import re
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import adbutils

from virtual_phone import dumps

logger = logging.getLogger(__name__)

_TIMES = 5
_SHOWN = 200
_PNG = b"\x89PNG\r\n\x1a\n"
_FILE = "/data/local/tmp/.probe"
_ATTRIBUTES = (
    *("index", "text", "resource-id", "class", "package", "content-desc", "checkable", "checked"),
    *("clickable", "enabled", "focusable", "focused", "scrollable", "long-clickable"),
    *("password", "selected", "bounds"),
)

# name → command → what must be found in its output, exit code and standard error included
FORMATS: dict[str, tuple[str, str]] = {
    "android version is a number": ("getprop ro.build.version.release", r"\A\d+\s"),
    "a property that is unset is empty": ("getprop no.such.property", r"\A\s+exit=0"),
    "boot is completed": ("getprop sys.boot_completed", r"\A1\s"),
    "screen size": ("wm size", r"Physical size: \d+x\d+"),
    "density": ("wm density", r"Physical density: \d+"),
    "focus": ("dumpsys window", r"mCurrentFocus=Window\{\S+ u\d+ \S+\}"),
    "focus in the window list": ("dumpsys window windows", r"mCurrentFocus=Window\{\S+ u\d+ \S+\}"),
    "resumed activity": (
        "dumpsys activity activities",
        r"(mResumedActivity: |topResumedActivity=)ActivityRecord\{\S+ u\d+ \S+/\S+ t\d+",
    ),
    "top activity": ("dumpsys activity top", r"ACTIVITY \S+/\S+ \S+ pid=\d+"),
    "rotation": ("dumpsys display", r"orientation=\d"),
    "viewport": ("dumpsys display", r"DisplayViewport\{.*deviceWidth=\d+, deviceHeight=\d+"),
    "display ids": ("dumpsys SurfaceFlinger --display-id", r"Display \d+ "),
    "displays": ("cmd display get-displays", r"Display id 0.*state (ON|OFF)"),
    "battery": ("dumpsys battery", r"(?s)level: \d+.*temperature: \d+"),
    "wakefulness": ("dumpsys power", r"(?s)mWakefulness=\w+.*mHoldingDisplaySuspendBlocker="),
    "keyboard": ("dumpsys input_method", r"(?s)mCurMethodId=\S*.*mInputShown=(true|false)"),
    "keyguard": ("dumpsys window policy", r"showing=(true|false)"),
    "package": (
        "dumpsys package com.android.settings",
        r"(?s)versionCode=\d+.*versionName=\S+.*pkgFlags=\[",
    ),
    "setting": ("settings get system screen_brightness", r"\A\d+\s"),
    "setting that is unset": ("settings get system no_such_key", r"\Anull\s"),
    "setting by content": (
        "content query --uri content://settings/system --where \"name='screen_brightness'\"",
        r"Row: 0 .*name=screen_brightness, value=\d+",
    ),
    "packages": ("pm list packages", r"(?m)^package:\S+$"),
    "features": ("pm list features", r"feature:android\.hardware\."),
    "path of a package": ("pm path com.android.settings", r"package:/\S+\.apk"),
    "path of an absent package": ("pm path no.such.app", r"exit=1"),
    "activity of a package": (
        "cmd package resolve-activity --brief com.android.settings",
        r"(?m)^com\.android\.settings/\S+$",
    ),
    "launchable activities": (
        "cmd package query-activities -a android.intent.action.MAIN "
        "-c android.intent.category.LAUNCHER",
        r"packageName=\S+",
    ),
    "activity that is absent": (
        "am start -n no.such.app/.Main",
        r"(?s)Error type 3.*does not exist",
    ),
    "broadcast that nobody takes": (
        "am broadcast -a no.such.ACTION",
        r"(?s)Broadcasting: Intent.*Broadcast completed: result=0",
    ),
    "app that is absent": (
        "monkey -p no.such.app -c android.intent.category.LAUNCHER 1",
        r"(?s)No activities found to run.*exit=252",
    ),
    "text outside ascii": ("input text 你", r"(?s)NullPointerException.*exit=255"),
    "keyboards": ("ime list -s", r"(?m)^[\w.]+/\S+$"),
    "processes": ("ps -A", r"(?m)^\w+\s+\d+\s+\d+\s+\w+\s+\w+\s+\S+\s+\S+\s+\w\s+\S+"),
    "identity": ("id", r"uid=2000\(shell\)"),
    "command that is absent": ("nosuchcommand", r"(?s)inaccessible or not found.*exit=127"),
    "file that is absent": ("ls /no/such", r"(?s)No such file or directory.*exit=1"),
    "md5 of an absent file": ("toybox md5sum /no/such", r"No such file or directory"),
    "exit code in the line": ("false; echo X4EXIT:$?", r"X4EXIT:1"),
    "pipe and grep": ("dumpsys window | grep -E 'mCurrentFocus|mFocusedApp'", r"mCurrentFocus"),
    "where a command lives": ("which sh ls", r"/system/bin/ls"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found; ``got`` is the beginning of what the device said."""

    name: str
    ok: bool
    ms: float
    expected: str
    got: str


class Probe:
    """Runs the checks on one device."""

    def __init__(self, serial: str) -> None:
        self.serial = serial
        self._device = adbutils.adb.device(serial)
        self.findings: list[Finding] = []

    def run(self) -> dict[str, Any]:
        """Run everything; returns the profile."""
        for name, (command, pattern) in FORMATS.items():
            self._check(name, pattern, partial(self._said, command), pattern)
        self._pictures()
        self._check("dump", "all attributes", self._dump, r"\Aattributes: all$")
        self._check("a file comes back the same", "same", self._round_trip, r"\Asame$")
        self._uiautomator2()
        return self._profile()

    def _said(self, command: str) -> str:
        result = self._device.shell2(command, v2=True)
        return f"{result.output}\nexit={result.returncode}"

    def _check(self, name: str, expected: str, ask: Callable[[], str], pattern: str) -> None:
        start = time.perf_counter()
        try:
            got = ask()
        except Exception as error:
            # whatever a device does to a client is a finding, and the next check must still run
            logger.info("%s: %s", self.serial, name, exc_info=True)
            got = f"{type(error).__name__}: {error}"
        ms = round((time.perf_counter() - start) * 1000, 1)
        ok = re.search(pattern, got) is not None
        self.findings.append(Finding(name, ok, ms, expected, got[:_SHOWN]))

    def _pictures(self) -> None:
        def png() -> str:
            return repr(self._device.shell("screencap -p", encoding=None)[: len(_PNG)])

        def raw() -> str:
            data = self._device.shell("screencap > /data/local/tmp/.probe; stat -c %s " + _FILE)
            width, height = self._device.window_size(landscape=False)
            spare = int(data) - width * height * 4
            self._device.shell(f"rm {_FILE}")
            return f"header of {spare} bytes"

        self._check("picture begins as a PNG", repr(_PNG), png, re.escape(repr(_PNG)))
        self._check("raw picture has a header", "16 bytes", raw, "header of 16 bytes")

    def _dump(self) -> str:
        text = self._device.shell("uiautomator dump /dev/tty", encoding=None)
        root = dumps.read_dump(text, "dump")
        given = set().union(*(node.attrib for node in root.iter("node")))
        missing, more = set(_ATTRIBUTES) - given, given - set(_ATTRIBUTES)
        if not missing and not more:
            return "attributes: all"
        return f"attributes: missing {sorted(missing)}, more {sorted(more)}"

    def _round_trip(self) -> str:
        sent = os.urandom(100_000)
        self._device.sync.push(sent, _FILE)
        got = self._device.sync.read_bytes(_FILE)
        self._device.shell(f"rm {_FILE}")
        return "same" if got == sent else f"{len(got)} bytes of {len(sent)}"

    def _uiautomator2(self) -> None:
        import uiautomator2  # slow to import, and only wanted here

        u2 = uiautomator2.connect(self.serial)
        keys = ("currentPackageName", "displayWidth", "displayHeight", "displayRotation", "sdkInt")
        for name, expected, ask, pattern in (
            ("u2 info", "all keys", lambda: str([k for k in keys if k not in u2.info]), r"\A\[\]$"),
            ("u2 dump", "<hierarchy", u2.dump_hierarchy, r"<hierarchy rotation="),
            (
                "u2 picture",
                "base64 JPEG",
                lambda: str(u2.jsonrpc.takeScreenshot(0.2, 50))[:40],
                r"\A/9j/",
            ),
            ("u2 absent object", "False", lambda: str(bool(u2(text="no such").exists)), "False"),
            (
                "u2 idle timeout",
                "waitForIdleTimeout",
                lambda: str(u2.jsonrpc.getConfigurator()),
                r"waitForIdleTimeout",
            ),
        ):
            self._check(name, expected, ask, pattern)

    def _median(self, ask: Callable[[], object]) -> float | None:
        times = []
        for _ in range(_TIMES):
            start = time.perf_counter()
            try:
                ask()
            except Exception:
                # a device that cannot do it has no time for it; the check has said so already
                logger.info("%s: could not be timed", self.serial, exc_info=True)
                return None
            times.append(time.perf_counter() - start)
        return round(statistics.median(times) * 1000, 1)

    def _profile(self) -> dict[str, Any]:
        import uiautomator2

        device, u2 = self._device, uiautomator2.connect(self.serial)
        timed: dict[str, Callable[[], object]] = {
            "shell": lambda: device.shell("true"),
            "picture": lambda: device.shell("screencap -p", encoding=None),
            "dump": lambda: device.shell("uiautomator dump --compressed /dev/tty"),
            "u2 info": lambda: u2.info,
            "u2 dump": u2.dump_hierarchy,
            "u2 picture": lambda: u2.jsonrpc.takeScreenshot(1, 80),
        }
        return {
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "serial": self.serial,
            "brand": device.getprop("ro.product.brand"),
            "model": device.getprop("ro.product.model"),
            "android": device.getprop("ro.build.version.release"),
            "sdk": device.getprop("ro.build.version.sdk"),
            "features": sorted(device.get_features().split(",")),
            "differs": [finding.name for finding in self.findings if not finding.ok],
            "median_ms": {name: self._median(ask) for name, ask in timed.items()},
            "checks": [asdict(finding) for finding in self.findings],
        }


def probe(serial: str, path: Path) -> dict[str, Any]:
    """Run the checks on a device and save its profile."""
    profile = Probe(serial).run()
    path.write_text(json.dumps(profile, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return profile
