"""Who listens to what Slack sends, and how they insist that nothing of it is lost."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from parley.channels.kit.lru import LruCache
from parley.channels.kit.retry import log_wait, retry
from parley.channels.slack.inbound.direct_messages import DirectMessages
from parley.channels.slack.inbound.membership import MembershipFilter
from parley.channels.slack.users import SlackBotIdentity, SlackUserCache
from parley.core.model.errors import ChannelUnavailable, RateLimited, StoreUnavailable
from parley.core.ports.channel import Inbox

log = logging.getLogger(__name__)

REACHED = "parley_reached"
"""What is set in Bolt's context of a payload that came as far as to us."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class SlackInboundContext:
    """The core's inbox, the app that is spoken to, the people around it, and who may be heard.

    `direct` tells what a conversation is in DMs. `titles` are those of conversations that begin, by the id of
    their first message; `responses` are where commands may be answered, by their ids.
    """

    inbox: Inbox
    me: SlackBotIdentity
    people: SlackUserCache
    door: MembershipFilter
    direct: DirectMessages
    titles: LruCache[str]
    responses: LruCache[str]

    async def retry_until_stored(self, what: str, work: Callable[[], Awaitable[_T]]) -> _T:
        """Do it until the store is there for it, and Slack tells what it needs to know of people."""
        return await retry(
            work,
            log_wait(log, f"slack: {what}"),
            on=(StoreUnavailable, ChannelUnavailable, RateLimited),
        )
