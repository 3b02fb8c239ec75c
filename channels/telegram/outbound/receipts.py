"""Receipts: the bot's reaction on a message while it is being answered."""

from __future__ import annotations

from contextlib import suppress

from parley.channels.kit.errors import MessageGone
from parley.channels.telegram.api import TelegramApi
from parley.core.model.types import ReplyTarget

RECEIPT = "👀"


class TelegramReceiptCalls:
    """Sets the reaction and takes it away. Raises ChannelError, as where a group allows no such reaction."""

    def __init__(self, api: TelegramApi) -> None:
        self._api = api

    async def set_receipt(self, target: ReplyTarget) -> str:
        """React to the message that `target` replies to."""
        await self._react(target, RECEIPT)
        return RECEIPT

    async def clear_receipt(self, target: ReplyTarget, mark: str) -> None:
        """Take the reaction away."""
        await self._react(target, "")

    async def _react(self, target: ReplyTarget, emoji: str) -> None:
        chat, _, message = target.reply_to.partition(":")
        # What came of a button, or of a wish to try again, is no message.
        if message.isdecimal() and chat.removeprefix("-").isdecimal():
            with suppress(MessageGone):
                await self._api.react(int(target.conversation.chat), int(message), emoji)
