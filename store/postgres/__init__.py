"""The journal on PostgreSQL: any number of nodes, one database, batched writes."""

from store.postgres.journal import PostgresStore

__all__ = ["PostgresStore"]
