"""One thread that writes: what arrives while it commits is committed together next."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, NamedTuple, TypeVar

from bridge.errors import StoreError, StoreUnavailable
from store.breather import Breather
from store.sqlite.transaction import Mergeable, Transaction

T = TypeVar("T")

_BATCH = 1000
"""Operations that are enough for one transaction."""


_REFUSALS = (StoreError, ValueError, TypeError, ArithmeticError)
"""What an operation may raise by itself, besides SQLite's own errors."""


class _Job(NamedTuple, Generic[T]):
    operation: Callable[[Transaction], T]
    future: asyncio.Future[T]


_END: list[_Job[object]] = []


class _Outcome(NamedTuple):
    future: asyncio.Future[object]
    value: object = None
    error: Exception | None = None

    def deliver(self) -> None:
        if self.future.done():  # its caller went away
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.value)


class Writer:
    """Runs operations, many to a transaction; durable when their futures resolve.

    An operation that raises undoes itself only. It may be run twice, so it must not change anything but
    its transaction.

    `begin` makes the Transaction around an open connection, `explain` turns SQLite's complaints into ours,
    `wake` is called on the event loop with the queues that a commit gave work to.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        begin: Callable[[sqlite3.Connection], Transaction],
        explain: Callable[[sqlite3.Error], StoreUnavailable],
        wake: Callable[[Iterable[str]], None],
        breather: Breather,
    ) -> None:
        self._connection = connection
        self._begin = begin
        self._explain = explain
        self._wake = wake
        self._breather = breather
        self._loop = asyncio.get_running_loop()
        self._fresh: list[_Job[object]] = []
        self._jobs: SimpleQueue[list[_Job[object]]] = SimpleQueue()
        self._batch: list[_Job[object]] = []
        self._open = True
        self._thread = Thread(target=self._serve, name="parley-store", daemon=True)
        self._thread.start()

    def submit(self, operation: Callable[[Transaction], T]) -> asyncio.Future[T]:
        """Hand an operation to the thread. Raises StoreUnavailable once closed."""
        if not self._open:
            raise StoreUnavailable("The store is closed.")
        future: asyncio.Future[T] = self._loop.create_future()
        self._breather.out()
        if not self._fresh:
            # What else comes in this round of the loop goes along: one transaction, one waking of the thread.
            self._loop.call_soon(self._hand_over)
        self._fresh.append(_Job(operation, future))  # type: ignore[arg-type]  # the list forgets T
        return future

    async def close(self) -> None:
        """Commit what was handed over, and end the thread."""
        self._open = False
        self._hand_over()
        self._jobs.put(_END)
        await asyncio.to_thread(self._thread.join)

    def _hand_over(self) -> None:
        if self._fresh:
            self._jobs.put(self._fresh)
            self._fresh = []

    def _serve(self) -> None:
        try:
            while self._take():
                self._on_loop(self._deliver, *self._commit(self._batch))
                self._batch = []
                self._breather.finished()
        finally:
            self._connection.close()
            self._on_loop(self._abandon)

    def _on_loop(self, call: Callable[..., None], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is gone, and with it everybody who waited
            self._loop.call_soon_threadsafe(call, *arguments)

    def _take(self) -> bool:
        """Fill the batch with what is there; False when it is time to end."""
        jobs = self._jobs.get()
        with suppress(Empty):
            while jobs:
                self._batch += jobs
                if len(self._batch) >= _BATCH:
                    return True
                jobs = self._jobs.get_nowait()
            self._jobs.put(_END)  # seen in the middle: commit first, end next time
        return bool(self._batch)

    def _commit(self, jobs: list[_Job[object]]) -> tuple[list[_Outcome], set[str]]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            tx = self._begin(self._connection)
            outcomes = self._run(tx, jobs)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._connection.rollback()
            return [_Outcome(job.future, error=self._explain(error)) for job in jobs], set()
        return outcomes, tx.woken

    def _run(self, tx: Transaction, jobs: list[_Job[object]]) -> list[_Outcome]:
        """All together; one by one only when something failed, which is rare: savepoints cost."""
        try:
            return [_Outcome(job.future, value) for job, value in zip(jobs, _values(tx, jobs), strict=True)]
        except (sqlite3.Error, *_REFUSALS):
            self._connection.rollback()  # as SQLite may have done already, when the disk is full
            self._connection.execute("BEGIN IMMEDIATE")
        return [self._apart(tx, job) for job in jobs]

    def _apart(self, tx: Transaction, job: _Job[object]) -> _Outcome:
        """Run one operation in a savepoint of its own. Raises when SQLite undid the whole batch."""
        self._connection.execute("SAVEPOINT operation")
        error: Exception
        try:
            outcome = _Outcome(job.future, job.operation(tx))
        except _REFUSALS as refused:
            error = refused
        except sqlite3.Error as failed:
            if not self._connection.in_transaction:
                raise
            error = self._explain(failed)
        else:
            self._connection.execute("RELEASE operation")
            return outcome
        self._connection.execute("ROLLBACK TO operation")
        self._connection.execute("RELEASE operation")
        return _Outcome(job.future, error=error)

    def _deliver(self, outcomes: list[_Outcome], woken: set[str]) -> None:
        for outcome in outcomes:
            outcome.deliver()
        self._breather.back(len(outcomes))
        self._wake(woken)

    def _abandon(self) -> None:
        """Nobody may wait for a thread that is gone, whatever ended it."""
        self._open = False
        left = self._batch
        with suppress(Empty):
            while jobs := self._jobs.get_nowait():
                left += jobs
        left += self._fresh
        self._breather.back(len(left))
        for job in left:
            _Outcome(job.future, error=StoreUnavailable("The store is closed.")).deliver()


def _values(tx: Transaction, jobs: Sequence[_Job[object]]) -> Iterator[object]:
    """What the operations answer, in order; those of one kind in a row are made together if they can be."""
    for kind, run in groupby(jobs, key=lambda job: type(job.operation)):
        operations: list[Any] = [job.operation for job in run]
        if issubclass(kind, Mergeable):
            yield from kind.together(tx, operations)
        else:
            yield from (operation(tx) for operation in operations)
