"""Settings of memory for tests of what is recalled: no slow machine goes without."""

from __future__ import annotations

from typing import Any

from parley.memory.options import MemoryOptions
from tests.kit.machine import patience


def memory_options(**changes: Any) -> MemoryOptions:  # noqa: ANN401 - fields of MemoryOptions
    """Return the usual settings with `changes`, and time enough for a recall."""
    return MemoryOptions(**{"recall_timeout": patience(30), **changes})
