"""Which addresses of the network are everybody's, and which are inside somebody's own."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address

_NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: Address) -> bool:
    """Return whether everybody in the world could reach an address, also one that hides another in itself."""
    if isinstance(address, IPv6Address):
        hidden = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if address in _NAT64:
            hidden.append(IPv4Address(int(address) & 0xFFFF_FFFF))
        if any(each is not None and not is_public(each) for each in hidden):
            return False
        if address.ipv4_mapped or address in _NAT64:
            return True
    return address.is_global and not address.is_multicast
