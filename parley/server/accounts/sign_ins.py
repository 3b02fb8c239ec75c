"""Sign-ins of people to servers that are under way: from the link that they get to the browser's return."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qs, urlsplit

import httpx

from parley.core.ports.sign_ins import CALLBACK_PATH, SIGN_IN_PATH
from parley.server.accounts.files import AccountFiles
from parley.server.accounts.sign_in_addresses import SignInAddressRefused, check_sign_in_address

log = logging.getLogger(__name__)

PATIENCE = 900.0
"""Seconds for which a link holds."""
_EXCHANGE = 30.0
"""Seconds that a browser waits for what the server makes of the code it brought."""


@dataclass(frozen=True, slots=True)
class RequestedSignIn:
    """What somebody is asked to sign in to: a server and its address, and who they are where they asked.

    `origins` are those with plain HTTP where people may sign in all the same.
    """

    server: str
    address: str
    name: str
    platform: str
    origins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Issuer:
    """Who signs people in: its name, letter by letter, and whether each answer is to have it (RFC 9207)."""

    name: str
    promised: bool

    def gave(self, named: Sequence[str]) -> bool:
        """Return whether an answer is from here, by the issuers that it names."""
        return tuple(named) == (self.name,) or (not named and not self.promised)


@dataclass(frozen=True, slots=True, eq=False)
class PendingSignIn:
    """One that somebody was sent a link for. `browser` is the secret of the browser that has it, "" for none.

    The code goes to the loop that the agent lives on, which may be another one than the browser's.
    """

    request: RequestedSignIn
    url: str = field(repr=False)
    state: str = field(repr=False)
    until: float
    loop: asyncio.AbstractEventLoop
    code: asyncio.Future[str] = field(repr=False)
    done: asyncio.Future[bool] = field(repr=False)
    browser: str = field(default="", repr=False)
    issuer: Issuer | None = None

    @property
    def server(self) -> str:
        """The server, as the operator calls it."""
        return self.request.server

    @property
    def host(self) -> str:
        """The host whose tools are used with the account."""
        return _host(self.request.address)

    @property
    def authority(self) -> str:
        """The host where people sign in."""
        return _host(self.url)

    @property
    def name(self) -> str:
        """What the person is called where they asked."""
        return self.request.name

    @property
    def platform(self) -> str:
        """The platform on which they asked."""
        return self.request.platform


class SignIns:
    """The links that were sent. `address` is where browsers reach this Parley."""

    def __init__(
        self, files: AccountFiles, address: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.files = files
        self.address = address
        self._clock = clock
        self._by_link: dict[str, PendingSignIn] = {}

    @property
    def callback(self) -> str:
        """Where servers send browsers back to."""
        return self.address.rstrip("/") + CALLBACK_PATH

    def open(
        self, request: RequestedSignIn, url: str, issuer: Issuer | None = None
    ) -> tuple[str, PendingSignIn]:
        """Note that a link is sent, which leads to `url` in the end; return the link.

        `issuer` is who answers there, None where a server does not say. The link's secret is another one than
        that of `url`: who reads the link in a chat cannot pass for the server.
        Raises SignInAddressRefused for a URL that no browser is sent to.
        """
        check_sign_in_address(url, request.address, request.origins)
        state = parse_qs(urlsplit(url).query).get("state", [""])[0]
        if not state:
            raise SignInAddressRefused("nobody could be recognized who comes back from it")
        now, loop = self._clock(), asyncio.get_running_loop()
        self._by_link = {key: each for key, each in self._by_link.items() if each.until > now}
        made = PendingSignIn(
            request,
            url,
            state,
            now + PATIENCE,
            loop,
            loop.create_future(),
            loop.create_future(),
            issuer=issuer,
        )
        key = secrets.token_urlsafe(32)
        self._by_link[key] = made
        return f"{self.address.rstrip('/')}{SIGN_IN_PATH}?link={key}", made

    def find(self, link: str) -> PendingSignIn | None:
        """Return the sign-in of a link, while it holds."""
        found = self._by_link.get(link)
        return found if found is not None and found.until > self._clock() else None

    def admits(self, link: str, browser: str) -> bool:
        """Return whether no other browser has the sign-in of a link."""
        found = self.find(link)
        return found is not None and (not found.browser or _same(found.browser, browser))

    def bind(self, link: str, browser: str) -> str:
        """Give a sign-in to one browser for good; return where it goes on, "" where another one has it."""
        found = self.find(link)
        if found is None or not browser or not self.admits(link, browser):
            return ""
        self._by_link[link] = replace(found, browser=browser)
        return found.url

    def returned(self, state: str) -> PendingSignIn | None:
        """Return the sign-in that a browser is sent back from, while it holds."""
        link = self._link_of(state)
        return self.find(link) if link else None

    def is_bound(self, state: str, browser: str) -> bool:
        """Return whether a browser is the one that the sign-in was given to."""
        found = self.returned(state)
        return found is not None and bool(found.browser) and _same(found.browser, browser)

    def is_taken(self, pending: PendingSignIn) -> bool:
        """Return whether a browser has a sign-in, so that its link is of no use to another."""
        found = self.returned(pending.state)
        return found is not None and bool(found.browser)

    async def finish(self, state: str, browser: str, code: str, issuers: Sequence[str]) -> bool:
        """Hand on the code that the sign-in's browser brought, once; tell whether the server took it.

        A code of another issuer than the sign-in's, by the `issuers` that came with it, is not handed on.
        """
        found, link = self.returned(state), self._link_of(state)
        if found is None or not self.is_bound(state, browser):
            return False
        if found.issuer is not None and not found.issuer.gave(issuers):
            log.warning("a sign-in to %s was answered by another issuer than its own", found.server)
            return False
        self._by_link.pop(link, None)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_exchange(found, code), found.loop))

    def close(self, pending: PendingSignIn, worked: bool) -> None:
        """End a sign-in, whose link does not hold any more. Called in its own loop."""
        self._by_link.pop(self._link_of(pending.state), None)
        if not pending.done.done():
            pending.done.set_result(worked)

    def _link_of(self, state: str) -> str:
        return next((link for link, each in self._by_link.items() if each.state == state), "")


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


async def _exchange(pending: PendingSignIn, code: str) -> bool:
    if not pending.code.done():
        pending.code.set_result(code)
    done, _ = await asyncio.wait({pending.done}, timeout=_EXCHANGE)
    return bool(done) and pending.done.result()


def _host(url: str) -> str:
    """Return a URL's host and port, with its name as the network knows it."""
    found = httpx.URL(url)
    host = found.raw_host.decode("ascii")
    return host if found.port is None else f"{host}:{found.port}"
