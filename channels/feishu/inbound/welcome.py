"""What the bot says when somebody opens its chat for the first time, or takes it into a group.

At most once for each person, and for each time it is taken into a group; nothing waits for it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from parley.channels.feishu.api import FeishuApi, FeishuDestination
from parley.channels.feishu.fields import id_at
from parley.channels.feishu.formatting import plain
from parley.channels.feishu.inbound.event_parser import NAME
from parley.channels.kit.background_tasks import BackgroundTasks
from parley.channels.kit.fields import MALFORMED, json_object, object_at, object_or_empty
from parley.core.model.address import Conversation
from parley.core.model.errors import ChannelError, DocumentConflict, StoreUnavailable
from parley.core.model.types import JsonObject
from parley.core.ports.channel import ChannelServices
from parley.core.ports.journal import log_store_failure
from parley.core.texts import Sentence, language_of, say

log = logging.getLogger(__name__)

ENTERED = "im.chat.access_event.bot_p2p_chat_entered_v1"
ADDED = "im.chat.member.bot.added_v1"
_PRIVATE = "private"


@dataclass(frozen=True, slots=True)
class Arrival:
    """Somebody came to the bot, or took it into a group; `mark` differs where it is to be said again."""

    chat: str
    person: str
    mark: str
    event: str

    @property
    def private(self) -> bool:
        """Tell whether it is a private chat."""
        return self.mark == _PRIVATE


def parse_arrival(payload: bytes) -> Arrival | None:
    """Return who came where; None for other events, and for chats where the bot need not be introduced.

    Raises ValueError for what no platform should send.
    """
    if ENTERED.encode() not in payload and ADDED.encode() not in payload:
        return None
    event = json_object(payload)
    header, body = object_at(event, "header"), object_at(event, "event")
    kind = header.get("event_type")
    if kind not in (ENTERED, ADDED) or _is_known(body):
        return None
    person = id_at(object_or_empty(body, "operator_id"), "open_id")
    number = id_at(header, "event_id")
    return Arrival(id_at(body, "chat_id"), person, _PRIVATE if kind == ENTERED else number, number)


def _is_known(body: JsonObject) -> bool:
    """Tell whether something was said in the private chat before, or the group is of several tenants."""
    return bool(body.get("last_message_id")) or body.get("external") is True


class FeishuWelcome:
    """Says how the bot is talked to, in the background of `tasks`. `allowed` are those who may talk."""

    def __init__(
        self,
        api: FeishuApi,
        services: ChannelServices,
        allowed: frozenset[str],
        language: Callable[[Conversation], str],
        tasks: BackgroundTasks,
    ) -> None:
        self._api, self._documents = api, services.documents
        self._name = services.name or NAME
        self._allowed, self._language, self._tasks = allowed, language, tasks

    async def take(self, payload: bytes) -> bool | None:
        """Take an event: True when it is done with, False when it shall come again, None for other events."""
        try:
            arrival = parse_arrival(payload)
        except MALFORMED as error:
            log.warning("feishu: an arrival cannot be read and is skipped: %s", type(error).__name__)
            return True
        if arrival is None:
            return None
        if arrival.private and not {"*", arrival.person} & self._allowed:
            return True
        try:
            fresh = await self._note(arrival)
        except StoreUnavailable as error:
            log_store_failure(
                log.warning, "feishu: the arrival in %s shall come again (%s)", arrival.chat, error
            )
            return False
        if fresh:
            self._tasks.run(self._greet(arrival))
        return True

    async def _note(self, arrival: Arrival) -> bool:
        """Store that it is said; tell whether it was not yet. Raises StoreUnavailable."""
        known = await self._documents.get(f"{self._name}/welcomed/{arrival.chat}")
        if known.body == arrival.mark:
            return False
        try:
            await self._documents.set(replace(known, body=arrival.mark))
        except DocumentConflict:
            # Another node says it.
            return False
        return True

    async def _greet(self, arrival: Arrival) -> None:
        language = language_of(self._language(Conversation(self._name, arrival.chat)))
        try:
            if arrival.private:
                words = say(language, Sentence.PRIVATE_WELCOME)
            else:
                words = say(language, Sentence.GROUP_WELCOME, mention=f"@{(await self._api.bot()).name}")
            place = FeishuDestination(arrival.chat)
            await self._api.send(place, "text", plain(words), f"welcome-{arrival.event}"[:50])
        except ChannelError as error:
            log.info("feishu: chat %s is not welcomed: %s", arrival.chat, error)
