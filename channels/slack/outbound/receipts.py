"""Receipts: the app's reaction on a message while it is being answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from slack_sdk.web.async_slack_response import AsyncSlackResponse

from parley.channels.slack.api import SlackApi
from parley.channels.slack.errors import Unsupported
from parley.core.model.errors import DeliveryRejected
from parley.core.model.types import ReplyTarget

RECEIPT = "eyes"


class SlackReceiptCalls:
    """Sets the reaction and takes it away. Needs the scope reactions:write."""

    def __init__(self, api: SlackApi) -> None:
        self._api = api

    async def set_receipt(self, target: ReplyTarget) -> str:
        """React to the message that `target` replies to. Raises ChannelError where the app may not."""
        chat, ts = _message_of(target)
        client = self._api.client
        await self._call(
            "reactions.add", lambda: client.reactions_add(channel=chat, timestamp=ts, name=RECEIPT)
        )
        return RECEIPT

    async def clear_receipt(self, target: ReplyTarget, mark: str) -> None:
        """Take the reaction away. Raises ChannelError where the app may not."""
        chat, ts = _message_of(target)
        client = self._api.client
        await self._call(
            "reactions.remove", lambda: client.reactions_remove(channel=chat, timestamp=ts, name=RECEIPT)
        )

    async def _call(self, method: str, call: Callable[[], Awaitable[AsyncSlackResponse]]) -> None:
        try:
            await self._api.call(method, call)
        except Unsupported:
            raise
        except DeliveryRejected:
            # It is there already, or not any more, or so is the message: that says nothing about the next.
            return


def _message_of(target: ReplyTarget) -> tuple[str, str]:
    """Return a message's chat and ts, which its id has."""
    chat, ts, *_ = f"{target.reply_to}:".split(":")
    return chat, ts
