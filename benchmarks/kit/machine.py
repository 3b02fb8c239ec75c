"""What it was measured on."""

from __future__ import annotations

import os
import platform
import sqlite3
from importlib.metadata import version
from pathlib import Path

from benchmarks.kit.tables import Table


def machine() -> Table:
    """The machine, and how busy others kept it."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    packages = ("langgraph-sdk", "httpx", "aiohttp", "httpx-aiohttp", "uvloop")
    rows = (
        ("processor", f"{model}, {os.cpu_count()} cores"),
        ("system", f"{platform.system()} {platform.release()}, Python {platform.python_version()}"),
        ("SQLite", sqlite3.sqlite_version),
        ("packages", ", ".join(f"{name} {version(name)}" for name in packages)),
        ("load at the start", ", ".join(f"{average:.1f}" for average in os.getloadavg())),
    )
    return Table("machine", "The machine", ("what", "is"), rows)
