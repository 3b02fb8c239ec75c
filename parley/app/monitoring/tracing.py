"""Traces of turns, by OpenTelemetry's SDK and over OTLP/HTTP: one trace a turn, a span for each part of it.

A turn's id is its trace's, and each span's id follows from it. So what another process adds after a crash has
the same parent, and the agent server can be told of the run's span before that is made. A span is made when
its part is over: nothing is held while a turn goes on.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from hashlib import blake2b
from typing import TypeAlias
from urllib.parse import urlsplit

import requests
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    StatusCode,
    TraceFlags,
    TraceState,
    set_span_in_context,
)
from opentelemetry.util.types import Attributes

from parley.app.settings.schema.tracing import TracingSection
from parley.core.network import is_loopback
from parley.core.ports.telemetry import Acceptance, AcceptedMessage, NoTelemetry, Period, TurnReport
from parley.version import VERSION

log = logging.getLogger(__name__)

_PATH = "/v1/traces"
_EVERY_MS = 1_000
_TIMEOUT = 5.0
_CLOSING = 3.0
"""Seconds that a stop waits for the last spans."""
_CHANCES = 1 << 56
"""The lowest 56 bits of a trace id are what W3C trace context takes for its chance."""
_About: TypeAlias = Mapping[str, str | int]
_FAILED = frozenset({"failed", "broken"})


class _TurnIds(IdGenerator):
    """Gives the ids that were put here last."""

    trace = 0
    span = 0

    def generate_trace_id(self) -> int:
        return self.trace

    def generate_span_id(self) -> int:
        return self.span


class _ShareOfTurns(Sampler):
    """Takes a share of all traces: every process the same ones, also after a crash."""

    def __init__(self, share: float) -> None:
        self._below = share * _CHANCES

    def takes(self, trace_id: int) -> bool:
        """Return whether a trace is among them."""
        return trace_id % _CHANCES < self._below

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        taken = Decision.RECORD_AND_SAMPLE if self.takes(trace_id) else Decision.DROP
        return SamplingResult(taken, attributes)

    def get_description(self) -> str:
        return "ShareOfTurns"


class TurnTraces(NoTelemetry):
    """Makes the spans. `turn_id` tells the id of the turn that an accepted item begins."""

    def __init__(
        self, exporter: SpanExporter, section: TracingSection, turn_id: Callable[[int], str]
    ) -> None:
        self._turn_id = turn_id
        self._ids, self._share = _TurnIds(), _ShareOfTurns(section.sample)
        self._processor = BatchSpanProcessor(exporter, schedule_delay_millis=_EVERY_MS)
        resource = Resource.create({"service.name": section.service_name, "service.version": VERSION})
        provider = TracerProvider(self._share, resource, shutdown_on_exit=False, id_generator=self._ids)
        provider.add_span_processor(self._processor)
        self._tracer = provider.get_tracer("parley", VERSION)

    def close(self) -> None:
        """Send what is left; waits for the receiver."""
        self._processor.shutdown()  # type: ignore[no-untyped-call]

    def message_accepted(self, message: AcceptedMessage) -> None:
        if message.became is Acceptance.TURN:
            about: _About = {"parley.channel": message.channel, "parley.item": message.item}
            self._add("accept", self._turn_id(message.item), message.period, about, SpanKind.CONSUMER)

    def run_ended(self, turn: TurnReport) -> None:
        waited = Period(turn.accepted, max(0.0, turn.worked.began - turn.accepted))
        thread = _thread(turn)
        self._add("wait", turn.turn, waited, {"parley.channel": turn.channel, **thread})
        if turn.run is not None:
            about: _About = {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": turn.assistant,
                "gen_ai.conversation.id": turn.thread,
                "gen_ai.usage.input_tokens": sum(each.input for each in turn.usage),
                "gen_ai.usage.output_tokens": sum(each.output for each in turn.usage),
                "langgraph.run_id": turn.run_id,
                "parley.outcome": turn.outcome,
                **thread,
            }
            first = None if turn.first_text is None else turn.accepted + turn.first_text
            failed = turn.outcome in _FAILED
            self._add("run", turn.turn, turn.run, about, SpanKind.CLIENT, failed=failed, first_text=first)

    def turn_ended(self, turn: TurnReport) -> None:
        undelivered, thread = turn.end == "rejected", _thread(turn)
        if turn.delivery is not None:
            about = {"parley.channel": turn.channel, "parley.end": turn.end, **thread}
            self._add("deliver", turn.turn, turn.delivery, about, SpanKind.PRODUCER, failed=undelivered)
        about = {
            "parley.channel": turn.channel,
            "parley.outcome": turn.outcome,
            "parley.end": turn.end,
            **thread,
        }
        whole = Period(turn.accepted, max(0.0, turn.worked.ended - turn.accepted))
        merged = [self._turn_id(item) for item in turn.merged]
        failed = undelivered or turn.outcome in _FAILED
        self._add("turn", turn.turn, whole, about, failed=failed, merged=merged)

    def trace_parent(self, turn: str) -> str:
        flags = int(self._share.takes(int(turn, 16)))
        return f"00-{turn}-{_span_id(turn, 'run'):016x}-{flags:02x}"

    def _add(
        self,
        name: str,
        turn: str,
        period: Period,
        about: _About,
        kind: SpanKind = SpanKind.INTERNAL,
        *,
        failed: bool = False,
        first_text: float | None = None,
        merged: Sequence[str] = (),
    ) -> None:
        """Make a span of a turn; "turn" is the root of the others."""
        self._ids.trace, self._ids.span = int(turn, 16), _span_id(turn, name)
        root = Context() if name == "turn" else set_span_in_context(NonRecordingSpan(_root(turn)), Context())
        span = self._tracer.start_span(
            name,
            root,
            kind,
            {key: value for key, value in about.items() if value != ""},
            [Link(_root(each)) for each in merged],
            _nanoseconds(period.began),
        )
        if first_text is not None:
            span.add_event("first text", timestamp=_nanoseconds(first_text))
        if failed:
            span.set_status(StatusCode.ERROR)
        span.end(_nanoseconds(period.ended))


def _thread(turn: TurnReport) -> Mapping[str, str]:
    """Return what groups traces to a conversation, in Langfuse and in LangSmith: on every span."""
    return {"session.id": turn.thread, "langsmith.metadata.thread_id": turn.thread}


def _root(turn: str) -> SpanContext:
    return SpanContext(int(turn, 16), _span_id(turn, "turn"), False, TraceFlags(TraceFlags.SAMPLED))


def _span_id(turn: str, name: str) -> int:
    return int.from_bytes(blake2b(f"{turn} {name}".encode(), digest_size=8).digest(), "big")


def _no_login(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Leave the headers as they are configured: without this, requests takes a login from ~/.netrc."""
    return request


def _nanoseconds(seconds: float) -> int:
    return int(seconds * 1e9)


@asynccontextmanager
async def open_traces(section: TracingSection, turn_id: Callable[[int], str]) -> AsyncIterator[TurnTraces]:
    """Send spans to the section's endpoint from a thread; what a receiver that is away misses is lost."""
    session = requests.Session()
    session.trust_env = not is_loopback(urlsplit(section.endpoint).hostname or "")
    session.auth = _no_login
    url = section.endpoint if section.endpoint.endswith(_PATH) else section.endpoint + _PATH
    exporter = OTLPSpanExporter(url, headers=section.headers, timeout=_TIMEOUT, session=session)
    traces = TurnTraces(exporter, section, turn_id)
    try:
        yield traces
    finally:
        # The SDK would wait half a minute for a receiver that is away.
        closing = threading.Thread(target=traces.close, name="last spans", daemon=True)
        closing.start()
        await asyncio.to_thread(closing.join, _CLOSING)
