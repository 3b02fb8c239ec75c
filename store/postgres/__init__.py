"""The journal on PostgreSQL: any number of nodes, one database, batched writes."""

from store.postgres.connection import checked
from store.postgres.copying import postgres_side
from store.postgres.journal import PostgresStore
from store.postgres.trouble import place_of

__all__ = ["PostgresStore", "checked", "place_of", "postgres_side"]
