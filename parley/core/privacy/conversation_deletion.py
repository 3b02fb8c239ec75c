"""A conversation that its person deleted: its words go from the store and from the agent's threads too.

That is durable work: an answer that is being written there, and an agent server that is away, are waited for.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from parley.core.dead_letters import POISON_REASON, bury_items
from parley.core.delivery.delivery import backoff
from parley.core.flow_control.quarantine import Quarantine
from parley.core.flow_control.semaphore import CountingSemaphore
from parley.core.hitl.records import QUESTION_PREFIX as QUESTION
from parley.core.hitl.records import QuestionEventKind, QuestionRecord, event_item
from parley.core.model.address import Conversation
from parley.core.model.codec import decode, encode
from parley.core.model.errors import AgentError, LaneLost, StoreUnavailable
from parley.core.model.queues import CLEARING
from parley.core.ports.journal import Claim, Document, Journal, NewQueueItem, log_store_failure
from parley.core.ports.memory.past_turns import NO_PAST_TURNS, PastTurns
from parley.core.ports.store_admin import StoreAdmin, StoredItem
from parley.core.ports.subject_index import iter_about
from parley.core.privacy.conversations import PersonConversation, thread_ids
from parley.core.privacy.queue_items import item_folders, remove_folders
from parley.core.privacy.sources import AgentThreads
from parley.core.state.conversations import ConversationRepository
from parley.core.state.feedback import delete_feedback_in
from parley.core.state.heard_messages import heard_document_key
from parley.core.state.sent_messages import sent_document_key

log = logging.getLogger(__name__)

_IDLE_LOOK = 30.0
_STORE_PAUSE = 2.0
_BUSY_PAUSE = 2.0
_AWAY_PAUSE = 3600.0
_TRIES = 100
"""Some days of an agent server that is away; then the operator is told."""


@dataclass(frozen=True, slots=True)
class _Wish:
    conversation: Conversation


async def schedule_deletion(journal: Journal, conversation: Conversation) -> None:
    """Let a conversation's words go, soon; durable on return. Raises StoreUnavailable."""
    await journal.put(NewQueueItem(CLEARING, conversation.key, encode(_Wish(conversation))))


class ConversationDeletion:
    """Works what `clear_later` puts. `files` is the folder for attachments."""

    def __init__(
        self,
        archive: StoreAdmin,
        threads: AgentThreads,
        conversations: ConversationRepository,
        files: Path,
        quarantine: Quarantine | None = None,
        past_turns: PastTurns = NO_PAST_TURNS,
    ) -> None:
        self._archive = archive
        self._past_turns = past_turns
        self._threads = threads
        self._conversations = conversations
        self._files = files
        self._quarantine = quarantine or Quarantine()
        self._slots = CountingSemaphore(1)

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            try:
                claims = await self._archive.claim(CLEARING, 1)
                for claim in claims:
                    await self._work_or_try(claim)
                if not claims:
                    await self._archive.wait(CLEARING, _IDLE_LOOK)
            except LaneLost:
                continue
            except StoreUnavailable as error:
                log_store_failure(log.warning, "deleted conversations wait: %s", error)
                await asyncio.sleep(_STORE_PAUSE)

    async def _work_or_try(self, claim: Claim) -> None:
        if not self._quarantine.holds(claim):
            await self._work(claim)
            return
        async with self._quarantine.trial(self._archive, claim, self._slots):
            if self._quarantine.is_poison(claim):
                reason = POISON_REASON.format(claim.crashes, claim.trials)
                await bury_items(self._archive, claim, claim.items[:1], f"not erased everywhere: {reason}")
            else:
                await self._work(claim)

    async def _work(self, claim: Claim) -> None:
        head = claim.items[0]
        conversation = decode(_Wish, head.body).conversation
        try:
            cleared = await self._clear(conversation, head.id)
            if cleared:
                await self._archive.done(claim, [head])
            else:
                await self._archive.retry(claim, _BUSY_PAUSE)
        except (AgentError, OSError) as error:
            log.warning("%s: what was deleted there is not gone yet: %s", conversation.key, error)
            if head.attempts < _TRIES:
                await self._archive.retry(claim, min(backoff(head.attempts) * 4, _AWAY_PAUSE))
            else:
                await bury_items(self._archive, claim, [head], f"not erased everywhere: {error}")

    async def _clear(self, conversation: Conversation, before: int) -> bool:
        """Remove what was there when item `before` was put; False while a turn is under way there."""
        asked = [each async for each in self._questions(conversation)]
        lanes = [conversation.key, *(lane for record, _ in asked for lane in _lanes(record))]
        found = [each async for each in self._items(conversation, lanes, before)]
        if any(each.in_hand for each in found):
            return False
        await self._end_threads(conversation)
        for record, document in asked:
            await remove_folders([self._files / record.question.id])
            await self._archive.delete(document.key)
        await self._archive.delete(heard_document_key(conversation))
        await self._archive.delete(sent_document_key(conversation))
        await delete_feedback_in(self._archive, conversation.key)
        await self._past_turns.erase_conversation(conversation.key)
        gone = await self._remove(found)
        if gone:
            await self._archive.delete((await self._conversations.read(conversation))[1].key)
        return gone

    async def _end_threads(self, conversation: Conversation) -> None:
        record, document = await self._conversations.read(conversation)
        for thread in thread_ids(
            self._conversations, PersonConversation(conversation, record, document, alone=True)
        ):
            await self._threads.forget(thread)

    async def _remove(self, found: Sequence[StoredItem]) -> bool:
        """Return whether all of it is gone, with the files of its turns."""
        items = [each.item for each in found]
        for item in items:
            await remove_folders(item_folders(self._conversations, self._files, item))
        gone = await self._archive.remove([item.id for item in items])
        return len(gone) == len(items)

    async def _items(
        self, conversation: Conversation, lanes: Sequence[str], before: int
    ) -> AsyncIterator[StoredItem]:
        """Yield all work of a conversation: messages, turns, presses, what services are to be told of those,
        and turns that memory learns from.
        """
        words = [encode(conversation), f'"conversation":{json.dumps(conversation.key, ensure_ascii=False)}']
        after, more = 0, True
        while more and after < before:
            page = await self._archive.search(words, lanes, after, (conversation.key,))
            after, more = page.after, page.more
            for kept in page.items:
                if kept.item.id < before and kept.item.queue != CLEARING:
                    yield kept

    async def _questions(self, conversation: Conversation) -> AsyncIterator[tuple[QuestionRecord, Document]]:
        async for document in iter_about(self._archive, (conversation.key,), QUESTION):
            record = decode(QuestionRecord, document.body)
            if record.conversation == conversation.key:
                yield record, document


def _lanes(record: QuestionRecord) -> Sequence[str]:
    """Return where what happens to a question waits, or waited."""
    timed = [
        event_item(record, each, 1.0).lane for each in (QuestionEventKind.REMIND, QuestionEventKind.EXPIRE)
    ]
    return (record.turn, event_item(record, QuestionEventKind.ASK).lane, *timed)
