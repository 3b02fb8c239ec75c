"""What our own messages said: DingTalk quotes cards, and some messages, without their words."""

from __future__ import annotations

import logging
from dataclasses import replace

from parley.core.model.address import Conversation, User
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import DocumentRepository, log_store_failure
from parley.core.state.sent_messages import (
    MOST_SENT_CHARACTERS,
    SENT_LIFE,
    SentMessage,
    decode_sent,
    keep_sent,
    sent_document_key,
)

log = logging.getLogger(__name__)

NEAR = 5.0
"""Seconds between the time that a quote gives for a card, and ours: the clocks and the way of one call."""


class SentMessages:
    """The newest answers of each conversation of channel `name`, in the store, where the core finds them too.

    Nothing here fails for want of a store.
    """

    def __init__(self, documents: DocumentRepository, name: str) -> None:
        self._documents, self._name = documents, name

    async def keep(
        self, place: Conversation, asker: User, keys: tuple[str, ...], text: str, begun: float
    ) -> None:
        """Keep an answer that can be quoted."""
        if not text.strip():
            return
        message = SentMessage(keys, begun, text[:MOST_SENT_CHARACTERS], asker)
        try:
            await keep_sent(self._documents, self._own(place), message)
        except StoreUnavailable as error:
            log_store_failure(log.info, "dingtalk: an answer cannot be quoted later (%s)", error)

    async def find(self, place: Conversation, key: str, at: float, now: float) -> str:
        """Return what our message of this key, or else the one of this time, says; "" if it is not known."""
        try:
            kept = decode_sent(await self._documents.get(sent_document_key(self._own(place))))
        except StoreUnavailable as error:
            log_store_failure(log.info, "dingtalk: a quote is not looked up (%s)", error)
            return ""
        fresh = [each for each in kept if each.at > now - SENT_LIFE]
        named = [each for each in fresh if key and key in each.keys]
        near = sorted((abs(each.at - at), number) for number, each in enumerate(fresh) if at > 0)
        if named:
            return named[-1].text
        return fresh[near[0][1]].text if near and near[0][0] <= NEAR else ""

    def _own(self, place: Conversation) -> Conversation:
        """Return a place of the platform as one of our channel."""
        return replace(place, channel=self._name)
