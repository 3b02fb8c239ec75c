"""What is in a Parley's database, for who looks for traces."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
from psycopg import sql


def postgres_rows(url: str, schema: str = "parley") -> Iterator[str]:
    """Every row of every table, as text with its table's name in front."""
    with psycopg.connect(url, autocommit=True) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [schema])
        for (table,) in tables.fetchall():
            name = sql.Identifier(schema, table)
            for row in connection.execute(sql.SQL("SELECT * FROM {}").format(name)):
                yield f"{table}: {row}"
