"""A server where each person has an account: connections of their own, after they have signed in (OAuth)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.tools import BaseTool
from langchain_mcp_adapters.interceptors import MCPToolCallRequest, MCPToolCallResult
from langchain_mcp_adapters.sessions import create_session

from parley.server.accounts.files import Account
from parley.server.accounts.sign_in_addresses import SignInAddressRefused
from parley.server.accounts.sign_ins import PATIENCE, PendingSignIn, RequestedSignIn, SignIns
from parley.server.default_agent.mcp.connection import McpConnection, ServerAway, connection_to, leaf_of
from parley.server.default_agent.mcp.listed_tools import ListedTools
from parley.server.default_agent.mcp.oauth_provider import oauth_provider
from parley.server.default_agent.mcp.server_file import McpServer
from parley.server.default_agent.mcp.sign_in_tool import SignInRefused, sign_in_tool
from parley.server.default_agent.run_context import identity_of

log = logging.getLogger(__name__)

_LINK = 30.0
"""Seconds in which a server has to say where people sign in."""
_REMEDY = (
    "have it offer HTTPS, or, if that place is inside your network, allow it in the file of "
    'built_in.mcp.file: "oauth": {{"authorization_origins": ["{origin}"]}} under mcpServers.{name}'
)
_NOBODY = "No single person is known here, whose account could be used; nothing was done."


@dataclass(frozen=True, slots=True)
class _Begun:
    """A sign-in of a person: the call that asked for it, the link, the task that waits for the browser."""

    call: str
    link: asyncio.Future[tuple[str, PendingSignIn]]
    task: asyncio.Task[None]


class AccountConnections:
    """The connections to one server, one for each person."""

    def __init__(self, server: McpServer, timeout: float, sign_ins: SignIns) -> None:
        self.server = server
        self._timeout = timeout
        self._sign_ins = sign_ins
        self._by_person: dict[str, McpConnection] = {}
        self._begun: dict[str, _Begun] = {}
        self._newest = ListedTools()
        self._sign_in = sign_in_tool(server.name, self)

    @property
    def tools(self) -> tuple[BaseTool, ...]:
        """The way in, and a tool for each name that any account has: of one person, so for names only."""
        found = {tool.name: tool for each in self._by_person.values() for tool in each.tools}
        return (self._sign_in, *found.values())

    def tools_of(self, who: Mapping[str, Any]) -> tuple[BaseTool, ...]:
        """Return the way in, and the tools as the server tells of them to a person, once they are inside."""
        mine = self._by_person.get(_person(who)) if self.has_signed_in(who) else None
        return (self._sign_in, *(mine.tools if mine else ()))

    async def reach(self, who: Mapping[str, Any]) -> None:
        """Connect for a person who has signed in. Raises ServerAway."""
        person = _person(who)
        if self.has_signed_in(who):
            if person not in self._by_person:
                self._by_person[person] = self._connection(person)
            made = self._by_person[person]
            await made.connect()
            self._newest = made.listed
        elif before := self._by_person.pop(person, None):
            await before.close()  # The account was erased.

    def offers(self, tool: str, who: Mapping[str, Any]) -> bool:
        """Return whether a person has a tool: the way in for those outside, all others inside."""
        inside = self.has_signed_in(who)
        if tool == self._sign_in.name:
            return not inside
        mine = self._by_person.get(_person(who))
        return inside and mine is not None and any(tool == each.name for each in mine.tools)

    def is_away(self, who: Mapping[str, Any]) -> bool:
        """Return whether the server cannot be reached for a person who has signed in."""
        mine = self._by_person.get(_person(who))
        return self.has_signed_in(who) and (mine is None or mine.is_away(who))

    def has_signed_in(self, who: Mapping[str, Any]) -> bool:
        """Return whether a person has an account here that may be used."""
        return bool(_person(who) and self._sign_ins.files.has(self._account(_person(who))))

    async def begin(self, who: Mapping[str, Any], call: str) -> str:
        """Return the link with which a person signs in. Raises ServerAway, SignInRefused.

        It is the same as long as it holds; another call gets another one once a browser has it.
        """
        person = _person(who)
        if not person:
            raise ServerAway(_NOBODY)
        begun = self._begun.get(person)
        if begun is None or begun.task.done() or (begun.call != call and self._is_taken(begun)):
            if begun is not None:
                begun.task.cancel()
            begun = self._begun[person] = self._begin(person, who, call)
        both: set[asyncio.Future[Any]] = {begun.link, begun.task}
        await asyncio.wait(both, timeout=_LINK, return_when=asyncio.FIRST_COMPLETED)
        if not begun.link.done():
            self._tell_why(begun.task)
            begun.task.cancel()
            raise ServerAway(f"The MCP server {self.server.name} offers no way to sign in; nothing was done.")
        return begun.link.result()[0]

    def _tell_why(self, task: asyncio.Task[None]) -> None:
        why = f"no answer for {_LINK:.0f} seconds"
        if task.done() and not task.cancelled() and (error := task.exception()) is not None:
            why = leaf_of(error)
        log.warning("nobody can sign in to the MCP server %s: %s", self.server.name, why)

    def _refused(self, error: SignInAddressRefused) -> SignInRefused:
        """Return what a person is told of an address that they are not sent to; tell the operator more."""
        where, name = error.origin or "an address that cannot be read", self.server.name
        log.warning(
            "the MCP server %s has people sign in at %s, and %s: no link was sent; %s",
            name,
            where,
            error,
            _REMEDY.format(origin=error.origin, name=name)
            if error.allowable
            else "tell whoever runs that server",
        )
        return SignInRefused(name, error.origin)

    def _is_taken(self, begun: _Begun) -> bool:
        pending = _pending(begun.link)
        return pending is not None and self._sign_ins.is_taken(pending)

    def _begin(self, person: str, who: Mapping[str, Any], call: str) -> _Begun:
        link: asyncio.Future[tuple[str, PendingSignIn]] = asyncio.get_running_loop().create_future()
        name, platform = str(who.get("name") or ""), str(who.get("platform") or who.get("channel") or "")
        origins = self.server.oauth.authorization_origins if self.server.oauth else ()
        requested = RequestedSignIn(self.server.name, self.server.url, name, platform, origins)
        task = asyncio.create_task(self._signed_in(person, requested, link))
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # It was told before.
        return _Begun(call, link, task)

    async def close(self) -> None:
        """End all sessions, and links that nobody followed."""
        for begun in self._begun.values():
            begun.task.cancel()
        await asyncio.gather(*(each.close() for each in self._by_person.values()))

    async def call(self, request: MCPToolCallRequest) -> MCPToolCallResult:
        """Call a tool with the account of the run's person. Raises ServerAway, McpError."""
        who = identity_of(getattr(request.runtime, "context", None))
        mine = self._by_person.get(_person(who))
        if mine is None or not self.has_signed_in(who):
            raise ServerAway(_NOBODY)
        return await mine.call(request)

    def _account(self, person: str) -> Account:
        return Account(person, self.server.name, self.server.url)

    def _connection(self, person: str) -> McpConnection:
        async def needed(_: str) -> None:
            # The account may not be used any more: the person is asked to sign in again.
            auth.forget()
            if self._by_person.get(person) is made:
                del self._by_person[person]  # Where another process renewed the token, it is read again.
            raise ServerAway(f"the sign-in to {self.server.name} is over")

        async def nothing() -> tuple[str, str | None]:
            raise ServerAway("nobody was asked to sign in")

        auth = oauth_provider(self.server, self._sign_ins, self._account(person), needed, nothing)
        made = McpConnection(self.server, self._timeout, auth=auth, dispatch=self.call, known=self._newest)
        return made

    async def _signed_in(
        self, person: str, requested: RequestedSignIn, link: asyncio.Future[tuple[str, PendingSignIn]]
    ) -> None:
        """Be the sign-in: from the link to the tokens, or to the end of patience."""

        async def show(url: str) -> None:
            try:
                link.set_result(self._sign_ins.open(requested, url, auth.issuer))
            except SignInAddressRefused as error:
                link.set_exception(self._refused(error))
                raise

        async def answer() -> tuple[str, str | None]:
            _, pending = link.result()
            return await pending.code, pending.state

        auth = oauth_provider(self.server, self._sign_ins, self._account(person), show, answer)
        worked = False
        try:
            async with asyncio.timeout(PATIENCE), create_session(connection_to(self.server, auth)) as session:
                await session.initialize()
            if before := self._by_person.pop(person, None):
                await before.close()  # It has the tokens of an earlier sign-in.
            worked = True
        except TimeoutError:
            log.info("a link to sign in to %s was not followed", self.server.name)
        finally:
            if pending := _pending(link):
                self._sign_ins.close(pending, worked)


def _pending(link: asyncio.Future[tuple[str, PendingSignIn]]) -> PendingSignIn | None:
    """Return the sign-in of a link; None before there is one, or where none was sent."""
    if not link.done() or link.cancelled() or link.exception() is not None:
        return None
    return link.result()[1]


def _person(who: Mapping[str, Any]) -> str:
    """Return a run's person, "" where several speak, or nobody is known."""
    return str(who.get("person") or "") if who.get("account") else ""
