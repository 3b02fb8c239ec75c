"""Making a platform's app by a QR code that somebody scans, instead of by hand in its console.

A channel that can do this has a module `registration` with a function `register` of the type `Register`.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from parley.core.model.errors import ChannelError

_PLAIN = re.compile(r"[\w.-]{1,200}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class ScanAddress:
    """What somebody opens, best as a QR code with the platform's app on their phone; `life` is in seconds."""

    url: str
    life: float


@dataclass(frozen=True, slots=True)
class RegisteredApp:
    """A new app: values for keys of the channel's section, its secrets among them.

    They become lines of a file, so nothing but plain words is taken. Raises RegistrationEnded.
    """

    keys: Mapping[str, str] = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse values that would say more than they are in a file of variables."""
        if not all(_PLAIN.match(value) for value in self.keys.values()):
            raise RegistrationEnded("no app was made: the platform's answer had no credentials in it")


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
