"""The DingTalk adapter."""

from __future__ import annotations

import asyncio
from pathlib import Path

from parley.channels.dingtalk.api import DingTalkApi, DingTalkDestination
from parley.channels.dingtalk.config import NO_CARDS, Config
from parley.channels.dingtalk.formatting import MAX_PART_BYTES
from parley.channels.dingtalk.inbound.card_callbacks import CardCallbackQueue
from parley.channels.dingtalk.inbound.inbound_queue import InboundContext, InboundQueue
from parley.channels.dingtalk.inbound.message_parser import NAME, ParseOptions
from parley.channels.dingtalk.inbound.quoted_words import QuotedWords
from parley.channels.dingtalk.inbound.stream import StreamListener
from parley.channels.dingtalk.inbound.unpublished import UNPUBLISHED, UnpublishedNotice
from parley.channels.dingtalk.message_origins import MessageOrigins
from parley.channels.dingtalk.outbound.ai_cards import AiCards
from parley.channels.dingtalk.outbound.question_cards import QuestionCards
from parley.channels.dingtalk.outbound.reply import DingTalkReply
from parley.channels.dingtalk.outbound.reply_context import DingTalkReplyContext
from parley.channels.dingtalk.outbound.thinking_reactions import ThinkingReactions
from parley.channels.dingtalk.sdk import CARD_CALLBACKS, MESSAGES
from parley.channels.dingtalk.sent_messages import SentMessages
from parley.channels.dingtalk.unanswered_presses import UnansweredPresses
from parley.channels.dingtalk.user_lookup import DingTalkUserLookup
from parley.channels.kit.background_tasks import BackgroundTasks
from parley.channels.kit.receipts import Receipts
from parley.core.model.attachments import Attachment
from parley.core.model.errors import unwrap_exception_group
from parley.core.model.types import ReplyTarget
from parley.core.ports.channel import (
    Capabilities,
    Channel,
    ChannelServices,
    Checkpoint,
    Inbox,
    PreflightResult,
    Reply,
)
from parley.core.ports.journal import DocumentRepository


def create(config: Config, services: ChannelServices) -> DingTalkChannel:
    """Return the channel as configured."""
    return DingTalkChannel(config, services.documents, services.name or NAME)


class DingTalkChannel(Channel):
    """One robot on a stream connection."""

    name = NAME

    def __init__(self, config: Config, documents: DocumentRepository, name: str) -> None:
        self.longest_call = config.request_timeout
        self.capabilities = Capabilities(
            max_chars=MAX_PART_BYTES,
            edit_interval=0.5,
            group_edit_interval=0.5,
            buttons=bool(config.question_template_id),
            timed=True,
        )
        self._max_file_in = config.max_file_in
        guests = frozenset(config.allowed_users)
        self._api = DingTalkApi(config)
        self._people = DingTalkUserLookup(self._api)
        cards = config.card_template_id != NO_CARDS
        unanswered = UnansweredPresses()
        self._cards = AiCards(self._api, config, self._people, unanswered) if cards else None
        template = config.question_template_id
        self._presses = CardCallbackQueue(self._people, guests, unanswered) if template else None
        self._questions = (
            QuestionCards(self._api, config, self._people, unanswered) if self._presses is not None else None
        )
        origins = MessageOrigins((config.oapi_url, config.api_url))
        said = SentMessages(documents, name)
        self._tasks = BackgroundTasks()
        self._receipts = Receipts(ThinkingReactions(self._api, origins)) if config.receipt == "on" else None
        self._replies = DingTalkReplyContext(
            self._api, self._cards, self._questions, origins, said, config.mention_asker
        )
        self._unpublished = UnpublishedNotice(self._api, origins, self._tasks)
        self._intake = InboundQueue(
            ParseOptions(config.bot_name, config.groups == "per_user", guests),
            InboundContext(self._people, QuotedWords(origins, said), self._unpublished),
            self._presses,
        )
        topics = (MESSAGES, CARD_CALLBACKS) if template else (MESSAGES,)
        connected = self._api.connected()
        self._stream = StreamListener(self._api, connected, self._intake, topics, config.ping_interval)

    @property
    def trouble(self) -> str:
        """Return that the app is not published, where the newest message said so."""
        return UNPUBLISHED if self._unpublished.seen else ""

    async def preflight(self) -> PreflightResult:
        """Ask DingTalk for an access token, and for leave to connect; who the robot is it does not tell."""
        async with self._api.connected():
            await self._api.tokens.get()
            await self._api.ticket((MESSAGES,))
        return PreflightResult()

    async def probe_connection(self) -> str:
        """Open a stream connection for a moment; what came on it meanwhile, DingTalk sends again."""
        async with self._api.connected():
            await self._stream.probe()
        return "a stream connection was opened and closed"

    async def listen(self, inbox: Inbox) -> None:
        """Stay connected. Raises AuthenticationRefused for credentials that DingTalk does not take, at the
        start or when the access token is renewed; ChannelUnavailable otherwise."""
        async with self._api.connected(), self._tasks:
            await self._api.tokens.get()
            with unwrap_exception_group(Exception):
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._intake.run(inbox))
                    if self._presses is not None:
                        group.create_task(self._presses.run(inbox))
                    if self._receipts is not None:
                        group.create_task(self._receipts.run())
                    group.create_task(self._api.tokens.keep_fresh())
                    group.create_task(self._stream.run(inbox.online))

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        """Return a reply to the target's person, or in its group."""
        place = DingTalkDestination(target.private, target.conversation.chat)
        reply = DingTalkReply(self._replies, target, place, checkpoint)
        if self._receipts is None:
            return reply
        grows = self._cards is not None and self._cards.usable
        return self._receipts.around(reply, target, grows=grows)

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        """Stream a file of a message."""
        robot, _, code = attachment.handle.partition(":")
        return await self._api.fetch(robot, code, into, min(limit, self._max_file_in))
