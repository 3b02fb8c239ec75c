"""`parley threads`: conversations and their LangGraph threads."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

from parley.app.cli.load_config import load_config
from parley.app.durations import format_duration
from parley.app.process.event_loop import run_loop
from parley.app.settings.load import LoadedSettings
from parley.app.storage.store import ReadOnlyStore, database_path, is_new_store, open_store_read_only
from parley.core.model.address import Conversation
from parley.core.model.queues import turn_queue_of
from parley.core.ports.journal import Document
from parley.core.state.conversations import CONVERSATION_PREFIX, ConversationRecord, ConversationRepository
from parley.core.state.readable_documents import iter_readable


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
    rows = run_loop(_rows(loaded))
    _print(rows[: arguments.limit])
    if len(rows) > arguments.limit:
        print(f"... and {len(rows) - arguments.limit} more: --limit {len(rows)}")
    return 0


async def _rows(loaded: LoadedSettings) -> list[ConversationRow]:
    async with open_store_read_only(loaded) as look:
        found = [each async for each in iter_readable(look, ConversationRecord, CONVERSATION_PREFIX)]
        if not found:
            return []
        conversations = await ConversationRepository.open(look)
        rows = [await _row(look, conversations, *each) for each in found]
    return sorted(rows, key=lambda row: row.last_at, reverse=True)


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
