"""Run one benchmark, or all: ``python -m bench [name] [--json]``; exit code 1 for a missed goal."""

import argparse
import importlib
import json
import pkgutil
import sys
from collections.abc import Iterator

import bench
from bench.figure import Figure

PARTS = ("figure",)


def names() -> list[str]:
    """List the benchmarks: every module here that is not a part of the harness."""
    found = [module.name for module in pkgutil.iter_modules(bench.__path__)]
    return [name for name in found if not name.startswith("_") and name not in PARTS]


def measured(chosen: list[str], soak: bool = False) -> Iterator[Figure]:
    """Run benchmarks one after the other, yielding each figure as it comes."""
    for name in chosen:
        module = importlib.import_module(f"bench.{name}")
        yield from module.figures()
        if soak and hasattr(module, "soak_figures"):
            yield from module.soak_figures()


def main(arguments: list[str]) -> int:
    """Print the figures; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("name", nargs="?", choices=names(), help="which one; all without")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--soak", action="store_true", help="also what takes minutes")
    given = parser.parse_args(arguments)
    met = True
    for figure in measured([given.name] if given.name else names(), given.soak):
        sys.stdout.write(json.dumps(figure.as_json()) + "\n" if given.json else row(figure))
        sys.stdout.flush()
        met = met and figure.ok
    return 0 if met else 1


def row(figure: Figure) -> str:
    """Give a figure as a line of the table."""
    ours = f"{figure.value:>10.3g} {figure.unit}"
    if figure.ratio is None:
        return f"{figure.name:<28}{ours}\n"
    goal = f"goal {figure.goal:g}" if figure.goal is not None else ""
    mark = "ok" if figure.ok else "MISSED"
    held = f"against {figure.against:>8.3g}  ratio {figure.ratio:>6.3f}"
    return f"{figure.name:<28}{ours:<20}{held}  {goal:<10} {mark}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
