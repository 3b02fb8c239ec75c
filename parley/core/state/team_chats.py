"""Chats that keep a memory of their own: somebody in them switched it on. And who said something for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from parley.core.model.address import Conversation
from parley.core.model.codec import decode, encode
from parley.core.ports.journal import Document, DocumentRepository, iter_documents, update_document

_PREFIX = "team-memory/"
_SPEAKERS = "team-speaker/"
_WALKED = "team-speakers-walked"
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

    async def note_speaker(self, team: str, account: str) -> None:
        """Note that an account says something for a team: before that is stored."""

        def noted(document: Document) -> tuple[None, str | None]:
            return None, None if document.version else team

        await update_document(self._documents, _speaker_prefix(account) + team, noted)

    async def teams_of(self, accounts: Sequence[str]) -> Sequence[str]:
        """Return the teams for which any of these accounts may have said something.

        Those are all teams until it is known who spoke before that was noted.
        """
        if await self.walked_at() is None:
            return [team async for team in self.teams()]
        prefixes = map(_speaker_prefix, accounts)
        found = [
            document.body for each in prefixes async for document in iter_documents(self._documents, each)
        ]
        return list(dict.fromkeys(found))

    async def forget_speaker(self, account: str) -> None:
        """Forget for which teams an account spoke, once nothing of that is left."""
        async for document in iter_documents(self._documents, _speaker_prefix(account)):
            await self._documents.delete(document.key)

    async def walked_at(self) -> float | None:
        """Return when all memories were first looked through for who spoke; None where they were not."""
        document = await self._documents.get(_WALKED)
        return float(document.body) if document.version else None

    async def note_walk(self, now: float) -> None:
        """Note that all memories were looked through; the first time counts."""

        def noted(document: Document) -> tuple[None, str | None]:
            return None, None if document.version else str(now)

        await update_document(self._documents, _WALKED, noted)


def _speaker_prefix(account: str) -> str:
    return f"{_SPEAKERS}{quote(account, safe=':')}/"


def _read(document: Document) -> TeamChat:
    return decode(TeamChat, document.body) if document.body else TeamChat()
