"""Start, end and list a phone's apps through its shell."""

import re
import shlex

from core.devices import apps, dumpsys
from core.devices.adb import Link
from core.devices.base import InstalledApp
from core.devices.complaints import complaint
from core.errors import Invalid, NoSuchApp, PhoneFault

LOOK_S = 15.0
ACT_S = 15.0
MAIN = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"

_PACKAGE = re.compile(r"^[A-Za-z][\w.]*$")
_VERSION = re.compile(r"\bversionName=(\S{1,100})")
_LAUNCHER = re.compile(r"^[\w.]+/[\w.$]+$")
#: Addresses that would run code or open the phone's own files are not opened.
_URL = re.compile(r"^(?!(?:intent|javascript|file|content|data):)[a-z][a-z0-9+.-]*:\S+$", re.I)
_ENTRY = re.compile(r"packageName=([\w.]+)|nonLocalizedLabel=(?!null)([^\s].*?)(?= icon=|$)", re.M)


class Packages:
    """The apps of one phone; its caller holds the phone's gate."""

    def __init__(self, link: Link) -> None:
        self.link = link

    def installed(self) -> frozenset[str]:
        """List the packages."""
        return dumpsys.packages(self.link.shell("pm list packages", LOOK_S))

    def version(self, package: str) -> str:
        """Say which version of an app is installed; empty when the phone does not tell."""
        found = _VERSION.search(self.link.shell(f"dumpsys package {checked(package)}", LOOK_S))
        return found[1] if found else ""

    def launchable(self) -> list[InstalledApp]:
        """List the apps with a launcher entry, with the labels that are known without asking it.

        Android tells labels only as numbers in the app's resources; what people call the common
        ones is in `core.devices.apps`.
        """
        said = self.link.shell(f"cmd package query-activities {MAIN}", LOOK_S)
        labels: dict[str, str] = {}
        for package, label in _ENTRY.findall(said):
            if package:
                labels.setdefault(package, "")
            elif labels and label:
                labels[list(labels)[-1]] = label.strip()
        if not labels:  # Android before 7 has no such command
            labels = dict.fromkeys(self.installed(), "")
        return [InstalledApp(name, labels[name] or apps.label_of(name)) for name in sorted(labels)]

    def open(self, package: str) -> None:
        """Start an app by its launcher entry.

        Raises:
            NoSuchApp: It is not there, or has nothing to open.
        """
        name = checked(package)
        said = self.link.shell(f"cmd package resolve-activity --brief {name}", LOOK_S)
        entry = said.strip().splitlines()[-1].strip() if said.strip() else ""
        if _LAUNCHER.match(entry):
            said = self._act(f"am start -n {shlex.quote(entry)}")
        else:
            said = self._act(f"monkey -p {name} -c android.intent.category.LAUNCHER 1")
        if "No activities found" in said:
            raise NoSuchApp(app=package, known="It is installed but has no screen to open.")

    def open_url(self, url: str) -> None:
        """Open an address in whatever app takes it.

        Raises:
            Invalid: It is none that is opened, or no app takes it.
        """
        if not _URL.match(url):
            raise Invalid(path="url", detail=f"{url} is no address that is opened on a phone.")
        said = self._act(f"am start -a android.intent.action.VIEW -d {shlex.quote(url)}")
        if "unable to resolve Intent" in said:
            raise Invalid(path="url", detail=f"no app on this phone opens {url}.")

    def close(self, package: str) -> None:
        """End an app."""
        self.link.shell(f"am force-stop {checked(package)}", ACT_S)

    def _act(self, command: str) -> str:
        said = self.link.shell(command, ACT_S)
        known = complaint(self.link.serial, said)
        if known is not None:
            raise known
        if "Error" in said and "unable to resolve Intent" not in said:
            raise PhoneFault(serial=self.link.serial, detail=said.strip().splitlines()[-1][:200])
        return said


def checked(package: str) -> str:
    """Give a package that is safe in a command line.

    Raises:
        NoSuchApp: It is no package.
    """
    if not _PACKAGE.match(package):
        raise NoSuchApp(app=package, known="")
    return package
