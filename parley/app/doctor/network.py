"""The way to every address that the settings name: its name, proxies, trust in TLS, and the clock there."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit
from urllib.request import getproxies

import aiohttp

from parley.app.checks.findings import TRUST_REMEDY
from parley.app.doctor.context import DoctorContext
from parley.app.doctor.result import CheckResult, failed, remarked, skipped, succeeded
from parley.app.settings.load import LoadedSettings
from parley.channels.kit.http.errors import describe_network_error
from parley.channels.kit.http.pool import HttpPool
from parley.core.network import http_proxy, proxy_for

_PATIENCE = 10.0
_MOST_APART = 30.0
"""Seconds between two clocks from which on signatures and tokens are refused somewhere."""
_NOTABLE = 5.0
_PROXY = "HTTPS_PROXY, HTTP_PROXY and NO_PROXY in the environment"


@dataclass(frozen=True, slots=True)
class Destination:
    """An address that is called, what probes of it are called, and where it comes from."""

    name: str
    url: str
    place: str

    @property
    def host(self) -> str:
        """Return its host."""
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        """Return its port."""
        parts = urlsplit(self.url)
        return parts.port or (443 if parts.scheme in ("https", "wss") else 80)


def find_destinations(loaded: LoadedSettings) -> Iterator[Destination]:
    """Yield every address that Parley calls with these settings."""
    settings = loaded.settings
    for name, config in loaded.channels.items():
        for position, url in enumerate(config.addresses()):
            suffix = f"{position + 1}" if position else ""
            yield Destination(f"channels.{name}.network{suffix}", url, f"channels.{name}")
    memory = settings.memory
    others = (
        ("agent", "" if settings.agent.embedded else settings.agent.url, "agent.url"),
        ("model", settings.agent.base_url if settings.agent.embedded else "", "agent.base_url"),
        ("memory", memory.base_url if memory.enabled else "", "memory.base_url"),
        ("embedding", memory.embedding if memory.enabled else "", "memory.embedding"),
        ("transcription", settings.transcription.url, "transcription.url"),
        ("speech", settings.speech.url, "speech.url"),
    )
    for name, url, place in others:
        if url.startswith(("http://", "https://")):
            yield Destination(f"{name}.network", url, place)


async def probe_network(context: DoctorContext) -> AsyncIterator[CheckResult]:
    """Yield the proxies, and what came of one request to each address."""
    destinations = [*find_destinations(context.loaded)]
    proxies = getproxies()
    if found := _proxies(proxies):
        yield found
    if not destinations:
        yield skipped("network", "nothing outside of this process is called")
        return
    context.say("network: " + ", ".join(dict.fromkeys(each.host for each in destinations)))
    async with HttpPool() as session:
        work = [asyncio.create_task(_probed(context, session, each, proxies)) for each in destinations]
        for finished in asyncio.as_completed(work):
            for result in await finished:
                yield result


def _proxies(proxies: Mapping[str, str]) -> CheckResult | None:
    named = {kind: url for kind, url in sorted(proxies.items()) if kind in ("http", "https", "all")}
    if not named:
        return None
    words = ", ".join(f"{kind.upper()}_PROXY is {_shown(url)}" for kind, url in named.items())
    text = f"the environment names proxies: {words}"
    unusable = [f"{kind.upper()}_PROXY" for kind, url in named.items() if not http_proxy(url)]
    if not unusable:
        return succeeded("network.proxies", text)
    text += f"; passed over: {', '.join(unusable)}, which is no address of an HTTP proxy"
    return remarked("network.proxies", text, "write http://HOST:PORT there; SOCKS proxies are not used")


def _shown(url: str) -> str:
    """Return a proxy's host and port, without its user and password."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    try:
        return f"{parts.hostname or 'an unknown host'}:{parts.port or 80}"
    except ValueError:
        return f"{parts.hostname or 'an unknown host'} with a port that is none"


async def _probed(
    context: DoctorContext,
    session: aiohttp.ClientSession,
    destination: Destination,
    proxies: Mapping[str, str],
) -> list[CheckResult]:
    url = proxy_for(destination.url, proxies)
    proxy = _shown(url) if url else ""
    if not proxy and (unknown := await _unresolved(destination)):
        return [unknown]
    since, timeout = time.monotonic(), aiohttp.ClientTimeout(total=_PATIENCE)
    try:
        async with session.head(destination.url, allow_redirects=False, timeout=timeout) as response:
            date, status = response.headers.get("Date", ""), response.status
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        return [_unreached(destination, error, proxy)]
    if status == 407 and proxy:
        return [_refused_by_proxy(destination, proxy)]
    through = f" through the proxy {proxy}" if proxy else ""
    reached = succeeded(destination.name, f"{destination.host} answers{through}", since)
    apart = _apart(context.clock(), date)
    return [reached] if apart is None else [reached, _clock(destination, apart)]


async def _unresolved(destination: Destination) -> CheckResult | None:
    try:
        await asyncio.get_running_loop().getaddrinfo(
            destination.host, destination.port, type=socket.SOCK_STREAM
        )
    except (OSError, UnicodeError):
        text = f"no address was found for {destination.host}"
        remedy = f"correct {destination.place}, or this machine's DNS (/etc/resolv.conf); is it online?"
        return failed(destination.name, text, remedy, destination.place)
    return None


def _unreached(destination: Destination, error: BaseException, proxy: str) -> CheckResult:
    text = describe_network_error(error)
    if proxy:
        text = f"{destination.host} is not reached through the proxy {proxy}: {text}"
        return failed(destination.name, text, f"correct {_PROXY}", destination.place)
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientConnectorSSLError):
        return failed(destination.name, text, TRUST_REMEDY, destination.place)
    remedy = f"check {destination.place}, the firewall, and whether the server runs"
    return failed(destination.name, f"{destination.host}: {text}", remedy, destination.place)


def _refused_by_proxy(destination: Destination, proxy: str) -> CheckResult:
    text = f"the proxy {proxy} wants a user and a password"
    return failed(destination.name, text, f"correct {_PROXY}", destination.place)


def _apart(now: float, date: str) -> float | None:
    """Return how many seconds this machine's clock is ahead; None where the header says nothing."""
    try:
        return now - parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _clock(destination: Destination, apart: float) -> CheckResult:
    name = f"{destination.name.rpartition('.network')[0]}.clock"
    return compare_clocks(name, destination.host, apart)


def compare_clocks(name: str, other: str, apart: float) -> CheckResult:
    """Return whether two clocks agree; `apart` is by how many seconds that of this machine is ahead."""
    if abs(apart) < _NOTABLE:
        return succeeded(name, f"the clocks of this machine and of {other} agree")
    text = (
        f"this machine's clock is {abs(apart):.0f} s {'ahead of' if apart > 0 else 'behind'} that of {other}"
    )
    remedy = "set the clock: timedatectl set-ntp true (or start chronyd)"
    return (failed if abs(apart) >= _MOST_APART else remarked)(name, text, remedy)
