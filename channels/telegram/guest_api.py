"""Answering in chats that the bot is no member of: one message, which may be changed later."""

from __future__ import annotations

from telegram import Bot, InlineQueryResultArticle, InputTextMessageContent, LinkPreviewOptions

from parley.channels.telegram.errors import NotModified, map_sdk_errors
from parley.channels.telegram.formatting import FormattedMessage

_RESULT = "answer"


class TelegramGuestApi:
    """The calls that guests of a chat have. Every method raises ChannelError."""

    def __init__(self, bot: Bot, previews: LinkPreviewOptions) -> None:
        self._bot, self._previews = bot, previews

    async def answer(self, query: str, title: str, content: FormattedMessage) -> str:
        """Answer a guest query, once and soon; returns the message's id. Raises DeliveryRejected too late."""
        words = InputTextMessageContent(
            content.text, entities=content.entities, link_preview_options=self._previews
        )
        with map_sdk_errors():
            sent = await self._bot.answer_guest_query(query, InlineQueryResultArticle(_RESULT, title, words))
        return sent.inline_message_id

    async def edit(self, message: str, content: FormattedMessage) -> None:
        """Give that message another text. Raises MessageGone when it is not there to be changed."""
        try:
            with map_sdk_errors():
                await self._bot.edit_message_text(
                    content.text,
                    inline_message_id=message,
                    entities=content.entities,
                    link_preview_options=self._previews,
                )
        except NotModified:
            return
