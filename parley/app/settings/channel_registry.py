"""The channels that this Parley has, found by their folders."""

from __future__ import annotations

import importlib
from pathlib import Path

import parley.channels
from parley.channels.kit.config import ChannelConfig


def channel_names() -> tuple[str, ...]:
    """Folders under `channels/` with a `config.py`, the kit excepted, in alphabetical order."""
    roots = (Path(root) for root in parley.channels.__path__)
    found = {file.parent.name for root in roots for file in root.glob("*/config.py")}
    return tuple(sorted(found - {"kit"}))


def channel_config(name: str) -> type[ChannelConfig]:
    """The channel's `Config`; its vendor's SDK stays unloaded."""
    module = importlib.import_module(f"parley.channels.{name}.config")
    config = module.Config
    if not (isinstance(config, type) and issubclass(config, ChannelConfig)):
        raise TypeError(f"channels/{name}/config.py: Config must be a ChannelConfig")
    return config
