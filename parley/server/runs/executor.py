"""Takes a run from its beginning to its end, and writes down where it stands."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from parley.core.model.types import JsonObject
from parley.server.graphs.registry import GraphRegistry
from parley.server.http_errors import not_found
from parley.server.options import ServerLimits
from parley.server.runs.crash_loop_guard import CrashLoopGuard
from parley.server.runs.payload import RunPayload
from parley.server.runs.run_attempt import RunAttempt, ThreadSnapshot, perform_attempt
from parley.server.runs.thread_queues import ActiveRun
from parley.server.runs.webhooks import RunWebhooks
from parley.server.serialisation import error_json
from parley.server.storage.interface import Checkpoints, RollbackPoint, Statement, Storage
from parley.server.storage.tables import (
    Tables,
    begin_run,
    busy_thread,
    delete_run,
    end_run,
    set_thread_status,
)

_log = logging.getLogger(__name__)


async def require_start(checkpoints: Checkpoints, thread_id: str, payload: RunPayload) -> None:
    """Raise Problem where a run begins at a checkpoint that is not there: it would begin with nothing."""
    start = payload.start
    if start and not await checkpoints.has(thread_id, start["checkpoint_ns"], start["checkpoint_id"]):
        raise not_found("Checkpoint")


class GivenUp(Exception):
    """A run was cut off by one crash after another."""


@dataclass(frozen=True, slots=True)
class _Ending:
    status: str
    thread: str
    interrupts: JsonObject
    stand: ThreadSnapshot | None = None
    error: dict[str, str] | None = None


class Executor:
    """Executes runs. Everything it writes survives kill -9; a run's end is synced before it is told."""

    def __init__(
        self,
        storage: Storage,
        graphs: GraphRegistry,
        limits: ServerLimits,
        clock: Callable[[], float],
        webhooks: RunWebhooks,
        begin: Callable[[ActiveRun], None],
        end: Callable[[ActiveRun], None],
    ) -> None:
        self._database = storage.database
        self._checkpoints = storage.checkpoints
        self._graphs = graphs
        self._limits = limits
        self._clock = clock
        self._probation = CrashLoopGuard(limits.probation)
        self._tables = Tables(storage.database)
        self._webhooks = webhooks
        self._begin = begin
        self._end = end
        self._untidy: dict[str, bool] = {}
        self.ended: Counter[str] = Counter()

    @property
    def untidy(self) -> list[str]:
        """Threads in which finished runs left more than is kept."""
        return list(self._untidy)

    async def prune(self, threads: Collection[str]) -> None:
        """Thin out what finished runs left in these threads, where nothing runs."""
        idle = {thread: self._untidy.pop(thread) for thread in threads if thread in self._untidy}
        if not idle:
            return
        over = [thread for thread, is_over in idle.items() if is_over]
        await self._database.write(
            *self._checkpoints.keep_newest(list(idle), self._limits.checkpoints),
            *self._checkpoints.forget_subgraphs(over),
        )

    async def execute(self, run: ActiveRun) -> None:
        """Take a run to its end. Cancelled, it leaves the run to be taken up at the next start.

        Raises what says that the database is away: the run is to be taken up again then.
        """
        before = run.row
        run.row = replace(before, attempt=before.attempt + 1)
        run.log.begin(run.row.attempt)
        run.log.append("metadata", {"run_id": run.row.run_id, "attempt": run.row.attempt})
        self._begin(run)
        if not run.cancelled:
            run.task = asyncio.create_task(self._attempt(run, again=before.attempt > 0))
            await _finished(run.task)
            self._raise_where_away(run.task)
        ending = _conclude(run)
        try:
            await self._save(run, ending)
        except self._database.away:
            run.row, run.task = replace(run.row, status="running", payload=before.payload), None
            raise
        except self._database.errors as error:
            # The row still says that it runs, so that the next start takes it up.
            _log.exception("the end of run %s could not be saved", run.row.run_id)
            ending = _Ending("error", "error", {}, error=error_json(error))
        self._announce(run, ending)

    def _raise_where_away(self, task: asyncio.Task[ThreadSnapshot]) -> None:
        error = None if task.cancelled() else task.exception()
        if isinstance(error, self._database.away):
            raise error

    async def _attempt(self, run: ActiveRun, *, again: bool) -> ThreadSnapshot:
        row = run.row
        if row.attempt > self._limits.attempts:
            raise GivenUp(f"{self._limits.attempts} attempts were cut off; this run is given up")
        async with self._probation.attempt(row.attempt):
            mark = row.mark or (await self._checkpoints.mark(row.thread_id)).dump()
            taken = again and await self._checkpoints.taken_by(row.thread_id, row.run_id)
            if not taken:
                await require_start(self._checkpoints, row.thread_id, run.payload)
            run.row = replace(row, mark=mark, status="running", updated_at=self._clock())
            await self._database.write(
                begin_run(row.run_id, run.row.updated_at, row.attempt, mark),
                busy_thread(row.thread_id, run.row.updated_at, row.graph_id),
            )
            return await perform_attempt(self._graphs, RunAttempt(run.row, run.payload, taken), run.log)

    async def _save(self, run: ActiveRun, ending: _Ending) -> None:
        row, now = run.row, self._clock()
        run.row = replace(row, status=ending.status, updated_at=now, payload=b"")
        if row.temporary:
            await self._checkpoints.delete(row.thread_id)
            await self._database.write(delete_run(row.run_id), *self._owed(run, ending))
        elif ending.status == "interrupted" and run.cancelled == "rollback":
            await self._roll_back(run, now)
        else:
            thread = set_thread_status(
                row.thread_id, now, ending.thread, ending.interrupts, _error_text(ending)
            )
            # A run that was withdrawn before it began says nothing about its thread.
            began = [thread] if row.mark else []
            ended = end_run(row.run_id, now, ending.status)
            await self._database.write(ended, *began, *self._owed(run, ending), durable=True)
            self._note_for_pruning(row.thread_id, ending.stand)

    def _owed(self, run: ActiveRun, ending: _Ending) -> list[Statement]:
        return self._webhooks.owe(run, ending.stand.values if ending.stand else None, ending.error)

    async def _roll_back(self, run: ActiveRun, now: float) -> None:
        thread_id = run.row.thread_id
        if run.row.mark:
            await self._checkpoints.rollback(thread_id, RollbackPoint.load(run.row.mark))
        thread = await self._tables.thread(thread_id)
        interrupts = thread.interrupts if thread else {}
        status = "interrupted" if interrupts else "idle"
        await self._database.write(
            delete_run(run.row.run_id), set_thread_status(thread_id, now, status, interrupts), durable=True
        )

    def _note_for_pruning(self, thread_id: str, stand: ThreadSnapshot | None) -> None:
        if stand and stand.prunable:
            self._untidy[thread_id] = stand.over
        else:
            self._untidy.pop(thread_id, None)

    def _announce(self, run: ActiveRun, ending: _Ending) -> None:
        run.stand = ending.stand if run.waited or run.row.temporary else None
        run.error = ending.error
        if run.payload.webhook:
            self._webhooks.wake()
        self.ended[ending.status] += 1
        run.task = None
        # Its events stay for a while; what it was asked, files and all, need not.
        run.payload = run.payload.model_copy(update={"input": None, "command": None})
        if ending.error:
            run.log.append("error", ending.error)
        run.log.append("end", {"status": ending.status, "thread_status": ending.thread})
        self._end(run)
        run.done.set()


async def _finished(task: asyncio.Task[ThreadSnapshot]) -> None:
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task})
        raise


def _conclude(run: ActiveRun) -> _Ending:
    """What became of a run. A user's graph may raise anything; here it all becomes data."""
    error = None if run.task is None or run.task.cancelled() else run.task.exception()
    if error is None and run.task and not run.task.cancelled():
        stand = run.task.result()
        return _Ending("success", "idle" if stand.over else "interrupted", stand.interrupts, stand)
    if run.cancelled and error is None:
        return _Ending("interrupted", "idle" if run.cancelled == "rollback" else "interrupted", {})
    error = error or asyncio.CancelledError("the graph cancelled itself")
    # Nothing of a given-up run's own went wrong here: there is no trace to show.
    trace = None if isinstance(error, GivenUp) else error
    _log.warning("run %s failed (%s)", run.row.run_id, error, exc_info=trace)
    return _Ending("error", "error", {}, error=error_json(error))


def _error_text(ending: _Ending) -> str:
    return "{error}: {message}".format(**ending.error) if ending.error else ""
