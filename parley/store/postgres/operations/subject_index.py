"""Whom rows are about: looked up by the index, which is made for older rows a slice at a time."""

# ruff: noqa: S608  (built from the constants of this file and a checked schema name)

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parley.core.ports.subjects import document_subjects, item_subjects, subject_number
from parley.store.index_upkeep import INDEXED, INDEXED_CHARS
from parley.store.postgres.execution.call_merging import SqlCall
from parley.store.rows import Row

SLICE = 500
"""Rows looked up in one operation."""

_HIGHEST = chr(0x10FFFF)


def as_array(numbers: Sequence[int]) -> str:
    """Return numbers as the server's functions take them."""
    return f"{{{','.join(map(str, numbers))}}}"


def is_whole_call(schema: str) -> SqlCall:
    """Return whether every row is in the index."""
    return SqlCall(f"SELECT {schema}.is_index_whole()", ())


def items_about_call(schema: str, names: Sequence[str], after: int) -> SqlCall:
    """Return the ids of the next slice of items about one of `names`."""
    return SqlCall(
        f"SELECT {schema}.items_about(%s::bigint[], %s::bigint, %s::bigint)", (_numbers(names), after, SLICE)
    )


def documents_about_call(schema: str, names: Sequence[str], prefix: str, limit: int, after: str) -> SqlCall:
    """Return the next page of documents about one of `names`."""
    values = (_numbers(names), prefix, prefix + _HIGHEST, after, limit)
    return SqlCall(f"SELECT * FROM {schema}.documents_about(%s::bigint[], %s, %s, %s, %s::bigint)", values)


def documents_until_call(schema: str, hour: int, prefix: str, limit: int, after: tuple[int, str]) -> SqlCall:
    """Return the next page of documents up to an hour, each with its hour."""
    values = (*after, hour, prefix, prefix + _HIGHEST, limit)
    statement = f"SELECT * FROM {schema}.documents_until(%s::bigint, %s, %s::bigint, %s, %s, %s::bigint)"
    return SqlCall(statement, values)


@dataclass(frozen=True, slots=True)
class IndexedTable:
    """A table of which older rows are indexed; `subjects` are those of a row's lane or key, and its body."""

    name: str
    key: str
    lane: str
    kind: str
    subjects: Callable[[str, str], tuple[int, ...]]

    def brought(self, schema: str) -> SqlCall:
        """Return rows that an older node wrote."""
        return SqlCall(
            _first(
                f"""SELECT {self.key} AS id, {self.lane} AS lane, body FROM {schema}.{self.name}
                WHERE {self.key} = ANY (ARRAY(
                SELECT {self.key} FROM {schema}.unindexed_{self.name} LIMIT %s))"""
            ),
            (INDEXED, INDEXED_CHARS),
        )

    def walk(self, schema: str) -> SqlCall:
        """Return how far the older rows were walked through; no row where that is over."""
        return SqlCall(f"SELECT position FROM {schema}.index_walks WHERE name = %s", (self.name,))

    def following(self, schema: str, position: str) -> SqlCall:
        """Return the next rows of the walk; a body only where it is not indexed."""
        return SqlCall(
            _first(
                f"""SELECT {self.key} AS id, {self.lane} AS lane,
                CASE WHEN subjects IS NULL THEN body END AS body
                FROM {schema}.{self.name} WHERE {self.key} > %s::{self.kind} ORDER BY {self.key} LIMIT %s"""
            ),
            (position, INDEXED, INDEXED_CHARS),
        )

    def index(self, schema: str, rows: Sequence[Row]) -> SqlCall:
        """Index rows as they were read; what was written since then has been indexed by its writer."""
        found = [
            (row, body, as_array(self.subjects(lane, body))) for row, lane, body in rows if body is not None
        ]
        statement = f"""WITH given AS (SELECT * FROM unnest(%s::text[], %s::text[], %s::text[]) g (k, b, s)),
            indexed AS (UPDATE {schema}.{self.name} t SET subjects = g.s::bigint[] FROM given g
            WHERE t.{self.key} = g.k::{self.kind} AND t.subjects IS DISTINCT FROM g.s::bigint[]
            AND t.body = g.b RETURNING 1)
            SELECT count(*) FROM indexed"""
        return SqlCall(
            statement, ([str(row) for row, _, _ in found], [b for _, b, _ in found], [s for _, _, s in found])
        )

    def move(self, schema: str, rows: Sequence[Row]) -> SqlCall:
        """Note how far the walk is, or that it is over."""
        if not rows:
            return SqlCall(f"DELETE FROM {schema}.index_walks WHERE name = %s RETURNING 1", (self.name,))
        return SqlCall(
            f"UPDATE {schema}.index_walks SET position = %s WHERE name = %s RETURNING 1",
            (str(rows[-1][0]), self.name),
        )


INDEXED_TABLES = (
    IndexedTable("items", "id", "lane", "bigint", item_subjects),
    IndexedTable("documents", "key", "key", "text", document_subjects),
)


def _first(rows: str) -> str:
    """Return the first of some rows, in order, until their bodies are enough for one operation."""
    return f"""SELECT id, lane, body FROM (SELECT id, lane, body, sum(octet_length(body)) OVER (ORDER BY id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM ({rows}) r) s
        WHERE before IS NULL OR before < %s ORDER BY id"""


def _numbers(names: Sequence[str]) -> list[int]:
    return [*map(subject_number, dict.fromkeys(names))]
