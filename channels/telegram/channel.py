"""The Telegram adapter."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from pathlib import Path

from starlette.routing import BaseRoute
from telegram import User

from parley.channels.kit.background_tasks import BackgroundTasks
from parley.channels.kit.files import file_too_large
from parley.channels.kit.receipts import Receipts
from parley.channels.kit.retry import RetryPauses, retry
from parley.channels.telegram.api import TelegramApi
from parley.channels.telegram.config import Config
from parley.channels.telegram.destination import TelegramDestination
from parley.channels.telegram.errors import WebhookContended
from parley.channels.telegram.formatting import MAX_MESSAGE_UNITS
from parley.channels.telegram.inbound.callback_answers import CallbackAnswers
from parley.channels.telegram.inbound.connection_probe import probe_updates
from parley.channels.telegram.inbound.group_welcome import GroupWelcome
from parley.channels.telegram.inbound.polling import Polling
from parley.channels.telegram.inbound.update_handler import TelegramInboundContext, UpdateHandler
from parley.channels.telegram.inbound.update_parser import GUEST, STOP, UPDATE_KINDS, TelegramBotIdentity
from parley.channels.telegram.inbound.webhook import TelegramWebhook
from parley.channels.telegram.inline_keyboard import ButtonOptions
from parley.channels.telegram.mapping import NAME
from parley.channels.telegram.outbound.guest_reply import TelegramGuestReply
from parley.channels.telegram.outbound.receipts import TelegramReceiptCalls
from parley.channels.telegram.outbound.reply import (
    TelegramReply,
    TelegramReplyManner,
    TelegramReplyTiming,
)
from parley.channels.telegram.outbound.rich_layout import RichMessages
from parley.channels.telegram.outbound.stop_reply import TelegramStopReply
from parley.channels.telegram.supergroup_migration import SupergroupMigrations
from parley.core.model.address import Conversation
from parley.core.model.attachments import Attachment
from parley.core.model.errors import ChannelUnavailable, DeliveryRejected, RateLimited
from parley.core.model.feedback import CommentWay
from parley.core.model.options import ContextScope, MentionPolicy
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
from parley.core.texts import Sentence

log = logging.getLogger(__name__)

_PRIVACY_MODE = (
    "needs all messages of a group, but the bot is in privacy mode: send /setprivacy to BotFather, choose "
    "Disable, and add the bot to its groups again (or make it an administrator there)"
)
_SETTLING = RetryPauses(1.0, 4.0, attempts=5)
_LONGEST_SETTLING = 5.0
"""Seconds that Telegram may ask for because nodes start together; more is asked for another reason."""
_COMMAND = re.compile(r"[a-z0-9_]{1,32}\Z")


def create(config: Config, services: ChannelServices) -> TelegramChannel:
    """Return the channel as configured."""
    return TelegramChannel(config, services)


class TelegramChannel(Channel):
    """One bot, whose updates are polled for or, with a `webhook_url`, posted to us."""

    name = NAME

    def __init__(
        self,
        config: Config,
        services: ChannelServices,
        rhythm: TelegramReplyTiming = TelegramReplyTiming(),  # noqa: B008 - frozen
    ) -> None:
        self.longest_call = config.request_timeout
        self.capabilities = Capabilities(
            max_chars=MAX_MESSAGE_UNITS,
            edit_interval=1.0,
            group_edit_interval=3.0,
            buttons=True,
            comments=CommentWay.REPLY,
            timed=True,
        )
        self.held_by_one = not config.webhook_url
        self._config = config
        self._commands = services.commands
        self._rules = services.rules
        self._rhythm = rhythm
        moves = SupergroupMigrations(services.documents)
        self._choices = ButtonOptions(services.documents)
        self._manner = TelegramReplyManner(
            RichMessages(config.rich_messages), self._choices, rhythm, edits=config.delivery == "edit"
        )
        self._api = TelegramApi(config, moves)
        self._answers = CallbackAnswers(self._api)
        self._welcome = GroupWelcome(
            self._api, services.documents, services.rules, on=config.welcome, name=services.name or NAME
        )
        self._receipts = Receipts(TelegramReceiptCalls(self._api)) if config.receipt == "on" else None
        intake = UpdateHandler(moves, self._choices, self._answers.tell, self._welcome, rules=services.rules)
        self._polling = Polling(self._api, intake)
        self._hook = TelegramWebhook(config.secret, intake)

    async def listen(self, inbox: Inbox) -> None:
        """Take updates. Raises AuthenticationRefused for a wrong token, ChannelUnavailable otherwise."""
        async with (
            self._api.connected(),
            self._answers.open(),
            self._welcome.open(),
            BackgroundTasks() as beside,
        ):
            if self._receipts is not None:
                beside.run(self._receipts.run())
            me = await self._api.me()
            listener = TelegramInboundContext(inbox, TelegramBotIdentity(me.id, me.username or ""))
            await self._register_commands()
            if self._config.webhook_url:
                await self._be_posted_to(listener)
            else:
                await self._poll(listener)

    async def preflight(self) -> PreflightResult:
        """Ask Telegram who we are."""
        async with self._api.connected():
            me = await self._api.me()
        return PreflightResult(f"@{me.username}", self._lacking(me))

    async def probe_connection(self) -> str:
        """Ask Telegram where updates go. A poll is not made: it would end that of another program."""
        async with self._api.connected():
            return await probe_updates(await self._api.webhook_info(), self._config.webhook_url)

    def routes(self) -> Sequence[BaseRoute]:
        """Return where Telegram posts updates, if it is to."""
        return self._hook.routes() if self._config.webhook_url else ()

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        """Return a reply in the target's chat and topic; in groups it answers the message it is for."""
        if target.reply_to.startswith(f"{STOP}:"):
            return TelegramStopReply()
        if target.reply_to.startswith(f"{GUEST}:"):
            return TelegramGuestReply(
                self._api, target, target.reply_to.removeprefix(f"{GUEST}:"), checkpoint
            )
        reply = TelegramReply(self._api, target, _place(target), checkpoint, self._manner)
        return reply if self._receipts is None else self._receipts.around(reply, target)

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        """Stream a file of a message."""
        most = min(limit, self._config.max_file_in)
        if attachment.size > most:
            raise file_too_large(most)
        return await self._api.files.fetch(attachment.handle, into, most)

    async def remarks(self, conversation: Conversation) -> Sequence[Sentence]:
        """Say that, and how, privacy mode keeps us from hearing all that is said in a group."""
        chat = _chat(conversation)
        if chat > 0 or await self._api.can_read_all_group_messages(chat):
            return ()
        # Where only mentions count, and bring nothing of the talk before them, hearing more is of no use.
        rules = self._rules(conversation)
        enough = rules.mention is MentionPolicy.REQUIRED and rules.earlier.scope is ContextScope.OFF
        return (Sentence.HEARS_ADDRESSED,) if enough else (Sentence.HEARS_ADDRESSED, Sentence.HEARS_ALL_HOW)

    def _lacking(self, me: User) -> tuple[tuple[str, str], ...]:
        """Return what BotFather has to change for what the settings want."""
        key = self._config.needs_all_messages()
        if not key or me.can_read_all_group_messages:
            return ()
        return ((key, _PRIVACY_MODE),)

    async def _poll(self, listener: TelegramInboundContext) -> None:
        await self._api.take_over()
        listener.inbox.online()
        log.info("telegram: listening as @%s", listener.me.username)
        await self._polling.run(listener)

    async def _be_posted_to(self, listener: TelegramInboundContext) -> None:
        with self._hook.open(listener):
            await self._set_webhook()
            listener.inbox.online()
            log.info("telegram: @%s is posted to at %s", listener.me.username, self._config.webhook_url)
            await self._look_after_webhook()

    async def _set_webhook(self) -> None:
        """Set it, unless another node does so at this moment. Raises ChannelError."""

        def note(error: object) -> None:
            if isinstance(error, RateLimited) and error.retry_after > _LONGEST_SETTLING:
                raise error
            log.debug("telegram: another node sets the webhook (%s)", error)

        await retry(
            lambda: self._api.set_webhook(UPDATE_KINDS), note, _SETTLING, (RateLimited, WebhookContended)
        )

    async def _look_after_webhook(self) -> None:
        """Raise ChannelUnavailable when the webhook is no longer ours."""
        told = None
        while True:
            await asyncio.sleep(self._rhythm.webhook)
            hook = await self._api.webhook_info()
            if hook.url != self._config.webhook_url:
                raise ChannelUnavailable("another program has taken the webhook of this bot token away")
            if hook.last_error_date is not None and hook.last_error_date != told:
                told = hook.last_error_date
                log.warning("telegram: posting to us failed at %s: %s", told, hook.last_error_message)

    async def _register_commands(self) -> None:
        """Set the command menu in every language; without it everything else still works."""
        for language in dict.fromkeys(["", *(command.language for command in self._commands)]):
            menu = [
                (command.name, command.summary[:256])
                for command in self._commands
                if command.language == language and command.summary and _COMMAND.match(command.name)
            ]
            try:
                await self._api.set_commands(menu, language)
            except (DeliveryRejected, RateLimited) as error:
                log.warning("telegram: the command menu could not be set: %s", error)


def _chat(conversation: Conversation) -> int:
    try:
        return int(conversation.chat)
    except ValueError as error:
        raise DeliveryRejected(f"no Telegram chat: {conversation.key}") from error


def _place(target: ReplyTarget) -> TelegramDestination:
    """Return where a target is. Raises DeliveryRejected for one that is not Telegram's."""
    conversation = target.conversation
    chat, answered = _chat(conversation), target.reply_to.rpartition(":")[2]
    try:
        topic = None if conversation.topic is None else int(conversation.topic)
    except ValueError as error:
        raise DeliveryRejected(f"no Telegram topic: {conversation.key}") from error
    # In a private chat everything is an answer; quoting it each time would only be noise.
    reply_to = int(answered) if answered.isdecimal() and not target.private else None
    return TelegramDestination(chat, topic, reply_to)
