"""Receipts: the bot's reaction on a message while it is being answered."""

from __future__ import annotations

from contextlib import suppress

from parley.channels.feishu.api import FeishuApi
from parley.channels.feishu.errors import MessageWithdrawn, ReactionGone
from parley.core.model.types import ReplyTarget

RECEIPT = "Typing"
"""A pen that writes."""
_MESSAGE = "om_"


class FeishuReceiptCalls:
    """Sets the reaction and takes it away. Raises ChannelError, as where the app may not react."""

    def __init__(self, api: FeishuApi) -> None:
        self._api = api

    async def set_receipt(self, target: ReplyTarget) -> str:
        """React to the message that `target` replies to."""
        # What came of a button, or of a wish to try again, is no message.
        if target.reply_to.startswith(_MESSAGE):
            with suppress(MessageWithdrawn):
                return await self._api.react(target.reply_to, RECEIPT)
        return ""

    async def clear_receipt(self, target: ReplyTarget, mark: str) -> None:
        """Take the reaction away; where only Feishu knows its id, Feishu is asked for it."""
        if not target.reply_to.startswith(_MESSAGE):
            return
        with suppress(MessageWithdrawn):
            marks = (mark,) if mark else await self._api.reactions_of_apps(target.reply_to, RECEIPT)
            for each in marks:
                with suppress(ReactionGone):
                    await self._api.take_reaction_away(target.reply_to, each)
