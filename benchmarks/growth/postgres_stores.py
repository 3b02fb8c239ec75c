"""Databases of several sizes on the benchmark's server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

import psycopg

from benchmarks.growth.multiply import multiply
from benchmarks.growth.multiply_postgres import PostgresEngine
from benchmarks.kit.node_processes import Use
from benchmarks.kit.postgres_server import Server

_SEED = "seed"


@dataclass(slots=True)
class PostgresStores:
    """See growth.measure.Stores."""

    server: Server
    name: str = "PostgreSQL"

    def empty(self) -> str:
        return self.server.fresh(_SEED)

    def grown(self, conversations: int, say: Callable[[int], None]) -> tuple[str, float]:
        url = self.server.copy(_SEED, f"store{conversations}")
        engine = PostgresEngine.open(url)
        with closing(engine.connection):
            multiply(engine, conversations, say)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
            # What is not on disk yet would be written under the first turns, and their commits wait for it.
            connection.execute("CHECKPOINT")
            row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        assert row is not None
        return url, row[0] / 1e6

    def use(self, where: str) -> Use:
        return self.server.use(where)

    def remove(self, where: str) -> None:
        self.server.drop(where)
