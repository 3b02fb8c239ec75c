"""What runs at this moment, as one frozen value that is replaced as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from parley.app.reload.live_mapping import LiveMapping
from parley.app.settings.load import LoadedSettings
from parley.core.model.options import ChannelOptions, CoreOptions
from parley.core.ports.channel import Channel


@dataclass(frozen=True, slots=True)
class LiveState:
    """The settings that run, the core's options made of them, and the channels whose turns are worked."""

    loaded: LoadedSettings
    options: CoreOptions
    channels: Mapping[str, Channel]


class CurrentState:
    """Holds the state. A reload replaces it; everybody else reads what they need when they need it.

    `channels` and `rules`, which are the options of channels, show those of the moment by name.
    """

    def __init__(self, state: LiveState) -> None:
        self._state = state
        self.channels: Mapping[str, Channel] = LiveMapping(lambda: self._state.channels)
        self.rules: Mapping[str, ChannelOptions] = LiveMapping(lambda: self._state.options.channels)

    def get(self) -> LiveState:
        """Return the whole of it, to read several things that belong together."""
        return self._state

    def replace(self, state: LiveState) -> None:
        """Let another state hold from now on."""
        self._state = state

    def add_channels(self, channels: Mapping[str, Channel]) -> None:
        """Let these channels be worked, too."""
        self._state = replace(self._state, channels={**self._state.channels, **channels})

    def loaded(self) -> LoadedSettings:
        """Return the settings."""
        return self._state.loaded
