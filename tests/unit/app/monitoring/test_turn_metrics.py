"""What is counted of messages and turns, and what it costs."""

from __future__ import annotations

import sys
from types import FrameType

from prometheus_client.samples import Sample

from parley.app.monitoring.turn_metrics import TurnMetrics
from parley.core.model.usage import TokenPrice, TokenUsage
from parley.core.ports.sending import Priority
from parley.core.ports.telemetry import Acceptance, AcceptedMessage, Period, TurnReport
from tests.kit.samples.turn_reports import BEGAN, report

MOST_CALLS = 120
"""Python calls that the metrics of one turn may take: 105 were counted."""


def samples(metrics: TurnMetrics) -> dict[tuple[str, ...], float]:
    """The figures by name and label values, without the buckets."""
    return {_key(each): each.value for metric in metrics.collect() for each in metric.samples if _plain(each)}


def _key(sample: Sample) -> tuple[str, ...]:
    return (sample.name.removeprefix("parley_"), *sample.labels.values())


def _plain(sample: Sample) -> bool:
    return not sample.name.endswith("_bucket")


def tell_all(metrics: TurnMetrics, turn: TurnReport) -> None:
    metrics.message_accepted(AcceptedMessage("web", Acceptance.TURN, Period(BEGAN, 0.004), 7))
    metrics.run_ended(turn)
    metrics.turn_ended(turn)


def test_each_part_of_a_turn_is_measured() -> None:
    metrics = TurnMetrics(["web"], {}, "USD")
    tell_all(metrics, report())
    metrics.platform_waited("web", Priority.FINAL, 3.0)
    metrics.lesson_learned(31.0)
    found = samples(metrics)
    assert found["accept_seconds_sum", "web", "turn"] == 0.004
    assert found["turn_wait_seconds_sum", "web"] == 1.0
    assert found["run_seconds_sum", "web", "answered"] == 4.0
    assert found["first_text_seconds_sum", "web"] == 2.5
    assert found["delivery_seconds_sum", "web", "delivered"] == 0.5
    assert found["turn_seconds_sum", "web", "answered"] == 5.75
    assert found["platform_wait_seconds_sum", "web", "final"] == 3.0
    assert found["memory_lag_seconds_sum",] == 31.0
    assert found["tokens_total", "in", "gpt-5-mini", "agent"] == 1000
    assert found["tokens_total", "out", "gpt-5-mini", "agent"] == 200


def test_costs_are_there_where_there_are_prices() -> None:
    free, priced = (TurnMetrics(["web"], prices, "EUR") for prices in ({}, {"gpt-*": TokenPrice(2.0, 10.0)}))
    for each in (free, priced):
        each.run_ended(report())
    assert samples(priced)["cost_total", "EUR", "gpt-5-mini", "agent"] == 0.004
    assert not [name for name, *_ in samples(free) if name.startswith("cost")]


def test_a_turn_that_was_only_delivered_here_has_no_run() -> None:
    metrics = TurnMetrics(["web"], {}, "USD")
    metrics.turn_ended(report(run=None, first_text=None))
    found = samples(metrics)
    assert found["run_seconds_count", "web", "answered"] == 0
    assert found["delivery_seconds_count", "web", "delivered"] == 1


def test_servers_cannot_make_figures_without_end() -> None:
    metrics = TurnMetrics(["web"], {}, "USD")
    for number in range(500):
        metrics.run_ended(report(usage=(TokenUsage(f"m{number}" * 500, 1, 1),), assistant=f"a{number}"))
    names = {key[2:] for key in samples(metrics) if key[0] == "tokens_total"}
    assert len(names) == 51
    assert max(len(name) for pair in names for name in pair) == 100
    assert samples(metrics)["tokens_total", "in", "other", "other"] == 450


def test_the_figures_of_a_channel_are_there_before_its_first_message() -> None:
    found = samples(TurnMetrics(["slack"], {}, "USD"))
    for name in ("accept_seconds_count", "run_seconds_count", "delivery_seconds_count"):
        assert [value for key, value in found.items() if key[:2] == (name, "slack")]


def test_a_turn_costs_few_calls() -> None:
    metrics, calls = TurnMetrics(["web"], {}, "USD"), 0
    tell_all(metrics, report())

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        tell_all(metrics, report())
    finally:
        sys.setprofile(before)
    assert calls <= MOST_CALLS, calls
