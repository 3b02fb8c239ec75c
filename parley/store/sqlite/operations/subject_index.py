"""Whom rows are about, and since when: looked up by an index that every write keeps; made for older rows."""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

from collections.abc import Callable, Sequence

from parley.core.ports.journal import Document
from parley.core.ports.store_admin import StoredItemPage
from parley.core.ports.subjects import document_subjects, item_subjects, subject_number
from parley.store.index_upkeep import INDEXED, INDEXED_CHARS
from parley.store.rows import Row, parse_documents, parse_documents_of_hours, parse_stored_items
from parley.store.sqlite.execution.reader import Reader
from parley.store.sqlite.execution.transaction import Transaction, Value, as_list
from parley.store.sqlite.operations import item_search, sql
from parley.store.sqlite.operations.documents import page_range
from parley.store.sqlite.operations.item_search import HELD

SLICE = 500
"""Rows looked up in one operation."""

_IS_WHOLE = """SELECT NOT EXISTS (SELECT 1 FROM index_walks) AND NOT EXISTS (SELECT 1 FROM unindexed_items)
    AND NOT EXISTS (SELECT 1 FROM unindexed_documents)"""
_ITEMS = """SELECT id FROM item_subjects WHERE subject IN (SELECT value FROM json_each(?)) AND id > ?
    ORDER BY id LIMIT ?"""
_LAST_ABOUT = f"SELECT max(id) FROM ({_ITEMS})"
_ITEMS_ABOUT = f"""SELECT {sql.ITEM}, state, reason, {HELD} FROM items WHERE id IN ({_ITEMS}) AND (%s)
    ORDER BY id"""
_DOCUMENTS_ABOUT = """SELECT key, body, version FROM documents WHERE key IN (SELECT key FROM document_subjects
    WHERE subject IN (SELECT value FROM json_each(?)) AND key >= ? AND key < ?) ORDER BY key LIMIT ?"""
_DOCUMENTS_UNTIL = """SELECT subject, documents.key, body, version FROM document_subjects
    CROSS JOIN documents ON documents.key = document_subjects.key
    WHERE (subject, document_subjects.key) > (?, ?) AND subject <= ?
    AND document_subjects.key >= ? AND document_subjects.key < ?
    ORDER BY subject, document_subjects.key LIMIT ?"""

_BROUGHT_ITEMS = """SELECT id, lane, body FROM items WHERE id IN (SELECT id FROM unindexed_items LIMIT ?)"""
_BROUGHT_DOCUMENTS = """SELECT key, key, body FROM documents
    WHERE key IN (SELECT key FROM unindexed_documents LIMIT ?)"""
_WALK = "SELECT position FROM index_walks WHERE name = ?"
_NEXT_ITEMS = """SELECT id, lane, CASE WHEN subjects IS NULL THEN body END FROM items WHERE id > ?
    ORDER BY id LIMIT ?"""
_NEXT_DOCUMENTS = """SELECT key, key, CASE WHEN subjects IS NULL THEN body END FROM documents WHERE key > ?
    ORDER BY key LIMIT ?"""
_MOVE = "UPDATE index_walks SET position = ? WHERE name = ?"
_END_WALK = "DELETE FROM index_walks WHERE name = ?"
_INDEX_ITEM = "UPDATE items SET subjects = ? WHERE id = ?"
_INDEX_DOCUMENT = "UPDATE documents SET subjects = ? WHERE key = ?"

_KINDS: tuple[tuple[str, str, str, str, Callable[[str, str], tuple[int, ...]]], ...] = (
    ("items", _BROUGHT_ITEMS, _NEXT_ITEMS, _INDEX_ITEM, item_subjects),
    ("documents", _BROUGHT_DOCUMENTS, _NEXT_DOCUMENTS, _INDEX_DOCUMENT, document_subjects),
)


async def search(
    reader: Reader, words: Sequence[str], lanes: Sequence[str], after: int, names: Sequence[str], now: float
) -> StoredItemPage:
    """Return the next slice of what a search is for; see core.ports.store_admin."""
    if not names or not await _is_whole(reader):
        return await item_search.search(reader, words, lanes, after, now)
    about = (_listed((*names, *lanes)), after, SLICE)
    last = (await reader.rows(_LAST_ABOUT, *about))[0][0]
    if last is None:
        return StoredItemPage((), after, more=False)
    wanted = item_search.build_filter(words, lanes)
    rows = await reader.rows(_ITEMS_ABOUT % wanted, now, *about, *words, *lanes)
    return StoredItemPage(parse_stored_items(rows), last, more=True)


async def documents_about(
    reader: Reader, names: Sequence[str], prefix: str, limit: int, after: str
) -> Sequence[Document]:
    """Return the next page of the documents about one of `names`, or of all while the index is not whole."""
    page = (*page_range(prefix, after), limit)
    if await _is_whole(reader):
        return parse_documents(await reader.rows(_DOCUMENTS_ABOUT, _listed(names), *page))
    return parse_documents(await reader.rows(sql.LIST, *page))


async def documents_until(
    reader: Reader, hour: int, prefix: str, limit: int, after: tuple[int, str]
) -> Sequence[tuple[int, Document]] | None:
    """Return the next page of the documents up to an hour; None while the index is not whole."""
    if not await _is_whole(reader):
        return None
    found = await reader.rows(_DOCUMENTS_UNTIL, *after, hour, *page_range(prefix, ""), limit)
    return parse_documents_of_hours(found)


async def _is_whole(reader: Reader) -> bool:
    return bool((await reader.rows(_IS_WHOLE))[0][0])


def _listed(names: Sequence[str]) -> str:
    return as_list([*map(subject_number, names)])


def index_slice(tx: Transaction) -> bool:
    """Index some rows that are not indexed yet; False where there are none left.

    It goes on where it was, also after a crash.
    """
    for name, brought, following, index, subjects in _KINDS:
        rows = _first(tx, brought, INDEXED)
        for place in tx.rows(_WALK, name) if not rows else ():
            rows = _first(tx, following, place[0], INDEXED)
            if rows:
                tx.change(_MOVE, rows[-1][0], name)
            else:
                tx.change(_END_WALK, name)
        for row, lane, body in rows:
            if body is not None:
                tx.change(index, as_list(subjects(lane, body)), row)
        if rows:
            return True
    return False


def _first(tx: Transaction, statement: str, *values: Value) -> list[Row]:
    """Return the first rows of a query, until their bodies are enough for one operation."""
    rows, size = list[Row](), 0
    for row in tx.connection.execute(statement, values):
        rows.append(row)
        size += len(row[2] or "")
        if size >= INDEXED_CHARS:
            break
    return rows
