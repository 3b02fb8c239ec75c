"""A running Parley is changed: channels on and off, options, memory and graphs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from parley.app.composition.agent import OpenedAgent
from parley.app.composition.memory import prepare_memory
from parley.app.monitoring.turn_metrics import TurnMetrics
from parley.app.reload.changes import ReloadPlan
from parley.app.reload.current_state import CurrentState, LiveState
from parley.app.settings.core_options import core_options
from parley.app.settings.load import LoadedSettings
from parley.app.supervision.channel_supervisor import ChannelSupervisor, ChannelSupervisors
from parley.channels.kit.config import ChannelConfig
from parley.core.model.errors import ConfigError
from parley.core.ports.channel import Channel
from parley.core.scheduler.manager import Manager
from parley.memory.service import MemoryService

log = logging.getLogger("parley.app")

_OF_MODEL = ("agent.model", "agent.base_url", "agent.model_api_key")
"""What memory, too, takes from the agent's section."""


@dataclass(frozen=True, slots=True)
class ChannelMaking:
    """How channels are made, supervised, and given their place on the HTTP server."""

    make: Callable[[LoadedSettings, str, ChannelConfig], Channel]
    supervise: Callable[[Channel], ChannelSupervisor]
    mount: Callable[[LiveState], None]


@dataclass(slots=True)
class Reconfiguration:
    """Applies plans. `note` lets the log follow settings, before anything uses them."""

    current: CurrentState
    agent: OpenedAgent
    memory: MemoryService
    manager: Manager
    metrics: TurnMetrics
    supervisors: ChannelSupervisors
    channels: ChannelMaking
    note: Callable[[LoadedSettings], None]
    _leaving: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    async def apply(self, plan: ReloadPlan) -> None:
        """Do what a plan says. Raises ConfigError; then nothing was changed.

        What may fail comes first. Turns under way keep the channel and the run that they began with.
        """
        loaded = plan.loaded
        self.note(loaded)
        try:
            made = self._made(plan)
            remember = await prepare_memory(loaded, self.agent.agent) if _concerns_memory(plan) else None
            if plan.graphs:
                await self.agent.reload_graphs(loaded)
        except ConfigError:
            self.note(self.current.loaded())
            raise
        self.agent.configure(loaded)
        limits = loaded.settings.limits.options()
        self.metrics.configure(loaded.channels, limits.prices, limits.currency)
        if remember is not None:
            remember(self.memory)
        for name in (*plan.stopped, *made):
            await self.supervisors.stop(name)
        self._swap(loaded, made)
        for name in made:
            self._stay(name)
            self.manager.open_channel(name)
            self.supervisors.start(self.channels.supervise(made[name]))
        for name in plan.stopped:
            self._leaving[name] = asyncio.create_task(self._leave(name), name=f"{name} is switched off")

    def _made(self, plan: ReloadPlan) -> Mapping[str, Channel]:
        """Return new channels, also for those that were refused: the reason may be gone."""
        on = plan.loaded.channels
        refused = [name for name in self.supervisors.refused() if name in on]
        names = dict.fromkeys((*plan.started, *plan.reconnected, *refused))
        return {name: self.channels.make(plan.loaded, name, on[name]) for name in names}

    def _swap(self, loaded: LoadedSettings, made: Mapping[str, Channel]) -> None:
        """Let the settings hold; channels that are off stay known as long as a turn of theirs goes on."""
        before, options = self.current.get(), core_options(loaded)
        channels = {**before.channels, **made}
        known = {**before.options.channels, **options.channels}
        state = LiveState(loaded, replace(options, channels=known), channels)
        self._hold(state)
        self.channels.mount(state)

    def _hold(self, state: LiveState) -> None:
        self.current.replace(state)
        self.manager.configure(state.options, state.channels)

    def _stay(self, name: str) -> None:
        """Let a channel that was being switched off stay."""
        leaving = self._leaving.pop(name, None)
        if leaving is not None:
            leaving.cancel()

    async def _leave(self, name: str) -> None:
        """Forget a channel once nothing of it is under way; what waits for it stays on disk."""
        await self.manager.close_channel(name)
        state = self.current.get()
        channels = {key: each for key, each in state.channels.items() if key != name}
        known = {key: each for key, each in state.options.channels.items() if key != name}
        self._hold(replace(state, channels=channels, options=replace(state.options, channels=known)))
        self._leaving.pop(name, None)
        log.info("%s is off; what waits there is kept until it is switched on again", name)


def _concerns_memory(plan: ReloadPlan) -> bool:
    return any(place.startswith("memory.") or place in _OF_MODEL for place in plan.changed)
