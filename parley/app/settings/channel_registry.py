"""Registry of channels: the folders of `parley.channels`, and the entry points of other distributions."""

from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from pathlib import Path

import parley.channels
from parley.channels.kit.config import ChannelConfig

_GROUP = "parley.channels"
"""Entry point group: the name is the channel's, the value a package with modules `config` and `channel`."""


def channel_names() -> tuple[str, ...]:
    """Return the names of all channels, in alphabetical order."""
    return tuple(sorted({*_own_names(), *(point.name for point in entry_points(group=_GROUP))}))


def channel_package(name: str) -> str:
    """Return the package of a channel; one of ours is never replaced by one of the same name."""
    if name not in _own_names():
        for point in entry_points(group=_GROUP, name=name):
            return point.module
    return f"parley.channels.{name}"


def channel_config(name: str) -> type[ChannelConfig]:
    """Return the channel's `Config`; its vendor's SDK stays unloaded."""
    package = channel_package(name)
    config = importlib.import_module(f"{package}.config").Config
    if not (isinstance(config, type) and issubclass(config, ChannelConfig)):
        raise TypeError(f"{package}.config: Config must be a ChannelConfig")
    return config


def _own_names() -> set[str]:
    roots = (Path(root) for root in parley.channels.__path__)
    return {file.parent.name for root in roots for file in root.glob("*/config.py")} - {"kit"}
