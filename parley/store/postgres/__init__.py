"""The journal on PostgreSQL: any number of nodes, one database, batched writes."""

from parley.store.postgres.copy_endpoint import open_postgres_endpoint
from parley.store.postgres.database.connection import check_database
from parley.store.postgres.database.diagnosis import (
    postgres_statistics,
    postgres_waiting,
    probe_postgres,
)
from parley.store.postgres.database.error_mapping import redacted_address
from parley.store.postgres.journal import PostgresStore

__all__ = [
    "PostgresStore",
    "check_database",
    "open_postgres_endpoint",
    "postgres_statistics",
    "postgres_waiting",
    "probe_postgres",
    "redacted_address",
]
