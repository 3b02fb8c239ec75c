"""Which hosts are this machine, which addresses are everybody's, and the proxies of the environment."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

Address: TypeAlias = IPv4Address | IPv6Address

_NAT64 = IPv6Network("64:ff9b::/96")
_PLAIN = {"ws": "http", "wss": "https"}
"""What a proxy for a web socket is called where it has no name of its own: those for HTTP carry it."""


def is_loopback(host: str) -> bool:
    """Return whether a host name or address means this machine itself."""
    if host.lower() == "localhost" or host.lower().endswith(".localhost"):
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def proxy_for(url: str, proxies: Mapping[str, str] | None = None) -> str:
    """Return the address of the HTTP proxy that `url` is to be reached through; "" for none.

    It may hold a user and a password. `proxies` maps schemes to addresses (None: as the environment has
    it: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY). Nothing goes through one to this machine, nor to what NO_PROXY
    names. SOCKS proxies are passed over.
    """
    proxies = getproxies() if proxies is None else proxies
    parts = urlsplit(url)
    host = parts.hostname or ""
    if not proxies or is_loopback(host) or proxy_bypass(host):
        return ""
    for scheme in (parts.scheme, _PLAIN.get(parts.scheme, ""), "all"):
        if address := http_proxy(proxies.get(scheme, "")):
            return address
    return ""


def http_proxy(address: str) -> str:
    """Return the address of an HTTP proxy with its scheme, which people leave out; "" where it is none."""
    address = address if "://" in address else f"http://{address}"
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return ""
    return address if usable else ""


def split_credentials(url: str) -> tuple[str, str]:
    """Return an address without user and password, and these as "user:password"; "" where it has none.

    What is no address stays as it is.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url, ""
    before, there, host = parts.netloc.rpartition("@")
    if not there:
        return url, ""
    user, _, password = before.partition(":")
    return parts._replace(netloc=host).geturl(), f"{unquote(user)}:{unquote(password)}"


def without_credentials(url: str) -> str:
    """Return an address as it may be shown."""
    return split_credentials(url)[0]


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
