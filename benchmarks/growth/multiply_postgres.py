"""The PostgreSQL of growth.multiply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import TupleRow


@dataclass(frozen=True, slots=True)
class PostgresEngine:
    """A database with the schema "parley"."""

    connection: psycopg.Connection[TupleRow]
    tables: Sequence[str] = (
        *("lanes", "items", "ended_items", "names", "dated_names", "documents", "tallies"),
    )
    subjects_as_text: str = "f.subjects::text"
    subjects_from_text: str = "r.becomes::bigint[]"

    @classmethod
    def open(cls, url: str) -> PostgresEngine:
        """Open a database; a commit does not wait for the disk."""
        options = "-c search_path=parley,pg_temp -c synchronous_commit=off -c work_mem=128MB"
        return cls(psycopg.connect(url, options=options))

    def execute(self, statement: str, values: Sequence[object] = ()) -> None:
        self.connection.execute(statement.replace("%", "%%").replace("?", "%s").encode(), values)

    def insert(self, table: str, rows: Iterator[tuple[object, ...]]) -> None:
        with self.connection.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN".encode()) as copy:
            for row in rows:
                copy.write_row(row)
        self.execute(f"ANALYZE {table}")

    def columns(self, table: str) -> Sequence[tuple[str, bool]]:
        found = self.connection.execute(
            "SELECT column_name, data_type = 'text' FROM information_schema.columns"
            " WHERE table_schema = 'parley' AND table_name = %s AND is_identity = 'NO'"
            " AND is_generated = 'NEVER' ORDER BY ordinal_position",
            (table,),
        )
        return [(str(name), bool(is_text)) for name, is_text in found]

    def about(self, subject: int) -> str:
        return f"{{{subject}}}"

    def commit(self) -> None:
        self.connection.commit()

    def index(self) -> None:
        """Index what is done: other rows are by triggers."""
        self.connection.execute("DELETE FROM ended_subjects")
        self.connection.execute(
            "INSERT INTO ended_subjects SELECT unnest(subjects), id, day FROM ended_items ORDER BY id"
        )
