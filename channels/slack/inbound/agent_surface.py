"""What an agent shows around its chats: suggested prompts where one begins, and the chat's title."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

from parley.channels.kit.background_tasks import BackgroundTasks
from parley.channels.kit.fields import MALFORMED, object_at
from parley.channels.kit.lru import LruCache
from parley.channels.slack.agent_api import PromptsOutcome, SlackAgentApi
from parley.channels.slack.api import SlackApi, SlackDestination
from parley.channels.slack.fields import required_text_at, text_at
from parley.channels.slack.inbound.app_home import publish_home
from parley.channels.slack.inbound.context import SlackInboundContext
from parley.channels.slack.inbound.direct_messages import HOME_OPENED
from parley.channels.slack.manifest import PROMPTS
from parley.core.model.errors import ChannelError, StoreUnavailable
from parley.core.model.types import InboundMessage, JsonObject
from parley.core.ports.journal import log_store_failure
from parley.core.texts import Sentence, language_of, say

log = logging.getLogger(__name__)

PANEL_OPENED = "assistant_thread_started"
SUGGEST_AGAIN = 3600.0
"""Seconds for which prompts above somebody's chats stand: their DM may be opened every minute."""
MOST_KNOWN = 1000
_MOST_TITLE = 80
_PANEL = "panel"


class AgentSurface:
    """Does what is a courtesy, in the background: what fails of it is logged."""

    def __init__(
        self,
        api: SlackApi,
        listener: SlackInboundContext,
        prompts: Sequence[tuple[str, str]],
        errands: BackgroundTasks,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._api = SlackAgentApi(api)
        self._listener = listener
        self._prompts = prompts
        self._errands = errands
        self._clock = clock
        self._suggested: LruCache[float] = LruCache(MOST_KNOWN)
        self._untitled: LruCache[str] = LruCache(MOST_KNOWN)

    def on_event(self, event: JsonObject) -> None:
        """Take the opening of a DM, or of a chat in the old panel."""
        try:
            if event.get("type") == PANEL_OPENED:
                thread = object_at(event, "assistant_thread")
                chat, root, user = (
                    required_text_at(thread, key) for key in ("channel_id", "thread_ts", "user_id")
                )
                self._untitled.put(f"{chat}:{root}", _PANEL)
                self._errands.run(self._suggest(SlackDestination(chat, root, user)))
            elif event.get("type") == HOME_OPENED:
                self._on_opened(
                    text_at(event, "tab"), required_text_at(event, "channel"), required_text_at(event, "user")
                )
        except MALFORMED as error:
            log.warning("slack: an event of the app's surface is skipped: %s", error)

    def on_message(self, message: InboundMessage) -> None:
        """Take the message that may name its conversation: the one that began it."""
        place, title = message.conversation, title_of(message.text)
        if place.topic is None or not title:
            return
        if message.id == f"{place.chat}:{place.topic}":
            self._listener.titles.put(message.id, title)
        elif self._untitled.get(key := f"{place.chat}:{place.topic}") == _PANEL:
            self._untitled.put(key, "")
            self._errands.run(self._name(SlackDestination(place.chat, place.topic), title))

    def _on_opened(self, tab: str, chat: str, user: str) -> None:
        if tab == "home":
            self._errands.run(publish_home(self._api, self._listener, chat, user))
        if tab != "messages":
            return
        last = self._suggested.get(chat)
        if last is None or self._clock() - last > SUGGEST_AGAIN:
            self._suggested.put(chat, self._clock())
            self._errands.run(self._suggest(SlackDestination(chat, None, user)))

    async def _suggest(self, place: SlackDestination) -> None:
        listener = self._listener
        try:
            if not await listener.door.admits(place.person):
                return
            people = await listener.people.get_many((place.person,))
            user = people.get(place.person)
            language = language_of(user.language if user else "")
            prompts = self._prompts or tuple(
                (say(language, label), say(language, words)) for label, words in PROMPTS
            )
            found = await self._api.suggest(place, say(language, Sentence.PROMPTS_TITLE), prompts)
            if found is PromptsOutcome.AGENT:
                await listener.direct.note_agent_view()
        except (ChannelError, StoreUnavailable) as error:
            log_store_failure(log.info, "slack: no prompts are suggested in %s (%s)", place.chat, error)

    async def _name(self, place: SlackDestination, title: str) -> None:
        try:
            await self._api.set_title(place, title)
        except ChannelError as error:
            log.info("slack: a chat of the panel in %s has no title (%s)", place.chat, error)


def title_of(text: str) -> str:
    """Return what a conversation is called that begins so: its first line, without what could be a mark."""
    words = text[: 4 * _MOST_TITLE].strip().partition("\n")[0].replace("<", " ").replace(">", " ")
    title = " ".join(words.split())
    return title if len(title) <= _MOST_TITLE else f"{title[: _MOST_TITLE - 1].rstrip()}…"
