"""Making a platform's app by a QR code that somebody scans, instead of by hand in its console.

A channel that can do this has a module `registration` with a function `register` of the type `Register`.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from parley.core.model.errors import ChannelError, ChannelUnavailable
from parley.core.model.types import JsonObject

_LONGEST = 3600.0
_PLAIN = re.compile(r"[\w.-]{1,200}\Z", re.ASCII)
_WEB = re.compile(r"https?://[!-~]{1,4000}\Z")


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


@dataclass(frozen=True, slots=True)
class PendingApp:
    """A registration under way: `code` is what is asked with, every `interval` seconds."""

    code: str
    scan: ScanAddress
    interval: float


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


def read_pending(told: JsonObject, platform: str, interval: float, life: float) -> PendingApp:
    """Return what the answer of a device flow says has begun; `interval` and `life` where it does not say.

    Raises ChannelUnavailable.
    """
    code, address = told.get("device_code"), told.get("verification_uri_complete")
    if not (isinstance(code, str) and code and isinstance(address, str) and _WEB.match(address)):
        raise ChannelUnavailable(f"{platform}'s answer did not say where to make the app")
    scan = ScanAddress(address, _seconds(told, "expires_in", life))
    return PendingApp(code, scan, _seconds(told, "interval", interval))


def _seconds(told: JsonObject, key: str, usual: float) -> float:
    found = told.get(key)
    return min(float(found), _LONGEST) if isinstance(found, int | float) and found > 0 else usual
