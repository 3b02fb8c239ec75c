"""Making a platform's app by a QR code that somebody scans, instead of by hand in its console.

A channel that can do this has a module `registration` with a function `register` of the type `Register`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from parley.core.model.errors import ChannelError


@dataclass(frozen=True, slots=True)
class ScanAddress:
    """What somebody opens, best as a QR code with the platform's app on their phone; `life` is in seconds."""

    url: str
    life: float


@dataclass(frozen=True, slots=True)
class RegisteredApp:
    """A new app: its secrets by the names of their environment variables, and keys of the channel's section
    that differ from their defaults."""

    variables: Mapping[str, str] = field(repr=False)
    settings: Mapping[str, str] = field(default_factory=dict)


class RegistrationEnded(ChannelError):
    """No app was made: somebody declined, or nobody scanned in time."""


ShowAddress = Callable[[ScanAddress], Awaitable[None]]


class Register(Protocol):
    """Shows an address and waits until somebody has made the app there."""

    async def __call__(self, show: ShowAddress, server: str = "") -> RegisteredApp:
        """Return the new app. `server` takes the place of the platform's own.

        Raises RegistrationEnded, ChannelError.
        """
        ...
