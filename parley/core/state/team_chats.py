"""Chats that keep a memory of their own: somebody in them switched it on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from parley.core.model.address import Conversation
from parley.core.model.codec import decode, encode
from parley.core.ports.journal import Document, DocumentRepository, iter_documents, update_document

_PREFIX = "team-memory/"
# No account has such a key: a channel's name has no "/".
_TEAM = "team/"


@dataclass(frozen=True, slots=True)
class TeamChat:
    """Whether a chat's memory is used; it had one if there is such a record."""

    on: bool = False


def team_of(conversation: Conversation) -> str:
    """Return the id of the memory of a chat, which all its topics share."""
    return _TEAM + Conversation(conversation.channel, conversation.chat).key


class TeamChats:
    """Reads and changes which chats have a memory. Every method raises StoreUnavailable."""

    def __init__(self, documents: DocumentRepository) -> None:
        self._documents = documents

    async def is_on(self, team: str) -> bool:
        """Return whether a team's memory is switched on."""
        return _read(await self._documents.get(_PREFIX + team)).on

    async def switch(self, team: str, *, on: bool) -> None:
        """Switch a team's memory on or off; what it has stays."""

        def changed(document: Document) -> tuple[None, str]:
            return None, encode(TeamChat(on))

        await update_document(self._documents, _PREFIX + team, changed)

    async def teams(self) -> AsyncIterator[str]:
        """Yield the teams that have or had a memory."""
        async for document in iter_documents(self._documents, _PREFIX):
            yield document.key.removeprefix(_PREFIX)


def _read(document: Document) -> TeamChat:
    return decode(TeamChat, document.body) if document.body else TeamChat()
