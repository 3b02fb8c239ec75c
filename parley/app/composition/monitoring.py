"""What watches a Parley from outside: metrics, traces and the newest lines of the log."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from starlette.routing import BaseRoute

from parley.app.monitoring.loop_lag import LoopLag
from parley.app.monitoring.metrics import MetricSources, backlog_metrics, build_metrics
from parley.app.monitoring.system_load import SystemLoadReader
from parley.app.monitoring.telemetry import open_telemetry
from parley.app.monitoring.turn_metrics import TurnMetrics
from parley.app.process.log_memory import remembered_lines
from parley.app.process.recent_lines import recent_lines
from parley.app.settings.load import LoadedSettings
from parley.console.api.dead_letters import letter_metrics
from parley.console.api.logs import log_route, support_route
from parley.console.api.metrics import metrics_route
from parley.core.dead_letters import DeadLetters
from parley.core.ports.telemetry import Telemetry
from parley.core.scheduler.manager import Manager
from parley.core.services import CoreServices
from parley.core.state.conversations import ConversationRepository
from parley.store.interface import Store


@dataclass(frozen=True, slots=True)
class Watchers:
    """Who is told of messages and turns; `conversations` knows the ids of turns."""

    conversations: ConversationRepository
    metrics: TurnMetrics
    telemetry: Telemetry
    load: SystemLoadReader

    def note_store_write(self, seconds: float) -> None:
        """Note how long the store took for a write that was made to measure it."""
        self.metrics.note_store_write(seconds)
        self.load.note_latency(seconds)


@asynccontextmanager
async def open_watchers(loaded: LoadedSettings, journal: Store) -> AsyncIterator[Watchers]:
    """Open them. Raises ConfigError where traces are wanted and cannot be made."""
    conversations, limits = await ConversationRepository.open(journal), loaded.settings.limits.options()
    metrics = TurnMetrics(loaded.channels, limits.prices, limits.currency)
    async with open_telemetry(loaded.settings.tracing, metrics, conversations.turn_id) as telemetry:
        yield Watchers(conversations, metrics, telemetry, SystemLoadReader(journal))


def monitoring_routes(
    services: CoreServices,
    channels: Iterable[str],
    manager: Manager,
    lag: LoopLag,
    watchers: Watchers,
    letters: DeadLetters,
    journal: Store,
) -> Sequence[BaseRoute]:
    """Return `/metrics`, `/api/logs`, and what a support bundle is made of."""
    watchers.load.watch_turns(lambda: manager.turns_under_way)
    sources = MetricSources(
        services.deliveries,
        services.reports,
        channels,
        lag,
        watchers.metrics,
        lambda: manager.turns_under_way,
        services.options.max_turns,
    )
    asked = (partial(letter_metrics, letters), partial(backlog_metrics, journal))
    scrape = metrics_route(build_metrics(sources), *asked)
    return (scrape, log_route(recent_lines), support_route(remembered_lines))
