"""The walk of a recording, done again on the platform's simulator."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from parley.app.extras import require_extra
from parley.app.live.recorder import Recorder
from parley.app.live.recording import Recording
from parley.app.live.steps import STEPS, LiveStep
from parley.app.live.walk import StepResult, Walk
from parley.app.settings.channel_registry import channel_config, channel_package
from parley.channels.kit.http.wire_listener import listening_to_wires
from parley.core.commands.registry import command_infos
from parley.core.ports.channel import Channel, ChannelServices
from parley.simulator.kit.operator import SimulatedOperator
from parley.simulator.registry import operating
from parley.store.sqlite import SqliteStore

_PATIENCE = 60.0
_WORDS = "hello"


class ScriptedOperator:
    """Does the steps of a recording on a simulator, with texts of the same shape."""

    def __init__(self, hands: SimulatedOperator, texts: Mapping[str, Sequence[str]]) -> None:
        self._hands, self._texts = hands, texts

    async def act(self, step: LiveStep) -> None:
        """Do it."""
        texts = [text.strip() or _WORDS for text in self._texts.get(step.name, ())]
        texts += [_WORDS] * (step.count - len(texts))
        await asyncio.to_thread(self._hands.act, step.name, texts)

    async def skipped(self) -> None:
        """Skip nothing."""
        await asyncio.Event().wait()

    def see(self, result: StepResult) -> None:
        """Look at nothing."""


async def replay(recording: Recording, into: Path, folder: Path, pace: float = 2.0) -> list[StepResult]:
    """Do on the simulator what was done on the platform, and record it in the file `into`.

    `folder` is an empty one for what the channel keeps. Raises ChannelError, ConfigError.
    """
    with operating(recording.platform) as hands:
        return await replay_with(hands, recording, into, folder, pace)


async def replay_with(
    hands: SimulatedOperator, recording: Recording, into: Path, folder: Path, pace: float
) -> list[StepResult]:
    """Do it on a simulator that stands already."""
    done = {step.name: step.texts for step in recording.steps}
    steps = [step for step in STEPS if step.name in done]
    async with SqliteStore.open(folder / "replay.db") as store:
        channel = make_simulated_channel(recording.platform, hands, store, folder)
        recorder = Recorder(into, recording.platform, ())
        try:
            with listening_to_wires(recorder):
                operator = ScriptedOperator(hands, done)
                return await Walk(channel, recorder, operator, _PATIENCE, pace).run(steps)
        finally:
            recorder.close()


def make_simulated_channel(
    platform: str, hands: SimulatedOperator, store: SqliteStore, folder: Path
) -> Channel:
    """Return the channel of a simulated platform."""
    with require_extra(platform, f"channels.{platform}"):
        module = importlib.import_module(f"{channel_package(platform)}.channel")
    config = channel_config(platform).model_validate(dict(hands.settings))
    channel: Channel = module.create(config, ChannelServices(store, folder, command_infos(), name=platform))
    return channel
