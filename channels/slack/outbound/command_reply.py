"""The answer to a slash command: only who gave it sees it."""

from __future__ import annotations

import logging
from dataclasses import replace

from parley.channels.slack.agent_api import SlackAgentApi
from parley.channels.slack.api import SlackApi, SlackDestination
from parley.channels.slack.blocks import text_forms
from parley.channels.slack.file_transfer import SlackFileTransfer
from parley.channels.slack.formatting import escape_mentions, split_messages
from parley.core.model.errors import DeliveryRejected
from parley.core.model.types import Json, JsonObject, OutboundMessage, Receipt
from parley.core.ports.channel import Checkpoint, Reply

log = logging.getLogger(__name__)

MOST_RESPONSES = 5
"""Answers that the address of a command takes (docs.slack.dev/interactivity/handling-user-interaction)."""
_SENDING, _SENT = "sending", "sent"
_PREVIEW = 150


class SlackCommandReply(Reply):
    """Says it at the command's own address (`url`, "" where an earlier process or another node was told it);
    where that does not do, in the chat, and where the app is not in that, in the DM.

    None of this can be looked up afterwards: what was on its way when a process ended is said again, and
    counted.
    """

    def __init__(
        self,
        api: SlackApi,
        transfer: SlackFileTransfer,
        place: SlackDestination,
        url: str,
        handle: str,
        checkpoint: Checkpoint,
    ) -> None:
        self._api = api
        self._agent = SlackAgentApi(api)
        self._transfer = transfer
        self._place = replace(place, thread=None)
        self._url = url
        self._state = handle
        self._checkpoint = checkpoint

    async def show(self, snapshot: OutboundMessage) -> None:
        """Show nothing: a command is quick."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Say it, and send the files to the DM, where nobody else sees them. Raises ChannelError."""
        doubtful = self._state == _SENDING
        if self._state != _SENT:
            await self._note(_SENDING)
            for text in split_messages(escape_mentions(snapshot.text))[:MOST_RESPONSES]:
                await self._say(text)
            await self._note(_SENT)
        for file in snapshot.attachments:
            file_id = await self._transfer.upload(file)
            chat = await self._direct_chat(file.name)
            await self._transfer.share(SlackDestination(chat, None), file_id, file.name)
        return Receipt((), doubtful)

    async def _say(self, text: str) -> None:
        if self._url:
            try:
                await self._agent.respond(self._url, _response(text))
                return
            except DeliveryRejected as error:
                log.info("slack: a command is answered in its chat (%s)", error)
                self._url = ""
        try:
            await self._api.post_ephemeral(self._place, text)
        except DeliveryRejected as error:
            log.info("slack: a command of %s is answered in the DM (%s)", self._place.chat, error)
            best, *_ = text_forms(text)
            await self._agent.post_words(self._place.person, "", best)

    async def _direct_chat(self, name: str) -> str:
        if self._place.chat.startswith("D"):
            return self._place.chat
        chat, _ = await self._agent.post_words(self._place.person, "", {"text": name})
        return chat

    async def _note(self, state: str) -> None:
        self._state = state
        await self._checkpoint(state)


def _response(markdown: str) -> JsonObject:
    blocks: list[Json] = [{"type": "markdown", "text": markdown}]
    return {"text": markdown[:_PREVIEW], "blocks": blocks}
