"""Where the embedded agent server's state is, if several of them share it."""

from __future__ import annotations

from importlib import import_module

from parley.app.extras import require_extra
from parley.app.settings.schema.agent_server import OWN_STORE
from parley.app.settings.schema.model import Settings
from parley.core.model.errors import ConfigError
from parley.server.storage.interface import PostgresPlace


def shared_database(settings: Settings) -> PostgresPlace | None:
    """Return where the server's state is shared, None for a file. Raises ConfigError."""
    store, place = settings.store, settings.agent_server.database
    if not place:
        return None
    if place == OWN_STORE and store.embedded:
        raise ConfigError("agent_server.database: store is for store.url: postgresql://...; leave it out")
    with require_extra("postgres", "agent_server.database"):
        import_module("langgraph.checkpoint.postgres")
    # Its connections keep settings of their own: a pooler in transaction mode would mix them up.
    return PostgresPlace((store.listen_url or store.url) if place == OWN_STORE else place, lease=store.lease)
