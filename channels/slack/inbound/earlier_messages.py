"""What was said above a message, as Slack tells it: in its thread, or in the chat around it.

Slack gives a thread's oldest messages first, and knows no other order. So the first request asks for all that
may be wanted. Where that is more than a page, a second one asks for what came shortly before the message; how
shortly, the pace of the first page says. Where the root is too old to be among them, it asks for that.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping

from slack_sdk.web.async_slack_response import AsyncSlackResponse

from parley.channels.kit.fields import MALFORMED, number_or, text_or_empty
from parley.channels.slack.api import SlackApi
from parley.channels.slack.fields import required_text_at
from parley.channels.slack.file_objects import attachments_of
from parley.channels.slack.formatting import mentions, readable_text
from parley.channels.slack.inbound.event_parser import bot_of, sender_of
from parley.channels.slack.inbound.membership import MembershipFilter
from parley.channels.slack.inbound.message_words import (
    MOST_CHARS,
    app_words,
    block_words,
    forwarded_files,
    forwarded_words,
)
from parley.channels.slack.users import SlackBotIdentity, SlackUser, SlackUserCache
from parley.core.model.address import Conversation
from parley.core.model.earlier_messages import NO_MESSAGE, EarlierMessage, HistoryRequest, MessagePosition
from parley.core.model.errors import RateLimited
from parley.core.model.types import JsonObject

log = logging.getLogger(__name__)

MOST_IN_PAGE = 999
"""As many as Slack gives at once; apps sold outside its Marketplace get 15, once a minute."""
_SAID = frozenset({"", "file_share", "thread_broadcast", "me_message", "bot_message"})
_SLACK_ITSELF = "USLACKBOT"


class SlackHistory:
    """Reads earlier messages as `me`. Who is not let in by `door` is an outsider."""

    def __init__(
        self, api: SlackApi, people: SlackUserCache, me: SlackBotIdentity, door: MembershipFilter
    ) -> None:
        self._api, self._people = api, people
        self._me, self._door = me, door

    async def read(self, request: HistoryRequest) -> tuple[EarlierMessage, ...]:
        """Return what is wanted, oldest first. Raises ChannelError."""
        said = [each for each in await self._messages(request) if _is_wanted(each, request)]
        said.sort(key=_time)
        return await self._told(request.conversation, said[-request.most :])

    async def _messages(self, request: HistoryRequest) -> list[JsonObject]:
        chat, topic = request.conversation.chat, request.conversation.topic
        before = _ts(request.before)
        if topic is not None and topic != before:
            return await self._thread(request, topic, before)
        if topic is not None and not request.whole_chat:
            return []
        return _messages_in(
            await self._api.call(
                "conversations.history",
                lambda: self._api.client.conversations_history(
                    channel=chat,
                    oldest=_floor(request),
                    latest=before,
                    limit=min(request.most, MOST_IN_PAGE),
                ),
            )
        )

    async def _thread(self, request: HistoryRequest, thread: str, before: str) -> list[JsonObject]:
        page = await self._replies(request, MOST_IN_PAGE, _floor(request), before)
        found = _messages_in(page)
        try:
            if found and page.get("has_more"):
                start = newest_start(found, float(before), request.most)
                rest = await self._replies(request, MOST_IN_PAGE, start, before)
                return _messages_in(rest) or found
            if request.after == NO_MESSAGE and all(each.get("ts") != thread for each in found):
                return [*_messages_in(await self._replies(request, 1)), *found]
        except RateLimited as error:
            log.info("slack: of a thread only the first page is known (%s)", error)
        return found

    async def _replies(
        self, request: HistoryRequest, limit: int, oldest: str = "", latest: str = ""
    ) -> AsyncSlackResponse:
        place = request.conversation
        return await self._api.call(
            "conversations.replies",
            lambda: self._api.client.conversations_replies(
                channel=place.chat,
                ts=place.topic or "",
                oldest=oldest or None,
                latest=latest or None,
                limit=limit,
            ),
        )

    async def _told(self, place: Conversation, said: list[JsonObject]) -> tuple[EarlierMessage, ...]:
        """Return messages with the names of people, those of the newest first where they are too many."""
        words = [_words(each) for each in said]
        speakers = [text_or_empty(each, "user") for each in reversed(said) if not each.get("bot_id")]
        others = [each for text in words for each in mentions(text)]
        people = await self._people.get_many(filter(None, (*speakers, *others)))
        found = []
        for message, text in zip(said, words, strict=True):
            try:
                found.append(self._message(place, message, text, people))
            except MALFORMED as error:
                log.info("slack: an earlier message cannot be read and is left out: %s", error)
        return tuple(each for each in found if each.text or each.files)

    def _message(
        self, place: Conversation, message: JsonObject, text: str, people: Mapping[str, SlackUser]
    ) -> EarlierMessage:
        me, names = self._me, {each: person.name for each, person in people.items()}
        bot, user = text_or_empty(message, "bot_id"), text_or_empty(message, "user")
        ts = required_text_at(message, "ts")
        sender = bot_of(message) if bot else sender_of(required_text_at(message, "user"), me, people)
        return EarlierMessage(
            id=f"{place.chat}:{ts}",
            sender=sender,
            text=readable_text(text, me.user, names),
            sent_at=float(ts),
            bot=bool(bot),
            ours=user == me.user or (bool(bot) and bot == me.bot),
            outsider=not bot and self._door.keeps_out(user, people.get(user)),
            files=_file_names(message),
            opening=ts == place.topic,
        )


def newest_start(page: list[JsonObject], before: float, most: int) -> str:
    """Return from when on to ask for the newest messages of a thread whose oldest are a full page.

    What is left is asked for whole where it fits into a page. Else the time before `before` in which, at the
    pace of this page, come more than are wanted and less than a page holds.
    """
    times = sorted(_time(each) for each in page)
    count = max((_reply_count(each) for each in page), default=0)
    if 0 < count - len(times) + 1 <= len(times):
        return _spelled(times[-1])
    wanted = math.sqrt(min(most, len(times)) * len(times))
    # A thread's root may be much older than its first reply.
    lasted = times[-1] - times[min(1, len(times) - 1)]
    return _spelled(max(times[-1], before - wanted * lasted / len(times)))


def _reply_count(message: JsonObject) -> int:
    count = message.get("reply_count")
    return count if isinstance(count, int) else 0


def _words(message: JsonObject) -> str:
    """Return what a message says, in Slack's marks. A person's text says all that their blocks say."""
    if message.get("bot_id"):
        return app_words(message)
    own = text_or_empty(message, "text") or block_words(message.get("blocks"))
    forwarded = forwarded_words(message)
    return "\n[forwarded] ".join((own, forwarded) if forwarded else (own,))[:MOST_CHARS]


def _file_names(message: JsonObject) -> tuple[str, ...]:
    own = message.get("files")
    files = [*(own if isinstance(own, list) else ()), *forwarded_files(message)]
    return tuple(file.name for file in attachments_of(files))


def _messages_in(answer: AsyncSlackResponse) -> list[JsonObject]:
    found = answer.get("messages")
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _is_wanted(message: JsonObject, request: HistoryRequest) -> bool:
    """Tell whether somebody said this, it still stands, and it lies in the time that is asked about."""
    if text_or_empty(message, "subtype") not in _SAID or message.get("hidden"):
        return False
    if message.get("user") == _SLACK_ITSELF:
        return False
    # Slack may give a thread's root whatever the time.
    root = message.get("ts") == request.conversation.topic
    first = float(_ts(request.after)) if root else float(_floor(request))
    return first < _time(message) < float(_ts(request.before))


def _time(message: JsonObject) -> float:
    return number_or(message.get("ts"), 0.0)


def _floor(request: HistoryRequest) -> str:
    return _spelled(max(float(_ts(request.after)), request.oldest))


def _ts(position: MessagePosition) -> str:
    """Return a message's ts, which its id has; a position without an id is a time."""
    ts = position.id.partition(":")[2].partition(":")[0]
    return ts if number_or(ts, 0.0) else _spelled(position.at)


def _spelled(time: float) -> str:
    return f"{time:.6f}"
