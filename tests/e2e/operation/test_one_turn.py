"""One turn, followed by its id: log, metrics, trace, run and store, across a kill -9 (docs/monitoring.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from tests.kit.engine import CHOSEN
from tests.kit.machine import patience
from tests.kit.product.long_answers import counting, goes_on
from tests.kit.product.process import AGENT_KEY, Process, asking, split, way_in
from tests.kit.product.scene import begin, end
from tests.kit.product.web_person import WebPerson
from tests.unit.app.monitoring.otlp_receiver import OtlpReceiver, otlp_receiver
from tests.unit.app.monitoring.test_monitoring_files import asked_families, promtool

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(300)]

OPENMETRICS = {"accept": "application/openmetrics-text; version=1.0.0"}


@pytest.fixture
def receiver() -> Iterator[OtlpReceiver]:
    with otlp_receiver() as receiver:
        yield receiver


@pytest.fixture
def watched(agent: Process, receiver: OtlpReceiver, tmp_path: Path) -> Iterator[Process]:
    """Parley with an agent server beside it, JSON logs and traces."""
    config = {"agent": asking(agent.url), "tracing": {"endpoint": receiver.url}}
    process = begin(tmp_path, config, "run", "--log-json")
    try:
        process.wait_until_ready()
        yield process
    finally:
        end(process)


def test_one_id_leads_through_everything(watched: Process, agent: Process, receiver: OtlpReceiver) -> None:
    person = WebPerson(watched.url)
    try:
        message, seen = counting(person)
        receiver.wait_for("accept")
        watched.kill()
        watched.start()
        goes_on(person, message, seen)
    finally:
        person.close()
    receiver.wait_for("turn")

    (line,) = [each for each in lines(watched) if each.get("event") == "turn"]
    turn = line["turn"]
    assert (line["end"], line["outcome"]) == ("delivered", "answered")
    assert "4 5 6" not in watched.log

    spans = receiver.spans()
    assert {span.trace_id.hex() for span in spans} == {turn}
    assert sorted(names(spans)) == ["accept", "deliver", "run", "turn", "wait"]
    about = {each.key: each.value for span in spans for each in span.attributes}
    assert about["langgraph.run_id"].string_value == line["run"]

    with httpx.Client(**way_in(watched.url), timeout=patience(20)) as operator:
        metrics = operator.get("/metrics", headers=OPENMETRICS).text
        text = operator.get("/metrics").text
        recent = operator.get("/api/logs", params={"q": turn}).json()["lines"]
    families = list(text_string_to_metric_families(metrics))
    scraped = {f"{each.name}_total" if each.type == "counter" else each.name for each in families}
    assert asked_families() - {"parley_cost_total"} <= scraped, "costs are there with prices only"
    exemplars = {
        (family.name, sample.exemplar.labels["trace_id"])
        for family in families
        for sample in family.samples
        if sample.exemplar
    }
    assert {("parley_run_seconds", turn), ("parley_turn_seconds", turn)} <= exemplars
    assert line in [json.loads(each) for each in recent]

    url = f"{split(agent.url)[0]}/threads/{line['thread']}/runs/{line['run']}"
    run = httpx.get(url, headers={"x-api-key": AGENT_KEY}, trust_env=False).json()
    assert run["metadata"]["parley_turn"] == run["metadata"]["trace_id"] == turn
    assert run["metadata"]["session_id"] == run["metadata"]["langfuse_session_id"] == line["thread"]

    rows = [*CHOSEN.engine().rows(watched.folder)]
    for each in (turn, line["run"], line["thread"]):
        assert any(each in row for row in rows)
    promtool("check", "metrics", given=text)  # skips the rest where it is not installed


def names(spans: list[Span]) -> list[str]:
    return [span.name for span in spans]


def lines(process: Process) -> list[dict[str, str]]:
    """What its log says; every line of it is JSON."""
    return [json.loads(line) for line in process.log.splitlines()]
