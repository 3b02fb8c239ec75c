"""A store that can be stopped before any of its writes, as a kill would, or as a slow disk for a while."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field

from parley.core.ports.journal import Document
from parley.store.sqlite import SqliteStore

WRITES = ("put", "note", "done", "retry", "bury", "cancel", "set", "delete", "tally")


@dataclass
class Gate:
    """Lets so many writes through, and then none, until it is opened; documents under `free` always."""

    left: float = math.inf
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    free: str = "\0"

    async def pass_(self, written: object) -> None:
        if isinstance(written, Document) and written.key.startswith(self.free):
            return
        if self.left <= 0:
            self.stopped.set()
            await self.opened.wait()
        self.left -= 1


def stopping(gate: Gate) -> type[SqliteStore]:
    """A store that asks the gate before each write."""

    def asks_first(name: str) -> object:
        async def write(self: SqliteStore, *args: object, **kwargs: object) -> object:
            await gate.pass_(args[0] if args else None)
            return await getattr(SqliteStore, name)(self, *args, **kwargs)

        return write

    return type("Stopping", (SqliteStore,), {"__slots__": ()} | {name: asks_first(name) for name in WRITES})
