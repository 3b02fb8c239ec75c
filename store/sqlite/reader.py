"""One thread that reads what is committed, beside the one that writes."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from bridge.errors import StoreUnavailable
from store.breather import Breather
from store.sqlite.transaction import Row, Value


class Reader:
    """Runs single queries off the event loop."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        explain: Callable[[sqlite3.Error], StoreUnavailable],
        breather: Breather,
    ) -> None:
        self._connection = connection
        self._explain = explain
        self._breather = breather
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="parley-store-reader")
        self._open = True

    async def rows(self, statement: str, *values: Value) -> list[Row]:
        """All rows of a query. Raises StoreUnavailable."""
        if not self._open:
            raise StoreUnavailable("The store is closed.")
        self._breather.out()
        try:
            query = self._thread.submit(self._query, statement, values)
            rows = asyncio.wrap_future(query)
            query.add_done_callback(lambda _: self._breather.finished())
            return await rows
        except sqlite3.Error as error:
            raise self._explain(error) from error
        finally:
            self._breather.back()

    async def close(self) -> None:
        """Let the running query end, and close the connection."""
        self._open = False
        await asyncio.to_thread(self._thread.shutdown)
        self._connection.close()

    def _query(self, statement: str, values: tuple[Value, ...]) -> list[Row]:
        return self._connection.execute(statement, values).fetchall()
