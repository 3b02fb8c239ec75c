"""Who stands under a name for a while."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import TypeVar

V = TypeVar("V")


@contextmanager
def registered(book: MutableMapping[str, V], name: str, value: V) -> Iterator[None]:
    """While open, `value` stands under `name`, unless another takes the place: that one stays then.

    A node that lost a lane for a moment may begin its turn anew before the first attempt has noticed.
    """
    book[name] = value
    try:
        yield
    finally:
        if book.get(name) is value:
            del book[name]
