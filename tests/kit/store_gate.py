"""A store that can be stopped before any of its writes, as a kill would."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field

from parley.store.sqlite import SqliteStore

WRITES = ("put", "note", "done", "retry", "bury", "cancel", "set", "delete", "tally")


@dataclass
class Gate:
    """Lets so many writes through, and then none."""

    left: float = math.inf
    stopped: asyncio.Event = field(default_factory=asyncio.Event)

    async def pass_(self) -> None:
        if self.left <= 0:
            self.stopped.set()
            await asyncio.Event().wait()
        self.left -= 1


def stopping(gate: Gate) -> type[SqliteStore]:
    """A store that asks the gate before each write."""

    def asks_first(name: str) -> object:
        async def write(self: SqliteStore, *args: object, **kwargs: object) -> object:
            await gate.pass_()
            return await getattr(SqliteStore, name)(self, *args, **kwargs)

        return write

    return type("Stopping", (SqliteStore,), {"__slots__": ()} | {name: asks_first(name) for name in WRITES})
