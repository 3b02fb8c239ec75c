"""What a thread shows of the app's work: a status line, a stop button, and the session's title."""

from __future__ import annotations

import asyncio
import logging
import weakref
from contextlib import suppress

from parley.channels.slack.agent_api import SlackAgentApi
from parley.channels.slack.api import SlackApi, SlackDestination
from parley.core.model.errors import (
    ChannelError,
    ChannelUnavailable,
    DeliveryRejected,
    LaneLost,
    RateLimited,
)
from parley.core.model.types import OutboundMessage, Receipt
from parley.core.ports.channel import Reply
from parley.core.texts import Sentence, language_of, say

log = logging.getLogger(__name__)

STATUS_PROCESSING = "processing"
STATUS_ACTIVE = "active"
RENEW_AFTER = 90.0
"""Seconds after which the status line is set again: Slack takes it away after 120."""
MOST_RENEWALS = 80
"""Two hours. A run that is still silent then is not told from one that nobody waits for."""


class SlackAgentSession:
    """One reply's part in the session of its thread. Plain DMs have none, and neither have apps that are not
    declared as agents: all of it is a courtesy, and what Slack refuses of it is left out.

    `resumed` says that an earlier process may have shown the stop button already.
    """

    def __init__(
        self,
        api: SlackApi,
        place: SlackDestination,
        language: str,
        title: str = "",
        *,
        resumed: bool = False,
        renew: float = RENEW_AFTER,
    ) -> None:
        self._api = SlackAgentApi(api)
        self._place = place
        self._language = language_of(language)
        self._title = title
        self._renew = renew
        self._asked = place.thread is None
        # Slack takes no button away by itself.
        self._works = resumed and place.thread is not None
        self._renewing: asyncio.Task[None] | None = None

    async def show_stop_button(self) -> None:
        """Show a stop button, from the first call on. Raises ChannelUnavailable."""
        if self._asked:
            return
        self._asked = self._works = True
        try:
            await self._api.set_session_status(self._place, STATUS_PROCESSING, self._title)
        except (DeliveryRejected, RateLimited) as error:
            self._works = False
            log.info("slack: no stop button in %s (%s)", self._place.chat, error)

    async def show_thinking_status(self) -> None:
        """Say that there is nothing to show yet, until that is hidden. Raises ChannelUnavailable."""
        if self._place.thread is None or self._renewing is not None:
            return
        try:
            await self._say_thinking()
        except (DeliveryRejected, RateLimited) as error:
            log.info("slack: no status line in %s (%s)", self._place.chat, error)
            return
        self._renewing = asyncio.create_task(
            _keep_renewing(weakref.ref(self), self._renew), name="slack status line"
        )

    async def hide_thinking_status(self) -> None:
        """Take that line away, if it was shown: Slack does not do it reliably."""
        if self._renewing is None:
            return
        self._renewing.cancel()
        self._renewing = None
        try:
            await self._api.set_thread_status(self._place, "")
        except ChannelError as error:
            log.info("slack: the status line in %s may still be shown (%s)", self._place.chat, error)

    async def renew_thinking_status(self) -> None:
        """Say it once more before Slack takes it away."""
        with suppress(ChannelError):
            await self._say_thinking()

    def final_status(self) -> str:
        """Return the status to set together with the end of the last message, "" for none."""
        return STATUS_ACTIVE if self._works else ""

    def mark_ended(self) -> None:
        """Note that it was set."""
        self._works = False

    async def rename(self, title: str) -> None:
        """Call the conversation so: as a session of an agent, or as a chat of the assistant's panel."""
        # What stands between these signs would be a mark of Slack's.
        title = " ".join(title.replace("<", " ").replace(">", " ").split())
        if self._place.thread is None or not title:
            return
        for name in (self._api.rename_session, self._api.set_title):
            try:
                await name(self._place, title)
            except ChannelError as error:
                log.info("slack: a conversation in %s keeps its title (%s)", self._place.chat, error)
            else:
                break

    async def clear(self) -> None:
        """Take the status line and the stop button away, if they are still there."""
        await self.hide_thinking_status()
        if self._works:
            self._works = False
            await clear_session_status(self._api, self._place)

    async def _say_thinking(self) -> None:
        loading = say(self._language, Sentence.STATUS_LOADING).splitlines()
        await self._api.set_thread_status(self._place, say(self._language, Sentence.STATUS_THINKING), loading)


async def _keep_renewing(session: weakref.ref[SlackAgentSession], pause: float) -> None:
    """Renew a status line for as long as its reply is somebody's: a reply that was given up is forgotten."""
    for _ in range(MOST_RENEWALS):
        await asyncio.sleep(pause)
        living = session()
        if living is None:
            return
        try:
            await living.renew_thinking_status()
        except LaneLost:
            return  # the turn is another node's now, or this one is ending
        del living


class SlackStopReply(Reply):
    """After a press of the stop button there is nothing to say; only the button has to go.

    Slack leaves that to us, also where nothing was going on any more.
    """

    def __init__(self, api: SlackApi, place: SlackDestination) -> None:
        self._api = SlackAgentApi(api)
        self._place = place

    async def show(self, snapshot: OutboundMessage) -> None:
        """Show nothing."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Deliver nothing more than that."""
        await clear_session_status(self._api, self._place)
        return Receipt(())


async def clear_session_status(api: SlackAgentApi, place: SlackDestination) -> None:
    """Take a thread's stop button away. The answer is there already: what fails here is only logged."""
    try:
        await api.set_session_status(place, STATUS_ACTIVE)
    except (ChannelUnavailable, DeliveryRejected, RateLimited) as error:
        log.info("slack: the stop button in %s may still be shown (%s)", place.chat, error)
