"""`parley threads`: conversations and their LangGraph threads."""

from __future__ import annotations

import argparse
import heapq
import re
import time
from dataclasses import dataclass

from parley.app.cli.load_config import load_config
from parley.app.durations import format_duration
from parley.app.process.event_loop import run_loop
from parley.app.settings.load import LoadedSettings
from parley.app.storage.store import ReadOnlyStore, database_path, is_new_store, open_store_read_only
from parley.core.model.address import Conversation
from parley.core.model.queues import turn_queue_of
from parley.core.ports.journal import Document, iter_documents
from parley.core.state.conversations import CONVERSATION_PREFIX, ConversationRecord, ConversationRepository
from parley.core.state.readable_documents import decode_readable

_LAST_AT = re.compile(r'"last_at":(\d{1,20}(?:\.\d{1,20})?)')
"""Where a record says when it was answered last: to read all of each takes thirty times as long."""


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation as it is listed; `last_at` is 0 where nothing was answered yet."""

    key: str
    thread: str
    state: str
    last_at: float
    title: str


def run(arguments: argparse.Namespace) -> int:
    """Print a table, the newest activity first; a running Parley is not disturbed."""
    loaded = load_config(arguments.config, arguments.verbose)
    if is_new_store(loaded):
        print(f"No conversations yet: there is no {database_path(loaded)}. Start with: make run")
        return 0
    rows, number = run_loop(_rows(loaded, arguments.limit))
    _print(rows)
    if number > len(rows):
        print(f"... and {number - len(rows)} more: --limit {number}")
    return 0


async def _rows(loaded: LoadedSettings, limit: int) -> tuple[list[ConversationRow], int]:
    """Return the conversations with the newest activity, and how many there are."""
    async with open_store_read_only(loaded) as look:
        newest, number = await _newest(look, limit)
        if not number:
            return [], 0
        conversations = await ConversationRepository.open(look)
        read = [(decode_readable(ConversationRecord, each), each) for each in newest]
        rows = [await _row(look, conversations, record, each) for record, each in read if record is not None]
    return rows, number


async def _newest(look: ReadOnlyStore, limit: int) -> tuple[list[Document], int]:
    """Go through all of them and keep as many as are shown: there may be a million."""
    newest: list[tuple[float, int, Document]] = []
    number = 0
    async for document in iter_documents(look, CONVERSATION_PREFIX):
        number += 1
        found = _LAST_AT.search(document.body)
        entry = (float(found[1]) if found else 0.0, -number, document)
        if len(newest) < limit:
            heapq.heappush(newest, entry)
        elif newest and entry > newest[0]:
            heapq.heapreplace(newest, entry)
    return [document for _, _, document in sorted(newest, reverse=True)], number


async def _row(
    look: ReadOnlyStore, conversations: ConversationRepository, record: ConversationRecord, document: Document
) -> ConversationRow:
    key = document.key.removeprefix(CONVERSATION_PREFIX)
    conversation = Conversation.parse(key)
    waiting = len(await look.waiting(turn_queue_of(conversation), key))
    resting = "asks a question" if record.question else "idle"
    thread = conversations.thread_id(conversation, record)
    state = f"{waiting} unfinished" if waiting else resting
    return ConversationRow(key, thread, state, record.last_at, " ".join(record.title.split()))


def _print(rows: list[ConversationRow]) -> None:
    if not rows:
        print("No conversation has been answered yet.")
        return
    now = time.time()
    table = [("CONVERSATION", "THREAD", "STATE", "LAST", "TITLE")]
    table += [(row.key, row.thread, row.state, _age(now, row.last_at), row.title) for row in rows]
    widths = [max(len(line[column]) for line in table) for column in range(4)]
    for line in table:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        print("  ".join([*cells, line[4][:60]]).rstrip())


def _age(now: float, then: float) -> str:
    if not then:
        return "-"
    return format_duration(now - then)
