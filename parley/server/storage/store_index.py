"""How items of the store are found by meaning."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from parley.core.model.errors import ConfigError

_log = logging.getLogger(__name__)

NO_VECTORS = "this Python's SQLite cannot load its extension for vectors"


def takes_vectors() -> bool:
    """Return whether this Python's SQLite loads extensions: some are built without."""
    return hasattr(sqlite3.Connection, "enable_load_extension")


def _nothing() -> None:
    return None


def no_index() -> None:
    """Return nothing: items are not found by meaning."""


@dataclass(frozen=True, slots=True)
class StoreIndex:
    """How items are found by meaning, as `store.index` of a langgraph.json says.

    `embed` makes a vector of each text, of `dims` numbers (0: of any), and may raise anything; `name` is that
    of its model. `fields` are the paths of what is embedded, "$" for the whole value. `close` ends it. An
    `optional` one is left out where the database keeps no vectors.
    """

    embed: Callable[[Sequence[str]], Awaitable[Sequence[Sequence[float]]]]
    name: str
    dims: int = 0
    fields: tuple[str, ...] = ("$",)
    close: Callable[[], None] = _nothing
    optional: bool = False

    @property
    def identity(self) -> str:
        """What vectors of one index have in common."""
        return f"{self.name}\n{self.dims}"


def usable_index(index: StoreIndex | None, lacking: str) -> StoreIndex | None:
    """Return the index where nothing is `lacking` for it; an optional one is left out, which the log says.

    Raises ConfigError.
    """
    if index is None or not lacking:
        return index
    index.close()
    if not index.optional:
        raise ConfigError(f"agent_server.store_index: {lacking}; leave it empty")
    _log.warning("langgraph.json: store.index does nothing here: %s", lacking)
    return None
