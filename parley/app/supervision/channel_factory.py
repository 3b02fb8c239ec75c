"""The channels that are on, each made with its services."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import cast

from parley.agent.files.reader import FileReader
from parley.agent.files.voice_decoder import VoiceDecoder
from parley.app.extras import require_extra
from parley.app.process.import_blocker import block_imports
from parley.app.settings.channel_registry import channel_package
from parley.app.settings.core_options import channel_options
from parley.app.settings.load import LoadedSettings
from parley.app.storage.paths import CHANNELS
from parley.app.supervision.channel_names import connect_core
from parley.channels.kit.config import ChannelConfig
from parley.core.commands.registry import command_infos
from parley.core.model.options import ChannelOptions, EditPolicy
from parley.core.ports.channel import Channel, ChannelServices
from parley.core.ports.journal import Journal
from parley.core.ports.memory.changes import NO_MEMORY_CHANGES, MemoryChanges
from parley.core.ports.pubsub import NULL_NOTIFIER, Notifier
from parley.core.ports.speech import NO_SPEECH, SpeechDecoder

_AS_MADE: Mapping[str, ChannelOptions] = MappingProxyType({})
"""For channels that are off: they keep to the settings that they are made with."""


def make_channels(
    loaded: LoadedSettings,
    journal: Journal,
    news: Notifier = NULL_NOTIFIER,
    rules: Mapping[str, ChannelOptions] = _AS_MADE,
    memory_changes: MemoryChanges = NO_MEMORY_CHANGES,
) -> Mapping[str, Channel]:
    """Return the channels that are on, each with a folder of its own."""
    return {
        name: make_channel(loaded, journal, news, name, config, rules, memory_changes)
        for name, config in loaded.channels.items()
    }


def make_channel(
    loaded: LoadedSettings,
    journal: Journal,
    news: Notifier,
    name: str,
    config: ChannelConfig,
    rules: Mapping[str, ChannelOptions] = _AS_MADE,
    memory_changes: MemoryChanges = NO_MEMORY_CHANGES,
) -> Channel:
    """Return one channel. Raises ConfigError where a package that it needs is not installed."""
    usual = channel_options(loaded, name, config)

    def options() -> ChannelOptions:
        return rules.get(name, usual)

    folder, kind = make_folder(loaded.data_dir / CHANNELS / name), loaded.plans[name].kind
    with block_imports(config.spares), require_extra(kind, f"channels.{name}"):
        module = importlib.import_module(f"{channel_package(kind)}.channel")
    services = ChannelServices(
        journal,
        folder,
        command_infos(),
        news,
        reruns=lambda: options().on_edit is EditPolicy.RERUN,
        name=name,
        rules=lambda place: options().at(place),
        decoder=_decoder(loaded),
        memory_changes=memory_changes,
    )
    channel = cast("Channel", module.create(config, connect_core(services, journal)))
    channel.name, channel.platform = name, kind
    return channel


def _decoder(loaded: LoadedSettings) -> SpeechDecoder:
    options = loaded.settings.transcription
    if not options.by_platform:
        return NO_SPEECH
    with require_extra("voice", "transcription.by_platform"):
        # It is loaded where files are read, and nowhere else.
        if importlib.util.find_spec("soundfile") is None:
            raise ModuleNotFoundError("No module named 'soundfile'", name="soundfile")
    return VoiceDecoder(FileReader(), options.max_size, options.max_seconds)


@dataclass(frozen=True, slots=True)
class ChannelsWithoutHistory:
    """The names of the channels whose bots cannot read what was said before."""

    channels: Mapping[str, Channel]

    def __contains__(self, name: object) -> bool:
        channel = self.channels.get(name) if isinstance(name, str) else None
        return channel is not None and not channel.capabilities.history


def make_folder(path: Path) -> Path:
    """Make a folder where it is missing, and return it."""
    path.mkdir(parents=True, exist_ok=True)
    return path
