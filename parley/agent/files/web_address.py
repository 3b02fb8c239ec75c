"""Addresses on the web that may be asked."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_address

from yarl import URL

from parley.core.network import Address

_LONGEST_URL = 2_000


class NotFetched(Exception):
    """A file that cannot be had; `too_large` says that it is there, but larger than is taken."""

    def __init__(self, reason: str, *, too_large: bool = False) -> None:
        super().__init__(reason)
        self.too_large = too_large


def checked_address(url: str, allowed: Callable[[Address], bool]) -> URL:
    """An address that may be asked. Raises NotFetched."""
    place = URL(url[: _LONGEST_URL + 1])
    if len(url) > _LONGEST_URL or place.scheme not in ("http", "https") or not place.host or place.user:
        raise NotFetched("not an address on the web")
    try:
        literal = ip_address(place.host)
    except ValueError:
        return place  # a name: the resolver checks what it stands for
    if not allowed(literal):
        raise NotFetched("its address is not a public one")
    return place
