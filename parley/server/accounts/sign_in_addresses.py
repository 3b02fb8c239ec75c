"""Where people are sent to sign in: addresses that a server names and browsers open, so few are good enough.

OAuth wants HTTPS for its endpoints (RFC 9700, 2.6; MCP's specification of authorization). Plain HTTP is for
servers on this machine, and for origins that the operator wrote down.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import httpx

from parley.core.network import is_loopback

_MOST = 8_000
"""Characters. Browsers and proxies take about so much."""
_READ_ALIKE = re.compile(r"[!-\[\]-~]+")
"""What browsers and we read in the same way: no blanks, no backslash, and names as the network has them."""
_PORTS = {"http": 80, "https": 443}


class SignInAddressRefused(ValueError):
    """An address that nobody is sent to.

    `origin` is where it leads, "" where it cannot be read. `allowable` says that the operator may allow that.
    """

    def __init__(self, why: str, origin: str = "", *, allowable: bool = False) -> None:
        super().__init__(why)
        self.origin = origin
        self.allowable = allowable


def check_sign_in_address(url: str, server_url: str, allowed: Collection[str] = ()) -> None:
    """Let people be sent to an address that the server at `server_url` names.

    `allowed` are origins where plain HTTP is good enough. Raises SignInAddressRefused.
    """
    found = _read(url)
    origin = origin_of(found)
    if found.userinfo:
        raise SignInAddressRefused("it has a name or a password before its host", origin)
    if found.scheme == "https" or origin in allowed:
        return
    if is_loopback(found.host) and is_loopback(httpx.URL(server_url).host):
        return
    raise SignInAddressRefused("it is not HTTPS", origin, allowable=True)


def read_origin(text: str) -> str:
    """Return an origin as it is compared. Raises ValueError for what is none."""
    found = _read(text)
    if found.userinfo or found.raw_path != b"/" or found.fragment or text.endswith("?"):
        raise ValueError("an origin is http:// or https://, a host, and maybe a port")
    return origin_of(found)


def origin_of(url: httpx.URL) -> str:
    """Return scheme, host and port of a URL, the port where it is another than usual."""
    port = "" if url.port in (None, _PORTS[url.scheme]) else f":{url.port}"
    host = url.raw_host.decode("ascii")
    return f"{url.scheme}://{f'[{host}]' if ':' in host else host}{port}"


def _read(url: str) -> httpx.URL:
    """Return a URL that browsers read as we do. Raises SignInAddressRefused."""
    if len(url) > _MOST or not _READ_ALIKE.fullmatch(url):
        raise SignInAddressRefused("it has signs that do not belong in an address")
    try:
        found = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise SignInAddressRefused("it is no address") from error
    if found.scheme not in _PORTS or not found.raw_host:
        raise SignInAddressRefused("it is no address of the web")
    if found.port is not None and not 0 < found.port < 65_536:
        raise SignInAddressRefused("it has a port that there is not")
    return found
