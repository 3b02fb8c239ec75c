"""Figures for Prometheus."""

import re
from collections.abc import Mapping

from prometheus_client.metrics_core import GaugeMetricFamily

from parley.app.monitoring.loop_lag import LoopLag
from parley.app.monitoring.metrics import build_metrics
from parley.console.api.metrics import labelled, metrics_route
from parley.console.http.options import ConsoleOptions
from parley.core.delivery.delivery_counts import DeliveryCounts
from parley.core.model.address import Conversation
from parley.core.model.types import OutboundMessage, Receipt
from parley.core.ports.health import Health, HealthReport
from tests.kit.doubles.console_server import UP, serving

_TOKEN = "a-token-that-is-long-enough"


def final(channel: str) -> OutboundMessage:
    return OutboundMessage("turn", Conversation(channel, "chat"), "1", "text", final=True)


def figures(text: str) -> Mapping[str, str]:
    """The samples of a scrape, by name and label."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return dict(line.rsplit(" ", 1) for line in lines)


async def test_what_happened_to_messages_is_counted_by_channel() -> None:
    deliveries = DeliveryCounts()
    deliveries.count_delivered(final("telegram"), Receipt(("1",)))
    deliveries.count_delivered(final("telegram"), Receipt(("1",), doubtful=True))
    deliveries.count_rejected(final("slack"))
    reports = [UP, HealthReport("slack", Health.REFUSED, "", 0.0)]
    route = metrics_route(build_metrics(deliveries, lambda: reports, ["slack", "telegram"], LoopLag()))
    async with serving(routes=[route]) as http:
        answer = await http.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    found = figures(answer.text)
    assert found['parley_messages_delivered_total{channel="telegram"}'] == "2.0"
    assert found['parley_duplicates_possible_total{channel="telegram"}'] == "1.0"
    assert found['parley_duplicates_possible_total{channel="slack"}'] == "0.0"
    assert found['parley_messages_refused_total{channel="slack"}'] == "1.0"
    assert found['parley_up{part="store"}'] == "1.0"
    assert found['parley_up{part="slack"}'] == "0.0"


async def test_every_figure_says_what_it_is() -> None:
    route = metrics_route(build_metrics(DeliveryCounts(), lambda: [UP], ["web"], LoopLag()))
    async with serving(routes=[route]) as http:
        lines = (await http.get("/metrics")).text.splitlines()
    for name in {re.split("[ {]", line)[0] for line in lines if not line.startswith("#")}:
        kind = "counter" if name.endswith("_total") else "gauge"
        if found := re.fullmatch("(parley_loop_lag_seconds)_(?:bucket|sum|count)", name):
            name, kind = found[1], "histogram"
        assert f"# TYPE {name} {kind}" in lines
        assert any(line.startswith(f"# HELP {name} ") for line in lines)


async def test_what_a_label_holds_cannot_break_the_format() -> None:
    route = metrics_route(lambda: [labelled(GaugeMetricFamily, "m", "a\nb", "x", {'a"b\\c\nd': 1})])
    async with serving(routes=[route]) as http:
        text = (await http.get("/metrics")).text
    assert text == '# HELP m a\\nb\n# TYPE m gauge\nm{x="a\\"b\\\\c\\nd"} 1.0\n'


async def test_figures_are_behind_the_token() -> None:
    route = metrics_route(build_metrics(DeliveryCounts(), lambda: [UP], ["web"], LoopLag()))
    async with serving(ConsoleOptions(port=0, token=_TOKEN), routes=[route]) as http:
        del http.headers["authorization"]
        assert (await http.get("/metrics")).status_code == 401
        answer = await http.get("/metrics", headers={"authorization": f"Bearer {_TOKEN}"})
    assert 'parley_up{part="store"}' in answer.text
