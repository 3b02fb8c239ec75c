"""`parley threads`: conversations and their LangGraph threads."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

from parley.app.ages import age
from parley.app.cli.configured import configured
from parley.app.runner import run_loop
from parley.app.settings.load import Loaded
from parley.app.store import Peek, database, is_new, peek
from parley.core.conversations import PREFIX, ConversationRecord, Conversations
from parley.core.journal import Document
from parley.core.queues import turns
from parley.core.readable import readable
from parley.core.types import Conversation


@dataclass(frozen=True, slots=True)
class Row:
    """A conversation as it is listed; `last_at` is 0 where nothing was answered yet."""

    key: str
    thread: str
    state: str
    last_at: float
    title: str


def run(arguments: argparse.Namespace) -> int:
    """Print a table, the newest activity first; a running Parley is not disturbed."""
    loaded = configured(arguments.config, arguments.verbose)
    if is_new(loaded):
        print(f"No conversations yet: there is no {database(loaded)}. Start with: make run")
        return 0
    rows = run_loop(_rows(loaded))
    _print(rows[: arguments.limit])
    if len(rows) > arguments.limit:
        print(f"... and {len(rows) - arguments.limit} more: --limit {len(rows)}")
    return 0


async def _rows(loaded: Loaded) -> list[Row]:
    async with peek(loaded) as look:
        found = [each async for each in readable(look, ConversationRecord, PREFIX)]
        if not found:
            return []
        conversations = await Conversations.open(look)
        rows = [await _row(look, conversations, *each) for each in found]
    return sorted(rows, key=lambda row: row.last_at, reverse=True)


async def _row(
    look: Peek, conversations: Conversations, record: ConversationRecord, document: Document
) -> Row:
    key = document.key.removeprefix(PREFIX)
    conversation = Conversation.parse(key)
    waiting = len(await look.waiting(turns(conversation), key))
    resting = "asks a question" if record.question else "idle"
    thread = conversations.thread_id(conversation, record)
    state = f"{waiting} unfinished" if waiting else resting
    return Row(key, thread, state, record.last_at, " ".join(record.title.split()))


def _print(rows: list[Row]) -> None:
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
    return age(now - then)
