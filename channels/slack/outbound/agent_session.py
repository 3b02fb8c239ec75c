"""What a thread shows of the app's work: a status line, and a stop button."""

from __future__ import annotations

import logging
from contextlib import suppress

from parley.channels.slack.api import SlackApi, SlackDestination
from parley.core.model.errors import ChannelUnavailable, DeliveryRejected, RateLimited
from parley.core.model.types import OutboundMessage, Receipt
from parley.core.ports.channel import Reply
from parley.core.texts import Sentence, language_of, say

log = logging.getLogger(__name__)

STATUS_PROCESSING = "processing"
STATUS_ACTIVE = "active"


class SlackAgentSession:
    """One reply's part in the session of its thread. Plain DMs have none, and neither have apps that are not
    declared as agents: all of it is a courtesy, and what Slack refuses of it is left out."""

    def __init__(self, api: SlackApi, place: SlackDestination, language: str) -> None:
        self._api = api
        self._place = place
        self._language = language
        self._asked = place.thread is None
        self._works = False

    async def show_stop_button(self) -> None:
        """Show a stop button, from the first call on. Raises ChannelUnavailable."""
        if self._asked:
            return
        self._asked = self._works = True
        try:
            await self._api.set_session_status(self._place, STATUS_PROCESSING)
        except (DeliveryRejected, RateLimited) as error:
            self._works = False
            log.info("slack: no stop button in %s (%s)", self._place.chat, error)

    async def show_thinking_status(self) -> None:
        """Say that there is nothing to show yet. Raises ChannelUnavailable."""
        if self._place.thread is None:
            return
        thinking = say(language_of(self._language), Sentence.STATUS_THINKING)
        with suppress(DeliveryRejected, RateLimited):
            await self._api.set_thread_status(self._place, thinking)

    def final_status(self) -> str:
        """Return the status to set together with the end of the last message, "" for none."""
        return STATUS_ACTIVE if self._works else ""

    def mark_ended(self) -> None:
        """Note that it was set."""
        self._works = False

    async def clear(self) -> None:
        """Take the stop button away, if it is still there."""
        if self._works:
            self._works = False
            await clear_session_status(self._api, self._place)


class SlackStopReply(Reply):
    """After a press of the stop button there is nothing to say; only the button has to go.

    Slack leaves that to us, also where nothing was going on any more.
    """

    def __init__(self, api: SlackApi, place: SlackDestination) -> None:
        self._api = api
        self._place = place

    async def show(self, snapshot: OutboundMessage) -> None:
        """Show nothing."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Deliver nothing more than that."""
        await clear_session_status(self._api, self._place)
        return Receipt(())


async def clear_session_status(api: SlackApi, place: SlackDestination) -> None:
    """Take a thread's stop button away. The answer is there already: what fails here is only logged."""
    try:
        await api.set_session_status(place, STATUS_ACTIVE)
    except (ChannelUnavailable, DeliveryRejected, RateLimited) as error:
        log.info("slack: the stop button in %s may still be shown (%s)", place.chat, error)
