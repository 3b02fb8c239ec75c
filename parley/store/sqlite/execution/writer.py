"""One thread that writes: what arrives while it commits is committed together next."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, NamedTuple, TypeVar

from parley.core.flow_control.store_outage import StoreOutage
from parley.core.model.errors import StoreError, StoreUnavailable
from parley.store.gil_yield import GilYielder
from parley.store.sqlite.execution.transaction import Mergeable, Transaction

T = TypeVar("T")

_BATCH = 1000
"""Operations that are enough for one transaction."""

_HANDFUL = 100
"""Operations with which the thread begins while the loop still gathers more. When a thousand come in one
round, loop and thread would else wait for each other: measured, a fifth more are committed a second.
"""

_WAY = "file"
_REFUSALS = (StoreError, ValueError, TypeError, ArithmeticError)
"""What an operation may raise by itself, besides SQLite's own errors."""


class _Job(NamedTuple, Generic[T]):
    operation: Callable[[Transaction], T]
    future: asyncio.Future[T]


_END: list[_Job[object]] = []


@dataclass(frozen=True, slots=True)
class _Failure:
    """In the place of what an operation answers: why it could not be made."""

    error: Exception


class Writer:
    """Runs operations, many to a transaction; durable when their futures resolve.

    An operation that raises undoes itself only. It may be run twice, so it must not change anything but
    its transaction.

    `begin` makes the Transaction around an open connection, `explain` turns SQLite's complaints into ours,
    `gone`, asked before each acknowledgement, says that the file is not in its place any more ("": it is).
    `wake` is called on the event loop with when a commit gave work to which queues (Unix seconds). The
    `outage` is told of failures that are not of one operation, and of their end.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        begin: Callable[[sqlite3.Connection], Transaction],
        explain: Callable[[sqlite3.Error], StoreUnavailable],
        wake: Callable[[Mapping[str, float]], None],
        breather: GilYielder,
        gone: Callable[[], str],
        outage: StoreOutage,
    ) -> None:
        self._connection = connection
        self._gone = gone
        self._outage = outage
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
        if len(self._fresh) >= _HANDFUL:
            self._hand_over()
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
                answers, woken = self._commit(self._batch)
                if line := self._gone():
                    answers = [_Failure(_gone_error(line)) for _ in answers]
                self._on_loop(self._deliver, self._batch, answers, woken)
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

    def _commit(self, jobs: list[_Job[object]]) -> tuple[list[object], dict[str, float]]:
        """Return what the operations answer, and when there is work in which queues."""
        if len(jobs) == 1 and isinstance(jobs[0].operation, Mergeable) and jobs[0].operation.single:
            return self._commit_single(jobs[0])
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            tx = self._begin(self._connection)
            answers = self._run(tx, jobs)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._connection.rollback()
            return [_Failure(self._explain(error)) for _ in jobs], {}
        return answers, tx.woken

    def _commit_single(self, job: _Job[object]) -> tuple[list[object], dict[str, float]]:
        """SQLite commits a statement that stands outside of a transaction."""
        tx = self._begin(self._connection)
        try:
            return [job.operation(tx)], tx.woken
        except _REFUSALS as refused:
            return [_Failure(refused)], tx.woken
        except sqlite3.Error as error:
            return [_Failure(self._explain(error))], tx.woken

    def _run(self, tx: Transaction, jobs: list[_Job[object]]) -> list[object]:
        """Make all together; one by one only when something failed, which is rare: savepoints cost."""
        try:
            return list(_answers(tx, jobs))
        except (sqlite3.Error, *_REFUSALS):
            self._connection.rollback()  # as SQLite may have done already, when the disk is full
            self._connection.execute("BEGIN IMMEDIATE")
        return [self._apart(tx, job) for job in jobs]

    def _apart(self, tx: Transaction, job: _Job[object]) -> object:
        """Run one operation in a savepoint of its own. Raises when SQLite undid the whole batch."""
        self._connection.execute("SAVEPOINT operation")
        error: Exception
        try:
            answer = job.operation(tx)
        except _REFUSALS as refused:
            error = refused
        except sqlite3.Error as failed:
            if not self._connection.in_transaction:
                raise
            error = self._explain(failed)
        else:
            self._connection.execute("RELEASE operation")
            return answer
        self._connection.execute("ROLLBACK TO operation")
        self._connection.execute("RELEASE operation")
        return _Failure(error)

    def _deliver(self, jobs: list[_Job[object]], answers: list[object], woken: dict[str, float]) -> None:
        self._note(answers)
        for (_, future), answer in zip(jobs, answers, strict=True):
            if future.done():  # its caller went away
                continue
            if isinstance(answer, _Failure):
                future.set_exception(answer.error)
            else:
                future.set_result(answer)
        self._breather.back(len(jobs))
        self._wake(woken)

    def _note(self, answers: Sequence[object]) -> None:
        """Tell how a batch went."""
        failed = (each.error for each in answers if isinstance(each, _Failure))
        error = next((each for each in failed if isinstance(each, StoreUnavailable)), None)
        if error is None:
            self._outage.note_success(_WAY)
        else:
            self._outage.note_failure(_WAY, error)

    def _abandon(self) -> None:
        """Let nobody wait for a thread that is gone, whatever ended it."""
        self._open = False
        left = self._batch
        with suppress(Empty):
            while jobs := self._jobs.get_nowait():
                left += jobs
        left += self._fresh
        self._deliver(left, [_Failure(StoreUnavailable("The store is closed.")) for _ in left], {})


def _gone_error(line: str) -> StoreUnavailable:
    error = StoreUnavailable(line)
    error.outage = True
    return error


def _answers(tx: Transaction, jobs: Sequence[_Job[object]]) -> Iterator[object]:
    """Yield what the operations answer, in order; those of one kind in a row are made together."""
    for kind, run in groupby(jobs, key=lambda job: type(job.operation)):
        operations: list[Any] = [job.operation for job in run]
        if issubclass(kind, Mergeable):
            yield from kind.together(tx, operations)
        else:
            yield from (operation(tx) for operation in operations)
