"""Who listens to what Slack sends, and how they insist that nothing of it is lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from parley.channels.slack.inbound.membership import MembershipFilter
from parley.channels.slack.users import SlackBotIdentity, SlackUserCache
from parley.core.model.errors import ChannelUnavailable, RateLimited, StoreUnavailable
from parley.core.ports.channel import Inbox

log = logging.getLogger(__name__)

MALFORMED = (TypeError, ValueError, LookupError, AttributeError, OverflowError, RecursionError)
"""Whatever Bolt and we may raise over a payload that is not as it should be."""
REACHED = "parley_reached"
"""What is set in Bolt's context of a payload that came as far as to us."""
_T = TypeVar("_T")


def _store_pause(attempt: int) -> float:
    return min(30.0, 0.5 * 2.0 ** min(attempt, 10))


@dataclass(frozen=True, slots=True)
class SlackInboundContext:
    """The core's inbox, the app that is spoken to, the people around it, who may be heard.

    `pause`: seconds to wait after so many failures of the store.
    """

    inbox: Inbox
    me: SlackBotIdentity
    people: SlackUserCache
    door: MembershipFilter
    pause: Callable[[int], float] = _store_pause

    async def insist(self, what: str, work: Callable[[], Awaitable[_T]]) -> _T:
        """Do it until the store is there for it, and Slack tells what it needs to know of people."""
        attempt = 0
        while True:
            try:
                return await work()
            except (StoreUnavailable, ChannelUnavailable, RateLimited) as error:
                log.warning("slack: %s waits (%s)", what, error)
                asked = error.retry_after if isinstance(error, RateLimited) else 0.0
                await asyncio.sleep(max(asked, self.pause(attempt)))
                attempt += 1
