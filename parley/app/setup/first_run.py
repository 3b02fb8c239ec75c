"""Whether a Parley is new: nothing is set up but the page and the demonstration."""

from __future__ import annotations

from parley.app.settings.channel_registry import credential_channels
from parley.app.settings.load import LoadedSettings
from parley.core.network import is_loopback


def offers_setup(loaded: LoadedSettings) -> bool:
    """Tell whether the page offers the set-up: on a new Parley that only its own machine can reach."""
    new = loaded.settings.agent.demonstrates or loaded.project is not None
    connected = set(credential_channels()) & set(loaded.channels)
    return new and not connected and "web" in loaded.channels and is_loopback(loaded.settings.console.host)
