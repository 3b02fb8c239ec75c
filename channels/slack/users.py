"""Who is who in the workspace: asked for once and kept for a while."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from parley.core.model.errors import ChannelError, ChannelUnavailable, DeliveryRejected, RateLimited

MAX_USERS = 10_000
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
        self._known: dict[str, tuple[float, SlackUser]] = {}

    async def named(self, ids: Iterable[str]) -> dict[str, SlackUser]:
        """Those of these people who could be had in `patience` seconds: names are a courtesy."""
        wanted = list(dict.fromkeys(ids))[:MOST_AT_ONCE]
        missing = [each for each in wanted if self._fresh(each) is None]
        if missing:
            await self._learn(missing)
        known = ((each, self._known.get(each)) for each in wanted)
        return {each: entry[1] for each, entry in known if entry is not None}

    async def certain(self, person: str) -> SlackUser:
        """Who somebody is, where that decides; an old answer serves while there is no new one.

        Raises ChannelUnavailable and RateLimited when that cannot be known now.
        """
        known = self._fresh(person)
        if known is not None:
            return known
        try:
            return self._keep_in_mind(person, await self._ask(person))
        except DeliveryRejected:
            return UNKNOWN
        except (ChannelUnavailable, RateLimited):
            if person in self._known:
                return self._known[person][1]
            raise

    def _fresh(self, person: str) -> SlackUser | None:
        at, known = self._known.get(person, (0.0, None))
        return known if time.monotonic() - at < self._keep else None

    async def _learn(self, ids: list[str]) -> None:
        tasks = [asyncio.create_task(self._ask_for(each)) for each in ids]
        try:
            await asyncio.wait(tasks, timeout=self._patience)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask_for(self, person: str) -> None:
        try:
            found = await self._ask(person)
        except ChannelError:
            return
        self._keep_in_mind(person, found)

    def _keep_in_mind(self, person: str, found: SlackUser) -> SlackUser:
        while len(self._known) >= MAX_USERS:
            self._known.pop(next(iter(self._known)))
        self._known.pop(person, None)
        self._known[person] = (time.monotonic(), found)
        return found


@dataclass(frozen=True, slots=True)
class SlackBotIdentity:
    """Who the app is, and where."""

    user: str
    bot: str
    team: str
    enterprise: str = ""
