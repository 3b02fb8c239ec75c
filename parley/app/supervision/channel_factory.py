"""The channels that are on, each made with its services."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import cast

from parley.app.extras import require_extra
from parley.app.process.import_blocker import block_imports
from parley.app.settings.channel_registry import channel_package
from parley.app.settings.core_options import channel_options, reruns_edits
from parley.app.settings.load import LoadedSettings
from parley.app.storage.paths import CHANNELS
from parley.channels.kit.config import ChannelConfig
from parley.core.commands.registry import command_infos
from parley.core.hitl.clicks import outcome_text
from parley.core.inbound.withdrawal import recall_message, withdraw_message
from parley.core.ports.channel import Channel, ChannelServices
from parley.core.ports.journal import Journal
from parley.core.ports.pubsub import NULL_NOTIFIER, Notifier
from parley.core.privacy.conversation_deletion import schedule_deletion


def make_channels(
    loaded: LoadedSettings, journal: Journal, news: Notifier = NULL_NOTIFIER
) -> Mapping[str, Channel]:
    """Return the channels that are on, each with a folder of its own."""
    make = partial(make_channel, loaded, journal, news)
    return {name: make(name, config) for name, config in loaded.channels.items()}


def make_channel(
    loaded: LoadedSettings, journal: Journal, news: Notifier, name: str, config: ChannelConfig
) -> Channel:
    """Return one channel. Raises ConfigError where a package that it needs is not installed."""
    folder, kind = make_folder(loaded.data_dir / CHANNELS / name), loaded.plans[name].kind
    with block_imports(config.spares), require_extra(kind, f"channels.{name}"):
        module = importlib.import_module(f"{channel_package(kind)}.channel")
    services = ChannelServices(
        journal,
        folder,
        command_infos(),
        news,
        reruns=reruns_edits(loaded, config),
        clear=partial(schedule_deletion, journal),
        withdraw=partial(withdraw_message, journal),
        recall=partial(recall_message, journal),
        outcome=partial(outcome_text, journal),
        name=name,
        rules=channel_options(loaded, name, config).at,
    )
    channel = cast("Channel", module.create(config, services))
    channel.name = name
    return channel


def make_folder(path: Path) -> Path:
    """Make a folder where it is missing, and return it."""
    path.mkdir(parents=True, exist_ok=True)
    return path
