"""Imports run one way, and nothing of ours raises outside the error tree."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = ("core", "virtual_phone", "mcp_server", "mcp_agent", "web", "bench")
ALLOWED = {
    "core": {"core"},
    "virtual_phone": {"virtual_phone"},
    "mcp_server": {"mcp_server", "core"},
    "mcp_agent": {"mcp_agent", "core"},
    "web": {"web", "mcp_agent", "core"},
}
FOREIGN = {
    "core": ("flask", "mcp", "openai", "gunicorn"),
    "web": ("adbutils", "uiautomator2"),
    "mcp_agent": ("adbutils", "uiautomator2", "flask"),
}


def modules(package: str) -> Iterator[Path]:
    yield from sorted((ROOT / package).rglob("*.py"))


def imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_a_package_imports_only_what_lies_below_it(package: str) -> None:
    wrong = {
        str(path.relative_to(ROOT)): sorted(bad)
        for path in modules(package)
        if (bad := (imported(path) & set(OURS)) - ALLOWED[package])
    }

    assert wrong == {}


@pytest.mark.parametrize("package", sorted(FOREIGN))
def test_a_package_knows_no_library_of_another_layer(package: str) -> None:
    wrong = {
        str(path.relative_to(ROOT)): sorted(bad)
        for path in modules(package)
        if (bad := imported(path) & set(FOREIGN[package]))
    }

    assert wrong == {}


def test_every_error_stands_in_the_one_tree() -> None:
    outside = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for package in ("core", "mcp_server", "mcp_agent", "web")
        for path in modules(package)
        if path != ROOT / "core" / "errors" / "base.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and any(
            isinstance(b, ast.Name) and b.id in ("Exception", "BaseException") for b in node.bases
        )
    ]

    assert outside == []


def test_every_file_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for package in OURS
        for path in modules(package)
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]

    assert silent == []
