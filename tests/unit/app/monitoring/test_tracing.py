"""Traces of turns, as a receiver reads them that OpenTelemetry's own types decode."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from langsmith._internal.otel._otel_exporter import LANGSMITH_METADATA
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from parley.app.monitoring.telemetry import open_telemetry
from parley.app.monitoring.turn_metrics import TurnMetrics
from parley.app.settings.schema.tracing import TracingSection
from parley.core.ports.telemetry import Acceptance, AcceptedMessage, Period, TurnReport
from tests.kit.checkout import ROOT
from tests.kit.samples.turn_reports import BEGAN, TURN, report
from tests.unit.app.monitoring.otlp_receiver import otlp_receiver

SECOND = 1_000_000_000


def turn_id(item: int) -> str:
    return TURN if item == 1 else f"{item:032x}"


async def export(section: TracingSection, turn: TurnReport) -> tuple[list[Span], str]:
    """The spans of a turn, and what the agent server is told of them; all is sent at the end."""
    metrics = TurnMetrics(["web"], {}, "USD")
    with otlp_receiver() as receiver:
        section = section.model_copy(update={"endpoint": receiver.url, "headers": {"X-Scope": "a"}})
        async with open_telemetry(section, metrics, turn_id) as telemetry:
            telemetry.message_accepted(AcceptedMessage("web", Acceptance.TURN, Period(BEGAN, 0.01), 1))
            telemetry.run_ended(turn)
            telemetry.turn_ended(turn)
            parent = telemetry.trace_parent(TURN)
        assert all(headers["x-scope"] == "a" for headers in receiver.headers)
        assert {service_name(each) for each in receiver.requests} == {"parley"}
        return receiver.spans(), parent


def service_name(request: ExportTraceServiceRequest) -> str:
    (resource,) = [each.resource for each in request.resource_spans]
    return str({each.key: each.value.string_value for each in resource.attributes}["service.name"])


async def test_a_turn_is_one_trace_with_a_span_for_each_part() -> None:
    spans, parent = await export(TracingSection(), report(merged=(2, 3)))
    assert {span.trace_id.hex() for span in spans} == {TURN}
    by_name = {span.name: span for span in spans}
    assert sorted(by_name) == ["accept", "deliver", "run", "turn", "wait"]
    root = by_name.pop("turn")
    assert root.parent_span_id == b""
    assert {span.parent_span_id for span in by_name.values()} == {root.span_id}
    assert [link.trace_id.hex() for link in root.links] == [turn_id(2), turn_id(3)]
    run = by_name["run"]
    assert run.end_time_unix_nano - run.start_time_unix_nano == 4 * SECOND
    assert [each.name for each in run.events] == ["first text"]
    assert run.events[0].time_unix_nano == int((BEGAN + 2.5) * SECOND)
    about = {each.key: each.value for each in run.attributes}
    assert about["langgraph.run_id"].string_value == "run-1"
    assert about["gen_ai.usage.input_tokens"].int_value == 1000
    assert re.fullmatch(rf"00-{TURN}-{run.span_id.hex()}-01", parent)


async def test_langfuse_and_langsmith_find_the_conversation_on_every_span() -> None:
    """By the keys that their own SDKs write (langfuse 5.0.4: LangfuseOtelSpanAttributes.TRACE_SESSION_ID)."""
    spans, _ = await export(TracingSection(), report())
    for span in spans:
        about = {each.key: each.value.string_value for each in span.attributes}
        if span.name != "accept":  # when it is not known yet
            assert about["session.id"] == about[f"{LANGSMITH_METADATA}.thread_id"] == "thread-1", span.name


async def test_what_failed_is_marked_as_failed() -> None:
    spans, _ = await export(TracingSection(), report(outcome="failed", end="rejected"))
    failed = {span.name for span in spans if span.status.code == Status.STATUS_CODE_ERROR}
    assert failed == {"run", "deliver", "turn"}


async def test_another_process_goes_on_in_the_same_trace() -> None:
    first, parent = await export(TracingSection(), report())
    second, again = await export(TracingSection(), report())
    assert parent == again
    assert {(span.name, span.span_id) for span in first} == {(span.name, span.span_id) for span in second}


async def test_a_turn_is_sampled_as_a_whole_or_not_at_all() -> None:
    with otlp_receiver() as receiver:
        section = TracingSection(endpoint=receiver.url, sample=0.5)
        async with open_telemetry(section, TurnMetrics(["web"], {}, "USD"), turn_id) as telemetry:
            sampled = set()
            for number in range(64):
                turn = f"{number << 50:032x}"
                sampled |= {turn} if telemetry.trace_parent(turn).endswith("-01") else set()
                telemetry.run_ended(report(turn=turn))
                telemetry.turn_ended(report(turn=turn))
        spans = receiver.spans()
    assert len(sampled) == 32
    assert {span.trace_id.hex() for span in spans} == sampled
    assert len(spans) == 4 * 32


async def test_a_receiver_that_is_away_costs_spans_only() -> None:
    section = TracingSection(endpoint="http://127.0.0.1:9")
    async with open_telemetry(section, TurnMetrics(["web"], {}, "USD"), turn_id) as telemetry:
        telemetry.turn_ended(report())


async def test_no_login_of_whoever_runs_it_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "netrc").write_text("default login me password hidden\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    metrics, keys = TurnMetrics(["web"], {}, "USD"), {"Authorization": "Bearer key"}
    with otlp_receiver() as receiver:
        monkeypatch.setenv("http_proxy", receiver.url)
        section = TracingSection(endpoint="http://traces.example", headers=keys)
        async with open_telemetry(section, metrics, turn_id) as telemetry:
            telemetry.turn_ended(report())
        assert {headers["authorization"] for headers in receiver.headers} == {"Bearer key"}


async def test_without_an_endpoint_there_are_no_traces() -> None:
    metrics = TurnMetrics(["web"], {}, "USD")
    async with open_telemetry(TracingSection(), metrics, turn_id) as telemetry:
        assert telemetry is metrics
        assert telemetry.trace_parent(TURN) == ""


def test_opentelemetry_is_not_loaded_with_parley() -> None:
    loads = "import sys, parley.app.composition.build; print('opentelemetry.sdk' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loads], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
