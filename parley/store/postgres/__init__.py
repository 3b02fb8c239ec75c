"""The journal on PostgreSQL: any number of nodes, one database, batched writes."""

from parley.store.postgres.connection import checked
from parley.store.postgres.copying import postgres_side
from parley.store.postgres.journal import PostgresStore
from parley.store.postgres.trouble import place_of

__all__ = ["PostgresStore", "checked", "place_of", "postgres_side"]
