"""One thread that reads what is committed, beside the one that writes."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NamedTuple

from parley.core.model.errors import StoreUnavailable
from parley.store.gil_yield import GilYielder
from parley.store.rows import Row
from parley.store.sqlite.execution.transaction import Value

_BATCH = 100


class _Query(NamedTuple):
    statement: str
    values: tuple[Value, ...]
    future: asyncio.Future[list[Row]]


class _Result(NamedTuple):
    future: asyncio.Future[list[Row]]
    rows: list[Row]
    error: Exception | None = None

    def deliver(self) -> None:
        if self.future.done():  # its caller went away
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.rows)


class Reader:
    """Runs single queries off the event loop; those that wait together come back together."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        explain: Callable[[sqlite3.Error], StoreUnavailable],
        breather: GilYielder,
    ) -> None:
        self._connection = connection
        self._explain = explain
        self._breather = breather
        self._loop = asyncio.get_running_loop()
        self._queries: SimpleQueue[_Query | None] = SimpleQueue()
        self._open = True
        self._thread = Thread(target=self._serve, name="parley-store-reader", daemon=True)
        self._thread.start()

    async def rows(self, statement: str, *values: Value) -> list[Row]:
        """Return all rows of a query. Raises StoreUnavailable."""
        if not self._open:
            raise StoreUnavailable("The store is closed.")
        future: asyncio.Future[list[Row]] = self._loop.create_future()
        self._breather.out()
        self._queries.put(_Query(statement, values, future))
        return await future

    async def close(self) -> None:
        """Answer what was asked, end the thread, and close the connection."""
        self._open = False
        self._queries.put(None)
        await asyncio.to_thread(self._thread.join)
        self._connection.close()

    def _serve(self) -> None:
        ended = False
        while not ended:
            batch, ended = self._take()
            results = [self._run(query) for query in batch]
            with suppress(RuntimeError):  # the loop is gone, and with it everybody who waited
                self._loop.call_soon_threadsafe(self._deliver, results)
            self._breather.finished()

    def _take(self) -> tuple[list[_Query], bool]:
        """Return what is asked now, and whether nothing comes after it."""
        batch: list[_Query] = []
        query = self._queries.get()
        with suppress(Empty):
            while query is not None:
                batch.append(query)
                if len(batch) == _BATCH:
                    return batch, False
                query = self._queries.get_nowait()
            return batch, True
        return batch, False

    def _run(self, query: _Query) -> _Result:
        try:
            return _Result(query.future, self._connection.execute(query.statement, query.values).fetchall())
        except sqlite3.Error as error:
            if "decode" in str(error):
                return self._mended(query)
            return _Result(query.future, [], self._explain(error))
        except (ValueError, TypeError, ArithmeticError) as refused:  # a value that SQLite cannot take
            return _Result(query.future, [], refused)

    def _mended(self, query: _Query) -> _Result:
        """Decode what is damaged, too: it costs the text it stands in, not all that was asked for with it."""
        self._connection.text_factory = partial(str, encoding="utf-8", errors="replace")
        try:
            return self._run(query)
        finally:
            self._connection.text_factory = str

    def _deliver(self, results: Iterable[_Result]) -> None:
        count = 0
        for result in results:
            result.deliver()
            count += 1
        self._breather.back(count)
