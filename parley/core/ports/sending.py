"""How much a call to a platform matters, told to adapters without a parameter in every call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import IntEnum


class Priority(IntEnum):
    """Who goes first where a platform lets only some go: the smaller."""

    CONTROL = 0
    """Answers to commands, questions, and whatever else somebody waits for."""
    FINAL = 1
    """The end of a reply."""
    SNAPSHOT = 2
    """A reply so far, which a newer one replaces anyway."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Sending:
    """What the running task sends: its priority, and the reply that it belongs to, if it does to one."""

    priority: Priority = Priority.CONTROL
    reply: object | None = None


_NOTHING = Sending()
_current: ContextVar[Sending] = ContextVar("sending", default=_NOTHING)


def current_sending() -> Sending:
    """Return what the running task sends."""
    return _current.get()


@contextmanager
def sending(priority: Priority, reply: object) -> Iterator[None]:
    """Whatever is sent inside, also by tasks that begin there, has this priority."""
    token = _current.set(Sending(priority, reply))
    try:
        yield
    finally:
        _current.reset(token)
