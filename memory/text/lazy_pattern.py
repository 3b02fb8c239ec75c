"""Patterns that take long to compile, and that no process needs before it reads or writes a memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any, cast


class LazyPattern:
    """A pattern that is compiled with its first use; made by `lazy_pattern`."""

    def __init__(self, source: Callable[[], str], flags: int) -> None:
        self._source, self._flags = source, flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern itself."""
        return re.compile(self._source(), self._flags)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        found = getattr(self.compiled, name)
        # Kept: from then on it costs what the pattern's own costs.
        setattr(self, name, found)
        return found


def lazy_pattern(source: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` does, for a source or what makes it; a mistake is raised at first use."""
    made = source if callable(source) else lambda: source
    return cast("re.Pattern[str]", LazyPattern(made, flags))
