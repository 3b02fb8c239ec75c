"""The Bot API as this channel needs it: few calls, our errors, and the bot's token kept inside."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar
from urllib.parse import urlencode

from telegram import (
    BotCommand,
    ForceReply,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    Message,
    User,
    WebhookInfo,
)
from telegram.constants import ChatAction, ChatMemberStatus

from parley.channels.kit.errors import FormatRefused, MessageGone
from parley.channels.kit.http.pool import HttpPool
from parley.channels.telegram.config import Config
from parley.channels.telegram.destination import TelegramDestination
from parley.channels.telegram.errors import (
    MigratedToSupergroup,
    NotModified,
    PlaceClosed,
    ProxyRefused,
    RichRefused,
    UnknownMethod,
    map_sdk_errors,
)
from parley.channels.telegram.file_transfer import TelegramFileTransfer
from parley.channels.telegram.formatting import FormattedMessage, without_marks
from parley.channels.telegram.guest_api import TelegramGuestApi
from parley.channels.telegram.rate_limits import BudgetedBot
from parley.channels.telegram.supergroup_migration import SupergroupMigrations
from parley.channels.telegram.transport import AiohttpRequest
from parley.core.model.errors import AuthenticationRefused, ChannelUnavailable, DeliveryRejected
from parley.core.model.types import Json

T = TypeVar("T")

# The SDK writes the token, and what people say, to its log at DEBUG.
logging.getLogger("telegram").setLevel(logging.INFO)
# And a page of traceback for an answer that is no JSON, of which our own line says enough.
logging.getLogger("telegram.request.BaseRequest").setLevel(logging.CRITICAL)

_POLL_GRACE = 10.0
# Newer than the SDK. A person may stop a draft, and what is there stays until the answer comes.
_STOPPABLE = {"can_stop": True, "keep_on_stop": True}


class TelegramApi:
    """One bot. Every method raises ChannelError.

    `async with api.connected():` keeps the connections open for everybody meanwhile.
    """

    def __init__(self, config: Config, moves: SupergroupMigrations) -> None:
        url = config.api_url.rstrip("/")
        files = config.file_url.rstrip("/") or f"{url}/file"
        self._config = config
        self._sessions = HttpPool()
        self._wire = AiohttpRequest(self._sessions, config.request_timeout)
        self._bot = BudgetedBot(
            config.bot_token,
            base_url=f"{url}/bot",
            base_file_url=f"{files}/bot",
            request=self._wire,
            get_updates_request=self._wire,
        )
        self._previews = LinkPreviewOptions(is_disabled=not config.link_previews)
        self._moves = moves
        self.files = TelegramFileTransfer(self._bot, self._sessions, config, self._in)
        self.guests = TelegramGuestApi(self._bot, self._previews)
        self._poll_grace = min(_POLL_GRACE, config.request_timeout)

    def connected(self) -> HttpPool:
        """Return the connections, to be kept open with `async with`."""
        return self._sessions

    async def me(self) -> User:
        """Return who the bot is. Raises AuthenticationRefused for a token that Telegram does not know."""
        try:
            with map_sdk_errors():
                return await self._bot.get_me()
        except ProxyRefused as error:
            raise ChannelUnavailable(error.user_text) from error
        except DeliveryRejected as error:
            raise AuthenticationRefused("Telegram does not know this bot token", "bot_token") from error

    async def take_over(self) -> None:
        """Have updates polled for, not posted to a webhook; those that wait are kept."""
        with map_sdk_errors():
            await self._bot.delete_webhook(drop_pending_updates=False)

    async def set_webhook(self, kinds: Sequence[str]) -> None:
        """Have updates posted to the configured address, with its secret; those that wait are kept."""
        url, secret = self._config.webhook_url, self._config.secret
        with map_sdk_errors():
            await self._bot.set_webhook(url, allowed_updates=kinds, secret_token=secret)

    async def webhook_info(self) -> WebhookInfo:
        """Return where updates are posted now, and how that goes."""
        with map_sdk_errors():
            return await self._bot.get_webhook_info()

    async def can_read_all_group_messages(self, chat: int) -> bool:
        """Tell whether Telegram gives us everything that is said in a group."""
        me = await self.me()
        if me.can_read_all_group_messages:
            return True

        async def call(chat: int) -> bool:
            member = await self._bot.get_chat_member(chat, me.id)
            return member.status == ChatMemberStatus.ADMINISTRATOR

        return await self._in(chat, call)

    async def set_commands(self, commands: Sequence[tuple[str, str]], language: str) -> None:
        """Set the menu of (name, summary) for people with this language, "" for all others."""
        menu = [BotCommand(name, summary) for name, summary in commands]
        with map_sdk_errors():
            await self._bot.set_my_commands(menu, language_code=language or None)

    async def updates(self, offset: int, kinds: Sequence[str]) -> list[Json]:
        """Return raw updates from `offset` on, which confirms all before; waits for the first one.

        The SDK's own method gives up the whole batch for one update that it cannot read.
        """
        wait = self._config.poll_timeout
        query = urlencode({"offset": offset, "timeout": wait, "allowed_updates": json.dumps(kinds)})
        with map_sdk_errors():
            result: object = await self._wire.post(
                f"{self._bot.base_url}/getUpdates?{query}", read_timeout=wait + self._poll_grace
            )
        if not isinstance(result, list):
            raise ChannelUnavailable("Telegram's answer to a poll was no list")
        return result

    async def send(
        self,
        place: TelegramDestination,
        content: FormattedMessage,
        buttons: InlineKeyboardMarkup | ForceReply | None = None,
        *,
        silent: bool = False,
    ) -> int:
        """Send a message; return its id. Raises RichRefused for markdown that is not taken."""

        async def call(chat: int, text: FormattedMessage) -> int:
            message = await self._bot.send_message(
                chat,
                text.text,
                entities=text.entities,
                message_thread_id=place.topic,
                disable_notification=silent,
                reply_parameters=place.answered,
                reply_markup=buttons,
                link_preview_options=self._previews,
            )
            return message.message_id

        async def lay_out(chat: int) -> int:
            # The SDK knows no rich messages yet.
            asked = {
                "chat_id": chat,
                "rich_message": {"markdown": content.markdown},
                "message_thread_id": place.topic,
                "disable_notification": silent,
                "reply_parameters": place.answered,
                "reply_markup": buttons,
            }
            number: int = (await self._bot.do_api_request("sendRichMessage", asked, Message)).message_id
            return number

        if content.markdown:
            return await self._rich(place.chat, lay_out)
        return await self._shown(place.chat, content, call)

    async def edit(
        self,
        place: TelegramDestination,
        message: int,
        content: FormattedMessage,
        buttons: InlineKeyboardMarkup | None = None,
    ) -> None:
        """Give a message another text, with these buttons or none.

        Raises MessageGone when it is not there to be changed, RichRefused for markdown that is not taken.
        """

        async def call(chat: int, text: FormattedMessage) -> None:
            await self._bot.edit_message_text(
                text.text,
                chat,
                message,
                entities=text.entities,
                reply_markup=buttons,
                link_preview_options=self._previews,
            )

        async def lay_out(chat: int) -> None:
            # The SDK knows no rich messages yet; a text beside one is not allowed.
            instead = {"text": None, "rich_message": {"markdown": content.markdown}}
            await self._bot.edit_message_text("", chat, message, reply_markup=buttons, api_kwargs=instead)

        with suppress(NotModified):
            if content.markdown:
                await self._rich(place.chat, lay_out)
            else:
                await self._shown(place.chat, content, call)

    async def draft(self, place: TelegramDestination, number: int, content: FormattedMessage) -> None:
        """Show what is being written in a private chat."""

        async def call(chat: int, text: FormattedMessage) -> None:
            await self._bot.send_message_draft(
                chat,
                number,
                text.text,
                message_thread_id=place.topic,
                entities=text.entities,
                api_kwargs=_STOPPABLE,
            )

        await self._shown(place.chat, content, call)

    async def typing(self, place: TelegramDestination) -> None:
        """Say for five seconds that the bot is typing."""

        async def call(chat: int) -> None:
            await self._bot.send_chat_action(chat, ChatAction.TYPING, message_thread_id=place.topic)

        await self._in(place.chat, call)

    async def react(self, chat: int, message: int, emoji: str) -> None:
        """Have this reaction of ours, or none, on a message. Raises MessageGone when it is not there."""

        async def call(chat: int) -> None:
            await self._bot.set_message_reaction(chat, message, emoji or None)

        await self._in(chat, call)

    async def answer(self, query: str, text: str) -> None:
        """Show a text to who pressed a button. Raises DeliveryRejected when they wait no longer."""
        with map_sdk_errors():
            await self._bot.answer_callback_query(query, text or None)

    async def delete(self, place: TelegramDestination, message: int) -> None:
        """Take a message away; raises MessageGone when it is not there."""

        async def call(chat: int) -> None:
            await self._bot.delete_message(chat, message)

        await self._in(place.chat, call)

    async def _rich(self, chat: int, call: Callable[[int], Awaitable[T]]) -> T:
        """Send or edit a rich message. Raises RichRefused where it is not taken."""
        try:
            return await self._in(chat, call)
        except (MessageGone, NotModified, PlaceClosed):
            raise
        except DeliveryRejected as error:
            # A Bot API without rich messages looks for the text that is not there, or for the method.
            unknown = isinstance(error.__cause__, UnknownMethod)
            raise RichRefused(
                error.user_text, unknown=unknown or "text is empty" in error.user_text
            ) from error

    async def _shown(
        self, chat: int, content: FormattedMessage, call: Callable[[int, FormattedMessage], Awaitable[T]]
    ) -> T:
        """Send a text; where Telegram refuses its marks, once more without."""
        try:
            return await self._in(chat, lambda place: call(place, content))
        except FormatRefused:
            if not content.entities:
                raise
        return await self._in(chat, lambda place: call(place, without_marks(content)))

    async def _in(self, chat: int, call: Callable[[int], Awaitable[T]]) -> T:
        """Do something in a chat, under its new id once Telegram has said that there is one."""
        try:
            with map_sdk_errors():
                return await call(self._moves.current(chat))
        except MigratedToSupergroup as moved:
            await self._moves.learn_migration(chat, moved.chat)
        with map_sdk_errors():
            return await call(self._moves.current(chat))
