"""How long the parts of a turn took: told in one line of the log, and to who watches from outside."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from parley.core.model.address import account_key
from parley.core.model.types import InboundMessage, Outcome
from parley.core.ports.telemetry import Period, Telemetry, TurnReport
from parley.core.state.turn_record import TurnRecord, TurnStage

log = logging.getLogger(__name__)

_ENDS = {
    TurnStage.DELIVERED: "delivered",
    TurnStage.REJECTED: "not delivered, the platform refused it",
    TurnStage.SKIPPED: "nothing to say",
}
_SPOKEN = (Outcome.ANSWERED, Outcome.ASKED)


class TurnTiming:
    """Measures the parts of a turn in this process: how long it waited to be worked, its run, its delivery.

    `accepted` is when its first message was durable. `assistant` is whom its run asked.
    """

    def __init__(
        self, turn_id: str, accepted: float, clock: Callable[[], float], telemetry: Telemetry
    ) -> None:
        self._turn = turn_id
        self._accepted = accepted
        self._clock = clock
        self._telemetry = telemetry
        self._began, self._since = clock(), _now()
        self._run: Period | None = None
        self._delivery: Period | None = None
        self._first_text: float | None = None
        self.assistant = ""

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measure the agent's part."""
        began, since = self._clock(), _now()
        try:
            yield
        finally:
            self._run = Period(began, _now() - since)

    @contextmanager
    def delivering(self) -> Iterator[None]:
        """Measure the way of the final text to the platform, with its waits."""
        began, since = self._clock(), _now()
        try:
            yield
        finally:
            self._delivery = Period(began, _now() - since)

    def note_text(self) -> None:
        """Note that the agent has said something."""
        if self._first_text is None:
            self._first_text = self._waited + _now() - self._since

    def report_run(self, message: InboundMessage, record: TurnRecord) -> None:
        """Tell of a run, once its answer is durable."""
        if record.run_id:
            if record.outcome in _SPOKEN:
                self.note_text()
            self._telemetry.run_ended(self._report(message, record))

    def report_turn(self, message: InboundMessage, record: TurnRecord) -> None:
        """Tell of a turn that is over, and write its line into the log: whose it was, how it ended, and the
        durations; no text.
        """
        report = self._report(message, record)
        self._telemetry.turn_ended(report)
        if log.isEnabledFor(logging.INFO):
            self._log(message, record, report)

    def _log(self, message: InboundMessage, record: TurnRecord, report: TurnReport) -> None:
        seconds = {"waited": self._waited, "run": _seconds(self._run), "delivery": _seconds(self._delivery)}
        if self._first_text is not None:
            seconds["first text after"] = self._first_text
        seconds["in all"] = max(0.0, report.worked.ended - self._accepted)
        log.info(
            "%s: turn %s of %s on %s: %s (%s%s); %s",
            message.conversation.key,
            self._turn,
            account_key(message.sender),
            message.conversation.channel,
            _ENDS.get(record.stage, record.stage),
            report.outcome,
            ", perhaps twice" if record.doubtful else "",
            ", ".join(f"{name} {value:.2f} s" for name, value in seconds.items()),
            extra={"fields": _fields(message, report, seconds)},
        )

    @property
    def _waited(self) -> float:
        return max(0.0, self._began - self._accepted)

    def _report(self, message: InboundMessage, record: TurnRecord) -> TurnReport:
        run = self._run
        if run is not None and 0 < record.began < run.began:  # another process began it
            run = Period(record.began, run.ended - record.began)
        return TurnReport(
            self._turn,
            message.conversation.channel,
            self._accepted,
            Period(self._began, _now() - self._since),
            "broken" if record.broken else record.outcome or "no run",
            record.stage.value,
            self.assistant,
            record.thread,
            record.run_id,
            run,
            self._first_text,
            self._delivery,
            (*record.usage, *record.heard_usage),
            record.items[1:],
        )


def _seconds(period: Period | None) -> float:
    return period.seconds if period else 0.0


def _fields(message: InboundMessage, report: TurnReport, seconds: dict[str, float]) -> dict[str, str | float]:
    """Return what a structured line says of a turn, a field each."""
    return {
        "event": "turn",
        "turn": report.turn,
        "conversation": message.conversation.key,
        "account": account_key(message.sender),
        "channel": report.channel,
        "end": report.end,
        "outcome": str(report.outcome),
        "assistant": report.assistant,
        "thread": report.thread,
        "run": report.run_id,
        **{f"{name.replace(' ', '_')}_seconds": round(value, 3) for name, value in seconds.items()},
    }


def _now() -> float:
    return asyncio.get_running_loop().time()
