"""Importing packages without the company that they do not need."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

UNNEEDED_PACKAGES = ("chardet", "charset_normalizer", "httpx2", "httpx_aiohttp")
"""What langchain_core would load at a start by what it stands on, and never calls: 13 MB.

It takes two names from requests, which loads the first two to guess encodings. langsmith prefers httpx2 to
the httpx that is loaded already, and makes a class from httpx_aiohttp, which loads aiohttp.
"""


@contextmanager
def block_imports(packages: Iterable[str]) -> Iterator[None]:
    """Let imports inside find `packages` not installed, unless they are loaded already.

    For what a library takes along where it is there, and can do without, whatever it has to say about that.
    """
    hidden = [name for name in packages if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]  # the import system's own way of saying no
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for name in hidden:
            del sys.modules[name]
