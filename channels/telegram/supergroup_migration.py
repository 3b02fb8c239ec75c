"""Groups that Telegram turned into supergroups. Their conversation goes on under its old id."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace

from parley.core.model.address import Conversation
from parley.core.model.errors import DocumentConflict, StoreUnavailable
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import DocumentRepository, log_store_failure

log = logging.getLogger(__name__)


class SupergroupMigrations:
    """Which chat became which. What a service message says is kept in the store, for every node."""

    def __init__(self, documents: DocumentRepository) -> None:
        self._documents = documents
        self._origins: dict[int, int] = {}
        self._current: dict[int, int] = {}

    def current(self, chat: int) -> int:
        """Return where a chat is now, as far as known; Telegram tells whoever writes to the old one."""
        return self._current.get(chat, chat)

    def remember_migration(self, old: int, new: int) -> None:
        """Write to `new` from now on where `old` is meant."""
        self._current[old] = new

    async def store_migration(self, old: int, new: int) -> None:
        """Store a migration: durable on return. Raises StoreUnavailable."""
        known = await self._documents.get(_key(new))
        if known.body != str(old):
            # A conflict is another node noting the same.
            with suppress(DocumentConflict):
                await self._documents.set(replace(known, body=str(old)))
        self._origins[new] = old
        self.remember_migration(old, new)

    async def learn_migration(self, old: int, new: int) -> None:
        """Note a migration of which a refused call told: Telegram keeps its service message for a day only.

        Where the new chat has begun as a conversation of its own it stays one, and answers for the old one
        arrive there. While the store is away the next refusal tells again.
        """
        self.remember_migration(old, new)
        if self._origins.get(new) == new:
            return
        try:
            await self.store_migration(old, new)
        except StoreUnavailable as error:
            log_store_failure(log.warning, "telegram: that %d became %d is not noted: %s", old, new, error)

    async def with_current_chat(self, message: InboundMessage) -> InboundMessage:
        """Return the message in the conversation that its chat began as. Raises StoreUnavailable."""
        home = await self.current_conversation(message.conversation, private=message.private)
        return message if home == message.conversation else replace(message, conversation=home)

    async def current_conversation(self, conversation: Conversation, *, private: bool) -> Conversation:
        """Return the conversation that a chat began as. Raises StoreUnavailable.

        One look for each chat is enough: in a new supergroup the service message comes before all others.
        """
        if private:
            return conversation
        chat = int(conversation.chat)
        if chat not in self._origins:
            known = await self._documents.get(_key(chat))
            self._origins[chat] = int(known.body) if known.body else chat
        origin = self._origins[chat]
        if origin == chat:
            return conversation
        self.remember_migration(origin, chat)
        return replace(conversation, chat=str(origin))


def _key(chat: int) -> str:
    return f"telegram/moved/{chat}"
