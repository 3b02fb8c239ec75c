"""The DingTalk adapter."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from parley.channels.dingtalk.api import Api, Place
from parley.channels.dingtalk.asking import QuestionCards
from parley.channels.dingtalk.bucket import Bucket
from parley.channels.dingtalk.cards import Cards
from parley.channels.dingtalk.config import Config
from parley.channels.dingtalk.formatting import MOST
from parley.channels.dingtalk.inbound import NAME, Manner
from parley.channels.dingtalk.intake import Intake
from parley.channels.dingtalk.people import People
from parley.channels.dingtalk.presses import Presses
from parley.channels.dingtalk.replies import DingTalkReply
from parley.channels.dingtalk.sdk import MESSAGES, PRESSES
from parley.channels.dingtalk.stream import Stream
from parley.core.errors import ungrouped
from parley.core.ports import (
    Admission,
    Capabilities,
    Channel,
    ChannelServices,
    Checkpoint,
    Inbox,
    Reply,
    Streaming,
    TextUnit,
)
from parley.core.types import Attachment, ReplyTarget


def create(config: Config, services: ChannelServices) -> DingTalkChannel:
    """The channel as configured."""
    return DingTalkChannel(config)


class DingTalkChannel(Channel):
    """One robot on a stream connection."""

    name: ClassVar[str] = NAME

    def __init__(self, config: Config) -> None:
        self.capabilities = Capabilities(
            streaming=Streaming.NATIVE if config.card_template_id else Streaming.NONE,
            max_chars=MOST,
            unit=TextUnit.BYTES,
            edit_interval=0.5,
            group_edit_interval=0.5,
            buttons=bool(config.question_template_id),
            threads=False,
            max_file_in=config.max_file_in,
            max_file_out=config.max_file_out,
        )
        guests = frozenset(config.allowed_users)
        self._api = Api(config)
        self._people = People(self._api)
        pace = Bucket(config.card_rate)
        self._cards = Cards(self._api, config, pace) if config.card_template_id else None
        template = config.question_template_id
        self._questions = QuestionCards(self._api, template, pace, self._people) if template else None
        self._presses = Presses(self._people, guests) if template else None
        manner = Manner(config.bot_name, config.groups == "per_user", guests)
        self._intake = Intake(manner, self._people, self._presses)
        topics = (MESSAGES, PRESSES) if template else (MESSAGES,)
        self._stream = Stream(self._api, self._api.connected(), self._intake, topics, config.ping_interval)

    async def preflight(self) -> Admission:
        """Ask DingTalk for an access token, and for leave to connect; who the robot is it does not tell."""
        async with self._api.connected():
            await self._api.tokens.get()
            await self._api.ticket((MESSAGES,))
        return Admission()

    async def listen(self, inbox: Inbox) -> None:
        """Stay connected. Raises AuthenticationRefused for credentials that DingTalk does not take, at the
        start or when the access token is renewed; ChannelUnavailable otherwise."""
        async with self._api.connected():
            await self._api.tokens.get()
            with ungrouped(Exception):
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._intake.run(inbox))
                    if self._presses is not None:
                        group.create_task(self._presses.run(inbox))
                    group.create_task(self._api.tokens.keep_fresh())
                    group.create_task(self._stream.run(inbox.online))

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        """A reply to the target's person, or in its group."""
        place = Place(target.private, target.conversation.chat)
        return DingTalkReply(self._api, self._cards, self._questions, target, place, checkpoint)

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        """Stream a file of a message."""
        robot, _, code = attachment.handle.partition(":")
        return await self._api.fetch(robot, code, into, min(limit, self.capabilities.max_file_in))
