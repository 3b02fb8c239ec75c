"""Who is who in the workspace: asked for once and kept for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from parley.channels.kit.user_cache import UserCache
from parley.core.model.errors import ChannelError, ChannelUnavailable, DeliveryRejected, RateLimited

MOST_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class SlackUser:
    """Somebody, as Slack tells; `language` is a BCP 47 tag or "".

    `team` and `enterprise` are where they are at home; a `guest` is no full member there: a guest of one
    or some channels, somebody of another organisation, or a bot.
    """

    name: str
    language: str = ""
    zone: str = ""
    team: str = ""
    enterprise: str = ""
    guest: bool = False


UNKNOWN = SlackUser("", guest=True)
"""Somebody of whom Slack tells nothing."""


class SlackUserCache:
    """A cache in front of `ask`, whose answers hold for `keep` seconds."""

    def __init__(
        self, ask: Callable[[str], Awaitable[SlackUser]], keep: float = 3600.0, patience: float = 1.5
    ) -> None:
        self._ask = ask
        self._keep = keep
        self._patience = patience
        self._known: UserCache[SlackUser] = UserCache()

    async def get_many(self, ids: Iterable[str]) -> dict[str, SlackUser]:
        """Return those of these people who could be had in `patience` seconds: names are a courtesy.

        The first MOST_AT_ONCE of those who are not known yet are asked for.
        """
        wanted = dict.fromkeys(ids)
        missing = [each for each in wanted if self._known.fresh(each) is None][:MOST_AT_ONCE]
        if missing:
            await self._learn(missing)
        known = ((each, self._known.last(each)) for each in wanted)
        return {each: user for each, user in known if user is not None}

    async def get_required(self, person: str) -> SlackUser:
        """Return who somebody is, where that decides; an old answer serves while there is no new one.

        Raises ChannelUnavailable and RateLimited when that cannot be known now.
        """
        known = self._known.fresh(person)
        if known is not None:
            return known
        try:
            return self._known.put(person, await self._ask(person), self._keep)
        except DeliveryRejected:
            return UNKNOWN
        except (ChannelUnavailable, RateLimited):
            known = self._known.last(person)
            if known is None:
                raise
            return known

    async def _learn(self, ids: list[str]) -> None:
        tasks = [asyncio.create_task(self._ask_for(each)) for each in ids]
        try:
            await asyncio.wait(tasks, timeout=self._patience)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask_for(self, person: str) -> None:
        with suppress(ChannelError):
            self._known.put(person, await self._ask(person), self._keep)


@dataclass(frozen=True, slots=True)
class SlackBotIdentity:
    """Who the app is, and where."""

    user: str
    bot: str
    team: str
    enterprise: str = ""
    url: str = ""
    name: str = ""
    team_name: str = ""

    def describe(self) -> str:
        """Return it for an operator: by the names that people see, where Slack told them."""
        return f"@{self.name or self.user} in {self.team_name or self.team}"
