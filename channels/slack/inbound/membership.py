"""Who is at home in the workspace, and so may be heard."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from parley.channels.slack.inbound.event_parser import event_in, user_ids_in
from parley.channels.slack.users import SlackBotIdentity, SlackUser, SlackUserCache
from parley.core.model.types import JsonObject

log = logging.getLogger(__name__)

_EVERYONE = "*"


class MembershipFilter:
    """Lets in those who are named in `allowed`, and every full member.

    Where nothing is `opened` to everyone nobody needs to be known: the core refuses who is not named, and
    tells them so.
    """

    def __init__(
        self, people: SlackUserCache, me: SlackBotIdentity, allowed: Iterable[str], opened: bool
    ) -> None:
        self._people = people
        self._me = me
        self._named = frozenset(allowed) - {_EVERYONE}
        self._asks = opened

    async def accepted_event(self, body: JsonObject) -> JsonObject | None:
        """Return the event in a payload if it is for us, and of somebody who may be heard.

        Raises ChannelUnavailable, RateLimited when it cannot be known now who that is, and TypeError,
        ValueError for a payload that is none.
        """
        event = event_in(body, self._me, self._named)
        if event is None or not await self.admits(user_ids_in(event)[0]):
            return None
        return event

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
