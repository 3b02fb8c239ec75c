"""Registry of channels: the folders of `parley.channels`, and the entry points of other distributions."""

from __future__ import annotations

import importlib
import importlib.util
from importlib.metadata import entry_points
from pathlib import Path
from typing import cast

import parley.channels
from parley.channels.kit.config import ChannelConfig
from parley.channels.kit.registration import Register
from parley.core.model.errors import ConfigError

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


def channel_registration(name: str) -> Register:
    """Return how a channel's app is made by a QR code.

    Raises ConfigError where there is no such channel, or its platform makes no apps in this way.
    """
    able = registering_channels()
    if name not in able:
        raise ConfigError(f"{name}: no QR code makes an app for it; one does for: {', '.join(able)}")
    return cast("Register", importlib.import_module(f"{channel_package(name)}.registration").register)


def registering_channels() -> tuple[str, ...]:
    """Return the channels whose platform makes apps by a QR code, in alphabetical order."""
    found = ((name, f"{channel_package(name)}.registration") for name in channel_names())
    return tuple(name for name, module in found if importlib.util.find_spec(module) is not None)


def credential_channels() -> list[str]:
    """Return the channels that need credentials, in alphabetical order."""
    return [name for name in channel_names() if channel_config(name)().credentials()]


def _own_names() -> set[str]:
    roots = (Path(root) for root in parley.channels.__path__)
    return {file.parent.name for root in roots for file in root.glob("*/config.py")} - {"kit"}
