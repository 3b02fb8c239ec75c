"""Who listens to what Slack sends, and how they insist that nothing of it is lost."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from parley.channels.kit.retry import retry
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
    """The core's inbox, the app that is spoken to, the people around it, who may be heard."""

    inbox: Inbox
    me: SlackBotIdentity
    people: SlackUserCache
    door: MembershipFilter

    async def retry_until_stored(self, what: str, work: Callable[[], Awaitable[_T]]) -> _T:
        """Do it until the store is there for it, and Slack tells what it needs to know of people."""
        return await retry(
            work,
            lambda error: log.warning("slack: %s waits (%s)", what, error),
            on=(StoreUnavailable, ChannelUnavailable, RateLimited),
        )
