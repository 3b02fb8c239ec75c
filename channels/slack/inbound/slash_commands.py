"""The slash command: commands of chats, answered so that only who gave them sees it."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass

from slack_bolt.async_app import AsyncAck, AsyncBoltContext

from parley.channels.kit.fields import MALFORMED
from parley.channels.slack.agent_api import SlackAgentApi
from parley.channels.slack.api import SlackApi
from parley.channels.slack.fields import required_text_at, text_at
from parley.channels.slack.inbound.context import REACHED, SlackInboundContext
from parley.channels.slack.inbound.event_parser import NAME, is_private, sender_of
from parley.core.model.address import Conversation, User
from parley.core.model.command_syntax import parse_command
from parley.core.model.errors import ChannelError
from parley.core.model.types import InboundMessage, JsonObject
from parley.core.texts import Sentence, language_of, say

log = logging.getLogger(__name__)

COMMAND_ID = "command"
"""How the ids of slash commands begin."""
_OF_A_CONVERSATION = frozenset({"new", "stop", "retry", "busy", "status", "models", "agents"})
_NEED_ONE = frozenset({"new", "stop", "retry", "busy"})


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A slash command as somebody wrote it: the `command` itself, the words behind it, and where."""

    id: str
    command: str
    words: str
    user: str
    chat: str
    response: str


class SlashCommands:
    """Bolt's listener. Slack sends a command once, and waits three seconds for an acknowledgement."""

    def __init__(self, api: SlackApi, listener: SlackInboundContext) -> None:
        self._api = SlackAgentApi(api)
        self._listener = listener

    async def on_command(self, body: JsonObject, ack: AsyncAck, context: AsyncBoltContext) -> None:
        """Take a command; what is none is answered there and then."""
        context[REACHED] = True
        try:
            given = parse_slash_command(body)
        except MALFORMED as error:
            log.warning("slack: a command cannot be read and is skipped: %s", error)
            await ack()
            return
        told = await self._listener.retry_until_stored(f"command {given.id}", lambda: self._take(given))
        await (ack(text=told, response_type="ephemeral") if told else ack())

    async def _take(self, given: SlashCommand) -> str:
        """Make a command durable; return what to say instead where there is nothing to be done."""
        listener = self._listener
        if not await listener.door.admits(given.user):
            return ""
        people = await listener.people.get_many((given.user,))
        sender = sender_of(given.user, listener.me, people)
        parsed = parse_command(f"/{given.words or 'help'}")
        if parsed is None:
            return say(language_of(sender.language), Sentence.SLASH_TALK, command=given.command)
        place = await self._place(given, parsed[0])
        if place is None:
            return self._nowhere(sender, parsed[0])
        listener.responses.put(given.id, given.response)
        await listener.inbox.accept(_message(given, sender, place, "/" + " ".join(filter(None, parsed))))
        return ""

    async def _place(self, given: SlashCommand, name: str) -> Conversation | None:
        """Return the conversation that a command is about, None where it needs one and none is found."""
        around = Conversation(NAME, given.chat, None)
        if name not in _OF_A_CONVERSATION:
            return around
        if is_private(given.chat) and not await self._listener.direct.has_threads():
            return around
        try:
            thread = await self._api.newest_thread(given.chat, given.user, self._listener.me.user)
        except ChannelError as error:
            log.info("slack: the thread of a command in %s is not known (%s)", given.chat, error)
            thread = ""
        if thread:
            return Conversation(NAME, given.chat, thread)
        return None if name in _NEED_ONE else around

    def _nowhere(self, sender: User, name: str) -> str:
        mention = f"<@{self._listener.me.user}>"
        return say(language_of(sender.language), Sentence.SLASH_NOWHERE, mention=mention, name=name)


def parse_slash_command(body: JsonObject) -> SlashCommand:
    """Return what somebody commanded. Raises those of MALFORMED."""
    trigger = required_text_at(body, "trigger_id")
    return SlashCommand(
        id=f"{COMMAND_ID}:{required_text_at(body, 'channel_id')}:{trigger}",
        command=required_text_at(body, "command"),
        words=text_at(body, "text").strip().removeprefix("/"),
        user=required_text_at(body, "user_id"),
        chat=required_text_at(body, "channel_id"),
        response=text_at(body, "response_url"),
    )


def _message(given: SlashCommand, sender: User, place: Conversation, text: str) -> InboundMessage:
    """Return a command as a message that only the app sees, wherever it was written."""
    return InboundMessage(
        id=given.id,
        conversation=place,
        sender=sender,
        text=text,
        addressed=True,
        private=True,
        sent_at=time.time(),
    )
