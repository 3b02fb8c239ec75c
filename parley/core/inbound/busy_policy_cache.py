"""Whether anybody ever chose, with /busy, what becomes of messages that come during a run.

Hardly anybody does, and until then no message needs its conversation looked up before it is accepted.
"""

from __future__ import annotations

import asyncio
from contextvars import Context

from parley.core.inbound.busy_policy import load_busy_policy
from parley.core.model.address import Conversation
from parley.core.model.options import BusyPolicy, ChannelOptions
from parley.core.ports.journal import DocumentRepository, iter_documents, update_document
from parley.core.ports.pubsub import NULL_NOTIFIER, Notifier
from parley.core.state.conversations import CONVERSATION_PREFIX, decode_conversation

_KEY = "busy/chosen"
_TOPIC = "busy"
_YES, _NO = "yes", "no"


class BusyPolicyCache:
    """Looks a conversation's choice up where there may be one; found out at the first question."""

    def __init__(self, documents: DocumentRepository, news: Notifier = NULL_NOTIFIER) -> None:
        self._documents = documents
        self._news = news
        self._any: bool | None = None
        self._doubts = 0
        self._looking: asyncio.Task[None] | None = None
        news.subscribe(_TOPIC, self)

    def on_message(self, text: str) -> None:
        """Somebody chose, on another node."""
        self._doubts += 1
        self._any = True

    def on_gap(self) -> None:
        """Look again: perhaps somebody did."""
        self._doubts += 1
        self._any = self._any or None

    async def get(self, options: ChannelOptions, conversation: Conversation) -> BusyPolicy:
        """Return the way of a conversation: what was chosen there, else its channel's.

        Raises StoreUnavailable.
        """
        while self._any is None:
            await self._found_out()
        return (
            await load_busy_policy(self._documents, options, conversation) if self._any else options.when_busy
        )

    async def enable(self) -> None:
        """Somebody is about to choose: from now on everybody looks. Raises StoreUnavailable."""
        await self._note(_YES)
        self._any = True
        await self._news.publish(_TOPIC, "")

    async def _found_out(self) -> None:
        """Look once for all who ask in the same moment: after a start that may be thousands."""
        if self._looking is None:
            # For everybody, so under nobody's tenure.
            self._looking = asyncio.create_task(self._look(), context=Context())
            self._looking.add_done_callback(self._looked)
        await asyncio.shield(self._looking)

    async def _look(self) -> None:
        doubts = self._doubts
        chosen = await self._was_chosen()
        if doubts == self._doubts:  # else somebody may have chosen since it was read
            self._any = chosen

    def _looked(self, looking: asyncio.Task[None]) -> None:
        self._looking = None
        if not looking.cancelled():
            looking.exception()  # told to those who asked, if they are still there

    async def _was_chosen(self) -> bool:
        known = (await self._documents.get(_KEY)).body
        if not known:  # a store from before this was noted
            known = _NO
            async for document in iter_documents(self._documents, CONVERSATION_PREFIX):
                if decode_conversation(document).when_busy is not None:
                    known = _YES
                    break
            await self._note(known)
        return known == _YES

    async def _note(self, what: str) -> None:
        await update_document(
            self._documents, _KEY, lambda known: (None, None if known.body in (what, _YES) else what)
        )
