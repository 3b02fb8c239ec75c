"""Who is at home in the workspace, and so may be heard."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from parley.channels.slack.inbound.event_parser import bot_of, event_in, place_of, user_ids_in
from parley.channels.slack.users import SlackBotIdentity, SlackUser, SlackUserCache
from parley.core.model.address import Conversation
from parley.core.model.bots import is_welcome
from parley.core.model.options import ChannelOptions
from parley.core.model.types import JsonObject
from parley.core.ports.no_core import no_rules

log = logging.getLogger(__name__)

_EVERYONE = "*"


class MembershipFilter:
    """Lets in those who are named in `allowed`, and every full member.

    Where nothing is `opened` to everyone nobody needs to be known: the core refuses who is not named, and
    tells them so.
    """

    def __init__(
        self,
        people: SlackUserCache,
        me: SlackBotIdentity,
        allowed: Iterable[str],
        opened: bool,
        rules: Callable[[Conversation], ChannelOptions] = no_rules,
    ) -> None:
        self._people = people
        self._me = me
        self._named = frozenset(allowed) - {_EVERYONE}
        self._asks = opened
        self._rules = rules

    async def accepted_event(self, body: JsonObject) -> JsonObject | None:
        """Return the event in a payload if it is for us, and of somebody who may be heard.

        Raises ChannelUnavailable, RateLimited when it cannot be known now who that is, and TypeError,
        ValueError for a payload that is none.
        """
        event = event_in(body, self._me, self._named, self._hears_bot)
        if event is None or event.get("bot_id"):
            return event
        return event if await self.admits(user_ids_in(event)[0]) else None

    def _hears_bot(self, event: JsonObject) -> bool:
        return is_welcome(self._rules(place_of(event)).bots, bot_of(event))

    async def admits(self, user: str) -> bool:
        """Tell whether somebody may be heard. Raises ChannelUnavailable, RateLimited."""
        if (
            not self._asks
            or user in self._named
            or is_member(await self._people.get_required(user), self._me)
        ):
            return True
        log.info("slack: %s is a guest, or unknown, and not named in allowed_users: not answered", user)
        return False

    def keeps_out(self, user: str, person: SlackUser | None) -> bool:
        """Tell whether somebody, as far as they are known (None: not at all), would not be heard here."""
        if not self._asks or user in self._named:
            return False
        return person is None or not is_member(person, self._me)


def is_member(person: SlackUser, me: SlackBotIdentity) -> bool:
    """Tell whether somebody is a full member of our workspace, or of the organisation that it is in."""
    if person.guest:
        return False
    return person.team == me.team or (bool(me.enterprise) and person.enterprise == me.enterprise)
