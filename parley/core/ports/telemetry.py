"""The port of who watches from outside: what becomes of messages and turns, for metrics and traces.

What is reported has no words of people, and names nobody. A turn's id is also its trace id (32 hexadecimal
digits, as in W3C trace context), so that a turn that goes on in another process goes on in the same trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from parley.core.model.usage import TokenUsage
from parley.core.ports.sending import Priority


class Acceptance(StrEnum):
    """What became of a message that a platform handed over."""

    TURN = "turn"
    """It waits for the agent."""
    COMMAND = "command"
    """Parley answers it itself."""
    DUPLICATE = "duplicate"
    IGNORED = "ignored"
    """It is not for us."""


@dataclass(frozen=True, slots=True)
class Period:
    """A part of a turn: when it began (Unix seconds), and how long it took."""

    began: float
    seconds: float

    @property
    def ended(self) -> float:
        """Return when it was over (Unix seconds)."""
        return self.began + self.seconds


@dataclass(frozen=True, slots=True)
class AcceptedMessage:
    """A message, from the platform's event to the moment when it was durable under the number `item`."""

    channel: str
    became: Acceptance
    period: Period
    item: int = 0


@dataclass(frozen=True, slots=True)
class TurnReport:
    """How far a turn came, and what took how long in this process.

    `accepted` is when its first message was durable (Unix seconds), `first_text` the seconds from then to the
    first words of its answer, `outcome` how its run ended, `end` what became of the answer. `merged` are the
    items of further messages that it answers.
    """

    turn: str
    channel: str
    accepted: float
    worked: Period
    outcome: str
    end: str
    assistant: str = ""
    thread: str = ""
    run_id: str = ""
    run: Period | None = None
    first_text: float | None = None
    delivery: Period | None = None
    usage: tuple[TokenUsage, ...] = ()
    merged: tuple[int, ...] = ()


class Telemetry(Protocol):
    """Is told of everything once, when it is over; must neither wait nor raise."""

    def message_accepted(self, message: AcceptedMessage) -> None:
        """Note a message."""
        ...

    def run_ended(self, turn: TurnReport) -> None:
        """Note a turn whose answer is durable, with its run."""
        ...

    def turn_ended(self, turn: TurnReport) -> None:
        """Note a turn that is over, with its delivery."""
        ...

    def platform_waited(self, channel: str, priority: Priority, seconds: float) -> None:
        """Note that something was sent later, because the platform takes only so much."""
        ...

    def lesson_learned(self, seconds: float) -> None:
        """Note for how long a turn waited until memory had learned from it."""
        ...

    def trace_parent(self, turn: str) -> str:
        """Return the header `traceparent` for what is asked of others on behalf of a turn, or ""."""
        ...


class NoTelemetry:
    """Nobody watches."""

    def message_accepted(self, message: AcceptedMessage) -> None:
        pass

    def run_ended(self, turn: TurnReport) -> None:
        pass

    def turn_ended(self, turn: TurnReport) -> None:
        pass

    def platform_waited(self, channel: str, priority: Priority, seconds: float) -> None:
        pass

    def lesson_learned(self, seconds: float) -> None:
        pass

    def trace_parent(self, turn: str) -> str:
        return ""


NO_TELEMETRY: Telemetry = NoTelemetry()


@dataclass(frozen=True, slots=True)
class CurrentTurn:
    """The turn that the running task works on, and its header `traceparent`; empty where there is none."""

    id: str = ""
    trace_parent: str = ""


_NO_TURN = CurrentTurn()
_current: ContextVar[CurrentTurn] = ContextVar("turn", default=_NO_TURN)


def current_turn() -> CurrentTurn:
    """Return the turn that the running task works on."""
    return _current.get()


@contextmanager
def working_on(turn: str, telemetry: Telemetry) -> Iterator[None]:
    """Whatever is done inside, also by tasks that begin there, is done for this turn."""
    token = _current.set(CurrentTurn(turn, telemetry.trace_parent(turn)))
    try:
        yield
    finally:
        _current.reset(token)
