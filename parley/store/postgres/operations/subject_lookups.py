"""Looking for whom rows are about; and the index of older rows, made by whichever node gets to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from parley.core.ports.journal import Document
from parley.core.ports.store_admin import StoredItemPage
from parley.store.postgres.execution.call_merging import SqlCall
from parley.store.postgres.operations import item_search, subject_index
from parley.store.postgres.operations.subject_index import INDEXED_TABLES, IndexedTable
from parley.store.rows import Row, parse_documents, parse_documents_of_hours, parse_stored_items

Send: TypeAlias = Callable[[SqlCall], Awaitable[list[Row]]]


async def search_items(
    schema: str,
    read: Send,
    words: Sequence[str],
    lanes: Sequence[str],
    after: int,
    names: Sequence[str],
    now: float | None,
) -> StoredItemPage:
    """Return the next slice of what a search is for; see core.ports.store_admin. Raises StoreUnavailable."""
    if names and await _is_whole(schema, read):
        ids = (await read(subject_index.items_about_call(schema, (*names, *lanes), after)))[0][0]
        if not ids:
            return StoredItemPage((), after, more=False)
        rows = await read(item_search.select_call(schema, words, lanes, ids, now))
        return StoredItemPage(parse_stored_items(rows), ids[-1], more=len(ids) == subject_index.SLICE)
    last = (await read(item_search.last_call(schema, after)))[0][0]
    if last is None:
        return StoredItemPage((), after, more=False)
    rows = await read(item_search.search_call(schema, words, lanes, after, last, now))
    return StoredItemPage(parse_stored_items(rows), last, more=True)


async def find_documents(
    schema: str, read: Send, names: Sequence[str], prefix: str, limit: int, after: str
) -> Sequence[Document] | None:
    """Return a page of the documents about one of `names`; None while the index is not whole.

    Raises StoreUnavailable.
    """
    if not await _is_whole(schema, read):
        return None
    call = subject_index.documents_about_call(schema, names, prefix, limit, after)
    return parse_documents(await read(call))


async def documents_until(
    schema: str, read: Send, hour: int, prefix: str, limit: int, after: tuple[int, str]
) -> Sequence[tuple[int, Document]] | None:
    """Return a page of the documents up to an hour; None while the index is not whole.

    Raises StoreUnavailable.
    """
    if not await _is_whole(schema, read):
        return None
    call = subject_index.documents_until_call(schema, hour, prefix, limit, after)
    return parse_documents_of_hours(await read(call))


async def _is_whole(schema: str, read: Send) -> bool:
    return bool((await read(subject_index.is_whole_call(schema)))[0][0])


async def index_next_rows(schema: str, read: Send, write: Send) -> bool:
    """Index some rows that are not indexed yet; False where there are none left. Raises StoreUnavailable."""
    for table in INDEXED_TABLES:
        rows = await read(table.brought(schema))
        if rows:
            await write(table.index(schema, rows))
            return True
        if await _walk_on(table, schema, read, write):
            return True
    return False


async def _walk_on(table: IndexedTable, schema: str, read: Send, write: Send) -> bool:
    for (position,) in await read(table.walk(schema)):
        rows = await read(table.following(schema, position))
        await write(table.index(schema, rows))
        await write(table.move(schema, rows))
        return bool(rows)
    return False
