"""Importing packages without the company that they do not need."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


@contextmanager
def without(packages: Iterable[str]) -> Iterator[None]:
    """Imports inside find `packages` not installed, unless they are loaded already.

    For what a library takes along where it is there, and can do without.
    """
    hidden = [name for name in packages if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]  # the import system's own way of saying no
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
