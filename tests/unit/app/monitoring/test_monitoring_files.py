"""docs/monitoring.md, the dashboard and the alert rules agree with each other and with what is scraped."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric

from parley.app.monitoring.metrics import backlog_metrics, build_metrics
from parley.app.monitoring.turn_metrics import TurnMetrics
from parley.console.api.dead_letters import letter_metrics
from parley.core.dead_letters import DeadLetters
from parley.core.model.usage import TokenPrice
from parley.store.sqlite import SqliteStore
from tests.kit.checkout import ROOT
from tests.kit.doubles.metric_sources import metric_sources
from tests.kit.samples.turn_reports import report

PAGE = (ROOT / "docs" / "monitoring.md").read_text("utf-8")
PROMETHEUS = ROOT / "deploy" / "prometheus"
RULES = yaml.safe_load((PROMETHEUS / "alerts.yaml").read_text("utf-8"))["groups"][0]["rules"]
BOARD = json.loads((ROOT / "deploy" / "grafana" / "parley.json").read_text("utf-8"))
_NAME = re.compile(r"\b(?:parley|process)_[a-z_]+")
_SELECTED = re.compile(r"\b((?:parley|process)_[a-z_]+)\{([^}]*)\}")
_ROW = re.compile(r"^\| `(\w+)` \| (\w+) \| ([^|]*)\|", re.MULTILINE)


@pytest.fixture
async def scraped(tmp_path: Path) -> Mapping[str, Metric]:
    """All families after one turn, by name; whatever is there only with prices is there."""
    turns = TurnMetrics(["web"], {"*": TokenPrice(1.0, 1.0)}, "USD")
    turns.run_ended(report())
    turns.turn_ended(report())
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        asked = [*await letter_metrics(DeadLetters(store)), *await backlog_metrics(store)]
    families = [*build_metrics(metric_sources("web", turns=turns))(), *asked]
    return {_name(each): each for each in families}


def _name(metric: Metric) -> str:
    return f"{metric.name}_total" if metric.type == "counter" else metric.name


def _family(name: str) -> str:
    return re.sub("_(?:bucket|sum|count)$", "", name)


def expressions() -> Iterator[str]:
    """All that the dashboard and the rules ask Prometheus for."""
    yield from (each["expr"] for panel in BOARD["panels"] for each in panel.get("targets", ()))
    yield from (each["query"]["query"] for each in BOARD["templating"]["list"] if each["type"] == "query")
    yield from (rule["expr"] for rule in RULES)


async def test_the_table_lists_what_is_scraped(scraped: Mapping[str, Metric]) -> None:
    table = {name: (kind, set(re.findall("`(.+?)`", labels))) for name, kind, labels in _ROW.findall(PAGE)}
    ours = {name: each for name, each in scraped.items() if name.startswith("parley_")}
    assert set(table) == set(ours)
    for name, metric in ours.items():
        kind, labels = table[name]
        assert kind == metric.type, name
        if metric.samples:
            assert labels == set(metric.samples[0].labels) - {"le"}, name


def asked_families() -> set[str]:
    """The families that the dashboard and the rules name."""
    return {_family(name) for each in expressions() for name in _NAME.findall(each)}


async def test_dashboard_and_rules_ask_for_what_is_scraped(scraped: Mapping[str, Metric]) -> None:
    assert asked_families() <= set(scraped)
    assert len(asked_families()) > 15
    for name, selected in (each for text in expressions() for each in _SELECTED.findall(text)):
        samples = scraped[_family(name)].samples
        known = {label for sample in samples for label in sample.labels} | {"job", "queue", "channel"}
        assert set(re.findall(r"(\w+)(?:=|!=)", selected)) <= known, (name, selected)


async def test_every_histogram_has_a_panel(scraped: Mapping[str, Metric]) -> None:
    shown = {
        _family(name)
        for panel in BOARD["panels"]
        for target in panel.get("targets", ())
        for name in _NAME.findall(target["expr"])
    }
    histograms = {name for name, each in scraped.items() if each.type == "histogram"}
    assert "parley_store_write_seconds" in histograms
    assert not histograms - shown


def test_the_dashboard_is_whole() -> None:
    ids = [panel["id"] for panel in BOARD["panels"]]
    assert len(ids) == len(set(ids))
    places = [tuple(panel["gridPos"][side] for side in "xywh") for panel in BOARD["panels"]]
    assert not [(a, b) for a in places for b in places if a < b and _overlap(a, b)]
    assert {each["name"] for each in BOARD["templating"]["list"]} == {"datasource", "channel"}
    for panel in BOARD["panels"]:
        assert panel["title"]
        assert panel["type"] == "row" or panel["targets"]


def _overlap(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def test_each_alert_says_what_to_do() -> None:
    named = re.findall(r"^\| `(Parley\w+)` \| [\w`]", PAGE, re.MULTILINE)
    assert named == [rule["alert"] for rule in RULES]
    assert all(rule["labels"]["severity"] in ("warning", "critical") for rule in RULES)


def promtool(*arguments: str, given: str = "") -> None:
    """Run Prometheus' own checker. Skips where it is not installed."""
    if (tool := shutil.which("promtool")) is None:
        pytest.skip('promtool is not installed (Debian: "prometheus")')
    done = subprocess.run([tool, *arguments], input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


class _Scrape:
    """What a registry of prometheus_client holds."""

    def __init__(self, families: Mapping[str, Metric]) -> None:
        self.families = families

    def collect(self) -> Iterator[Metric]:
        yield from self.families.values()


async def test_names_and_units_are_as_prometheus_wants_them(scraped: Mapping[str, Metric]) -> None:
    registry = CollectorRegistry()
    registry.register(_Scrape(scraped))
    promtool("check", "metrics", given=generate_latest(registry).decode())


def test_prometheus_takes_the_rules_and_the_configuration() -> None:
    promtool("check", "rules", str(PROMETHEUS / "alerts.yaml"))
    promtool("check", "config", "--syntax-only", str(PROMETHEUS / "prometheus.yml"))


FIRES: dict[str, list[tuple[str, str]]] = {
    "ParleyDown": [('up{job="parley"}', "0x60")],
    "ParleyPartDown": [('parley_up{part="slack"}', "0x60")],
    "ParleyTurnsWait": [('parley_queue_oldest_seconds{queue="turns",channel="slack"}', "61+60x60")],
    "ParleyNearTurnLimit": [("parley_turns_under_way", "1900x60"), ("parley_turns_limit", "2000x60")],
    "ParleyRunsFail": [
        ('parley_run_seconds_count{channel="web",outcome="failed"}', "0+3x60"),
        ('parley_run_seconds_count{channel="web",outcome="answered"}', "0+9x60"),
    ],
    "ParleyFirstTextSlow": [
        ('parley_first_text_seconds_bucket{channel="web",le="30.0"}', "0+8x60"),
        ('parley_first_text_seconds_bucket{channel="web",le="60.0"}', "0+10x60"),
        ('parley_first_text_seconds_bucket{channel="web",le="+Inf"}', "0+10x60"),
    ],
    "ParleyAcceptSlow": [
        ('parley_accept_seconds_bucket{channel="web",le="1.0"}', "0+9x60"),
        ('parley_accept_seconds_bucket{channel="web",le="2.5"}', "0+10x60"),
        ('parley_accept_seconds_bucket{channel="web",le="+Inf"}', "0+10x60"),
    ],
    "ParleyLoopLate": [
        ('parley_loop_lag_seconds_bucket{le="0.5"}', "0+9x60"),
        ('parley_loop_lag_seconds_bucket{le="1.0"}', "0+10x60"),
        ('parley_loop_lag_seconds_bucket{le="+Inf"}', "0+10x60"),
    ],
    "ParleyRateLimited": [
        ('parley_platform_wait_seconds_sum{channel="web",kind="final"}', "0+60x60"),
        ('parley_messages_delivered_total{channel="web"}', "0+10x60"),
    ],
    "ParleyDeadLetters": [('parley_dead_letters{queue="turns"}', "1x60")],
    "ParleyMemoryLate": [('parley_queue_oldest_seconds{queue="memory",channel=""}', "1801+60x60")],
}
"""Series, a value a minute, that each alert has to fire for."""


def test_each_alert_fires_when_it_should(tmp_path: Path) -> None:
    assert list(FIRES) == [rule["alert"] for rule in RULES]
    tests = [_fires(alert, series) for alert, series in FIRES.items()]
    file = tmp_path / "tests.yaml"
    file.write_text(yaml.safe_dump({"rule_files": [str(PROMETHEUS / "alerts.yaml")], "tests": tests}))
    promtool("test", "rules", str(file))


def _fires(alert: str, series: list[tuple[str, str]]) -> Mapping[str, Any]:
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series],
        "promql_expr_test": [
            {
                "expr": f'count(ALERTS{{alertname="{alert}",alertstate="firing"}})',
                "eval_time": "30m",
                "exp_samples": [{"labels": "{}", "value": 1}],
            }
        ],
    }
