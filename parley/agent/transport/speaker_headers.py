"""Headers that say who speaks, for servers with an authentication of their own: filled for each request."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from urllib.parse import quote

from parley.core.model.address import RunIdentity

NOBODY = "parley"
"""Who asks where nobody speaks: for the health, the lists, and what is deleted. Persons' ids have a colon."""

_PLACE = re.compile(r"\{(person|account|platform)\}")
_SAFE = ":~"
_THREADS_REMEMBERED = 10_000

_speaker: ContextVar[RunIdentity | None] = ContextVar("speaker", default=None)


@contextmanager
def speaking(identity: RunIdentity | None) -> Iterator[None]:
    """Let the requests that are made within be this person's; None leaves who it was."""
    token = _speaker.set(identity or _speaker.get())
    try:
        yield
    finally:
        _speaker.reset(token)


def has_places(headers: Mapping[str, str]) -> bool:
    """Whether any of the headers says who speaks."""
    return any(_PLACE.search(value) for value in headers.values())


def fill_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers for whoever speaks now. Values are percent-encoded: they cannot end a header or add one."""
    who = _speaker.get()

    def value(found: re.Match[str]) -> str:
        return quote(str(getattr(who, found[1])), safe=_SAFE) if who else NOBODY

    return {name: _PLACE.sub(value, text) for name, text in headers.items()}


class ThreadSpeakers:
    """Who spoke last in a thread, for what is asked about it later, such as to stop its run."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, RunIdentity] = OrderedDict()

    def note(self, thread: str, identity: RunIdentity | None) -> None:
        """Remember who speaks; the longest silent threads are forgotten first."""
        if identity is None:
            return
        self._known[thread] = identity
        self._known.move_to_end(thread)
        if len(self._known) > _THREADS_REMEMBERED:
            self._known.popitem(last=False)

    def of(self, thread: str) -> RunIdentity | None:
        """Whoever is remembered."""
        return self._known.get(thread)
