"""How much of each package the default tests run, printed and never a condition."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

OPTIONS = ("--cov", "--cov-report=")
"""For pytest; pyproject.toml says what is measured, and where it is kept."""


def environment() -> dict[str, str]:
    """Return the environment in which measuring costs least: Python's own monitoring, from 3.12 on."""
    core = {"COVERAGE_CORE": "sysmon"} if sys.version_info >= (3, 12) else {}
    return {**os.environ, **core}


def packages(files: Mapping[str, Mapping[str, Mapping[str, int]]]) -> list[str]:
    """Return a line for each package, and one for all: the share of its statements that ran."""
    statements: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    for name, file in files.items():
        for package in ("/".join(Path(name).parent.parts[:2]), "all"):
            statements[package] += file["summary"]["num_statements"]
            missing[package] += file["summary"]["missing_lines"]
    return [
        f"{1 - missing[package] / count:7.1%}  {package}"
        for package, count in sorted(statements.items())
        if count
    ]


def tell(folder: Path) -> None:
    """Print what the last run measured."""
    from coverage import Coverage  # only where something is measured

    measured = Coverage()
    measured.load()
    target = folder / "coverage.json"
    measured.json_report(outfile=str(target))
    lines = packages(json.loads(target.read_text("utf-8"))["files"])
    print("\nstatements that ran:\n" + "\n".join(lines), flush=True)
