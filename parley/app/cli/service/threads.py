"""`parley threads`: conversations and their LangGraph threads."""

from __future__ import annotations

import argparse
import heapq
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from parley.app.cli.load_config import load_config
from parley.app.durations import format_duration
from parley.app.process.event_loop import run_loop
from parley.app.settings.load import LoadedSettings
from parley.app.storage.store import ReadOnlyStore, database_path, is_new_store, open_store_read_only
from parley.core.model.address import Conversation
from parley.core.model.queues import TURNS, turn_queue_of
from parley.core.ports.journal import Document, iter_documents
from parley.core.state.conversations import CONVERSATION_PREFIX, ConversationRecord, ConversationRepository
from parley.core.state.readable_documents import decode_readable

_LAST_AT = re.compile(r'"last_at":(\d{1,20}(?:\.\d{1,20})?)')
"""Where a record says when it was answered last: to read all of each takes thirty times as long."""
_TURNS = f"{TURNS}/"
_NEWEST = 2**62
_PAGE = 500
_SLICE, _SLICES = 1000, 50
"""Messages that one look back sees, and how many looks there are."""


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
    run_loop(_print_all(loaded) if arguments.all else _print_newest(loaded, max(arguments.limit, 1)))
    return 0


async def _print_newest(loaded: LoadedSettings, limit: int) -> None:
    async with open_store_read_only(loaded) as look:
        rows, more = await read_newest(look, limit)
    _print(rows)
    if more:
        print(f"... and more: --limit {2 * limit}, or --all by name")


async def _print_all(loaded: LoadedSettings) -> None:
    """Print a page at a time, by name: nobody waits for the last of a million, and none is kept."""
    async with open_store_read_only(loaded) as look:
        page: Sequence[Document] = await look.list(CONVERSATION_PREFIX, _PAGE)
        conversations = await ConversationRepository.open(look) if page else None
        widths: list[int] = []
        while conversations is not None and page:
            rows = [await _row(look, conversations, *each) for each in _readable(page)]
            _print(rows, widths)
            page = await look.list(CONVERSATION_PREFIX, _PAGE, page[-1].key)
        if not widths:
            _print([])


async def read_newest(look: ReadOnlyStore, limit: int) -> tuple[list[ConversationRow], bool]:
    """Return the conversations that something was said in last, and whether there are more.

    They are found by the newest messages. Where those name too few, all conversations are gone through.
    """
    talked = await _talked_in_last(look, limit + 1)
    if len(talked) > limit:
        newest = [await look.get(f"{CONVERSATION_PREFIX}{key}") for key in talked[:limit]]
        more = True
    else:
        newest, number = await _newest_of_all(look, limit)
        more = number > len(newest)
    if not newest:
        return [], False
    conversations = await ConversationRepository.open(look)
    return [await _row(look, conversations, *each) for each in _readable(newest)], more


async def _talked_in_last(look: ReadOnlyStore, number: int) -> Sequence[str]:
    """Return so many conversations of the newest messages, fewer where a long way back names no more."""
    found, before = dict[str, None](), _NEWEST
    for _ in range(_SLICES):
        said = await look.lanes_before(before, _SLICE)
        for _, queue, lane in said:
            if queue.startswith(_TURNS) and lane not in found and (await _is_kept(look, lane)):
                found[lane] = None
                if len(found) == number:
                    return list(found)
        if not said:
            break
        before = said[-1][0]
    return list(found)


async def _is_kept(look: ReadOnlyStore, lane: str) -> bool:
    return bool((await look.get(f"{CONVERSATION_PREFIX}{lane}")).version)


async def _newest_of_all(look: ReadOnlyStore, limit: int) -> tuple[list[Document], int]:
    """Go through all of them and keep as many as are shown."""
    newest: list[tuple[float, int, Document]] = []
    number = 0
    async for document in iter_documents(look, CONVERSATION_PREFIX):
        number += 1
        found = _LAST_AT.search(document.body)
        entry = (float(found[1]) if found else 0.0, -number, document)
        if len(newest) < limit:
            heapq.heappush(newest, entry)
        elif entry > newest[0]:
            heapq.heapreplace(newest, entry)
    return [document for _, _, document in sorted(newest, reverse=True)], number


def _readable(documents: Iterable[Document]) -> Iterator[tuple[ConversationRecord, Document]]:
    for document in documents:
        record = decode_readable(ConversationRecord, document)
        if record is not None:
            yield record, document


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


def _print(rows: list[ConversationRow], widths: list[int] | None = None) -> None:
    """Print a page. Empty `widths` are set by the first page, which has the heading."""
    widths = [] if widths is None else widths
    if not rows and not widths:
        print("No conversation has been answered yet.")
        return
    now = time.time()
    table = [] if widths else [("CONVERSATION", "THREAD", "STATE", "LAST", "TITLE")]
    table += [(row.key, row.thread, row.state, _age(now, row.last_at), row.title) for row in rows]
    widths[:] = widths or [max(len(line[column]) for line in table) for column in range(4)]
    for line in table:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        print("  ".join([*cells, line[4][:60]]).rstrip())


def _age(now: float, then: float) -> str:
    if not then:
        return "-"
    return format_duration(now - then)
