"""What runs at this moment, as one frozen value that is replaced as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parley.app.settings.load import LoadedSettings
from parley.core.model.options import ChannelOptions, CoreOptions
from parley.core.ports.channel import Channel


@dataclass(frozen=True, slots=True)
class RunningState:
    """The settings that run, the core's options made of them, and the channels whose turns are worked."""

    loaded: LoadedSettings
    options: CoreOptions
    channels: Mapping[str, Channel]


class CurrentState:
    """Holds the state. A reload replaces it; everybody else reads what they need when they need it."""

    def __init__(self, state: RunningState) -> None:
        self._state = state

    def get(self) -> RunningState:
        """Return the whole of it, to read several things that belong together."""
        return self._state

    def replace(self, state: RunningState) -> None:
        """Let another state hold from now on."""
        self._state = state

    def loaded(self) -> LoadedSettings:
        """Return the settings."""
        return self._state.loaded

    def options(self) -> CoreOptions:
        """Return the core's options."""
        return self._state.options

    def channel_options(self) -> Mapping[str, ChannelOptions]:
        """Return the options of channels by name."""
        return self._state.options.channels

    def channels(self) -> Mapping[str, Channel]:
        """Return the channels by name."""
        return self._state.channels
