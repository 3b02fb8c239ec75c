"""Runs: admitted durably, cancelled, taken up again after a crash, and forgotten in time."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from uuid import UUID, uuid4

from langgraph.checkpoint.base.id import uuid6

from parley.core.model.types import JsonObject
from parley.server.assistants.service import AssistantService
from parley.server.authorization import NO_RULES, AccessRules
from parley.server.graphs.registry import GraphRegistry
from parley.server.http_errors import Problem, invalid, not_found
from parley.server.options import ServerLimits, WebhookPort
from parley.server.runs.event_log import RunEventLog
from parley.server.runs.executor import Executor, require_start
from parley.server.runs.payload import RunPayload, parse_run_payload, run_value
from parley.server.runs.shared_runs import SharedRuns
from parley.server.runs.thread_feed import FeedPlace, ThreadFeeds
from parley.server.runs.thread_queues import ActiveRun, RunQueues, ThreadQueues, make_way
from parley.server.runs.webhooks import RunWebhooks
from parley.server.serialisation import dumps
from parley.server.storage.assistant_rows import AssistantRow
from parley.server.storage.interface import Statement, Storage
from parley.server.storage.metadata_filter import ANYTHING, MetadataFilter
from parley.server.storage.stream_rows import forget_stream, forget_streams
from parley.server.storage.tables import (
    RunRow,
    Tables,
    ThreadRow,
    add_run,
    delete_run,
    end_run,
    forget_runs,
    save_thread,
)

_log = logging.getLogger(__name__)
_SWEEP_EVERY = 15.0


class RunManager:
    """All runs of this process; entered, it takes up what an earlier one left, and left, it stops."""

    def __init__(
        self,
        storage: Storage,
        graphs: GraphRegistry,
        assistants: AssistantService,
        limits: ServerLimits,
        clock: Callable[[], float],
        webhooks: WebhookPort | None = None,
        rules: AccessRules = NO_RULES,
    ) -> None:
        self._rules = rules
        database = storage.database
        self._database = database
        self._checkpoints = storage.checkpoints
        self._graphs = graphs
        self._assistants = assistants
        self._tables = Tables(database)
        self._limits = limits
        self._clock = clock
        self._runs: dict[str, ActiveRun] = {}
        self._feeds = ThreadFeeds()
        self._webhooks = RunWebhooks(database, webhooks, clock, storage.cluster)
        self._executor = Executor(
            storage, graphs, limits, clock, self._webhooks, self._note_begin, self._note_end
        )
        self.lanes: RunQueues
        self._shared: SharedRuns | None = None
        if storage.cluster is None:
            self.lanes = ThreadQueues(self._executor.execute)
        else:
            known = partial(self._make, payload=RunPayload(assistant_id=""))
            self._shared = SharedRuns(database, storage.cluster, self._runs, self._executor.execute, known)
            self._shared.on_begin(self._feeds.begin)
            self.lanes = self._shared.queues

    @property
    def ended(self) -> Counter[str]:
        """How many runs have ended since the start, by their status."""
        return self._executor.ended

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """The time in which runs are executed."""
        helpers = [asyncio.create_task(self._sweep()), asyncio.create_task(self._webhooks.work())]
        if self._shared is None:
            await self._recover()
        else:
            helpers.append(asyncio.create_task(self._shared.work()))
        try:
            yield
        finally:
            for helper in helpers:
                helper.cancel()
            await asyncio.gather(*helpers, self.lanes.close(), return_exceptions=True)

    async def find(self, run_id: str) -> ActiveRun | None:
        """A run whose events are still kept, here or by another server."""
        run = self._runs.get(run_id)
        return await self._shared.find(run_id) if run is None and self._shared else run

    def follow_thread(self, thread_id: str, place: FeedPlace, modes: Collection[str]) -> AsyncIterator[bytes]:
        """Frames of the thread's runs from a place on, run after run, without an end."""

        async def find_known() -> list[ActiveRun]:
            if self._shared is not None:
                return await self._shared.begun(thread_id)
            runs = self._runs.values()
            return [run for run in runs if run.row.thread_id == thread_id and run.log.begun]

        return self._feeds.follow(thread_id, find_known, place, modes)

    async def create(
        self, thread_id: str | None, payload: RunPayload, user: JsonObject, *, waited: bool = False
    ) -> ActiveRun:
        """Admit the run that a client asks for, if it may. Raises Problem."""
        if not self._rules:
            return await self.admit(thread_id, payload, user=user, waited=waited)
        permitted, rule = await self.permit(thread_id, payload, user)
        return await self.admit(thread_id, permitted, user=user, waited=waited, rule=rule)

    async def permit(
        self, thread_id: str | None, payload: RunPayload, user: JsonObject
    ) -> tuple[RunPayload, MetadataFilter]:
        """Return a run as the rules let it be, and which thread it may be on. Raises Problem."""
        assistant = await self.check(payload)
        await self.permit_assistant(assistant, user)
        value = run_value(thread_id, assistant.assistant_id, payload)
        rule = await self._rules.ask(user, "threads", "create_run", value)
        return payload.model_copy(update={"metadata": value.get("metadata") or {}}), rule

    async def permit_assistant(self, assistant: AssistantRow, user: JsonObject) -> None:
        """Raise Problem where somebody may not use an assistant.

        Those of graphs are nobody's: who may make runs may use them.
        """
        if not self._assistants.is_of_graph(assistant):
            asked = {"assistant_id": UUID(assistant.assistant_id)}
            seen = await self._rules.ask(user, "assistants", "read", asked)
            if not seen.matches(assistant.metadata):
                raise not_found("Thread or assistant")

    async def admit(
        self,
        thread_id: str | None,
        payload: RunPayload,
        *,
        user: JsonObject | None = None,
        waited: bool = False,
        also: Sequence[Statement] = (),
        rule: MetadataFilter = ANYTHING,
    ) -> ActiveRun:
        """Admit a run, durable on return; without a thread it gets one of its own. Raises Problem.

        `user` asks for it, where handlers say who asks; `also` is written in the same transaction; a thread
        that `rule` does not let see is not there.
        """
        assistant = await self.check(payload)
        settled = payload.with_defaults(assistant.config, assistant.context)
        row = replace(self._row(thread_id, assistant, settled), auth_user=user or {})
        async with self.lanes.hold(row.thread_id) as lane:
            thread = None
            if not row.temporary:
                thread = await self._thread_for(
                    row, rule, may_make=thread_id is None or payload.if_not_exists == "create"
                )
            await require_start(self._checkpoints, row.thread_id, settled)
            await make_way(self.lanes, lane, payload.multitask_strategy)
            made = [save_thread(thread)] if thread else []
            run = self._runs[row.run_id] = self._make(row, settled, waited=waited)
            # It is known before it is written: from then on this server may find it, and execute it.
            try:
                await self._database.write(*made, add_run(row), *also, durable=True)
            except BaseException:
                del self._runs[row.run_id]
                raise
            self.lanes.admit(lane, run, row.not_before - self._clock())
            return run

    async def check(self, payload: RunPayload) -> AssistantRow:
        """The assistant of a run that can be admitted. Raises Problem."""
        self._webhooks.check(payload.webhook)
        try:
            return await self._assistants.look_up(payload.assistant_id)
        except Problem as error:
            name, known = payload.assistant_id, ", ".join(self._graphs.names)
            raise invalid(f"Invalid assistant: {name!r}. Registered graphs: {known}.") from error

    async def forget(self, run_id: str) -> None:
        """Forget a run that has ended."""
        self._runs.pop(run_id, None)
        await self._database.write(delete_run(run_id), *(forget_stream(run_id) if self._shared else ()))

    async def tidy(self) -> None:
        """Forget what is too old, or too much, to be kept."""
        self._drop_old_events()
        await self._prune()
        now, limits = self._clock(), self._limits
        streams = forget_streams(now - limits.event_ttl, now - limits.run_ttl) if self._shared else ()
        await self._database.write(forget_runs(now - limits.run_ttl), *streams)

    async def _prune(self) -> None:
        """Thin out what finished runs left in threads; those where something runs again come later."""
        if self._shared is None:
            busy = {run.row.thread_id for run in self.lanes.active()}
            await self._executor.prune([each for each in self._executor.untidy if each not in busy])
            return
        for thread_id in self._executor.untidy:
            async with self.lanes.hold(thread_id):
                if not await self.lanes.unfinished(thread_id):
                    await self._executor.prune([thread_id])

    async def _recover(self) -> None:
        for row in await self._tables.unfinished_runs():
            try:
                payload = parse_run_payload(row.payload)
            except Problem:
                _log.exception("run %s cannot be read any more, and is given up", row.run_id)
                await self._database.write(end_run(row.run_id, self._clock(), "error"))
                continue
            async with self.lanes.hold(row.thread_id) as lane:
                run = self._runs[row.run_id] = self._make(row, payload)
                self.lanes.admit(lane, run, row.not_before - self._clock())

    async def _sweep(self) -> None:
        while True:
            try:
                await self.tidy()
            except self._database.errors:
                _log.exception("tidying up failed; it is tried again")
            await asyncio.sleep(_SWEEP_EVERY)

    def _drop_old_events(self) -> None:
        finished = [run for run in self._runs.values() if run.done.is_set()]
        excess = sum(run.log.size for run in finished) - self._limits.finished_bytes
        oldest = self._clock() - self._limits.event_ttl
        for run in finished:
            if excess > 0 or run.row.updated_at < oldest:
                excess -= run.log.size
                del self._runs[run.row.run_id]

    def _make(self, row: RunRow, payload: RunPayload, *, waited: bool = False) -> ActiveRun:
        run = ActiveRun(row, payload, RunEventLog(self._limits.events, self._limits.event_bytes), waited)
        if self._shared is not None:
            run.log.sink = partial(self._shared.writer.append, run)
        return run

    def _note_begin(self, run: ActiveRun) -> None:
        if self._shared is not None:
            self._shared.writer.begin(run)
        self._feeds.begin(run)

    def _note_end(self, run: ActiveRun) -> None:
        if self._shared is not None:
            self._shared.writer.end(run)

    def _row(self, thread_id: str | None, assistant: AssistantRow, payload: RunPayload) -> RunRow:
        now = self._clock()
        return RunRow(
            run_id=str(uuid6()),
            thread_id=thread_id or str(uuid4()),
            graph_id=assistant.graph_id,
            created_at=now,
            updated_at=now,
            status="pending",
            strategy=payload.multitask_strategy,
            temporary=thread_id is None and payload.on_completion == "delete",
            attempt=0,
            metadata=payload.metadata,
            payload=dumps(payload),
            mark="",
            assistant_id=assistant.assistant_id,
            not_before=now + payload.after_seconds if payload.after_seconds else 0.0,
        )

    async def _thread_for(self, row: RunRow, rule: MetadataFilter, *, may_make: bool) -> ThreadRow | None:
        """The thread's row, if it must be written because it is new or runs another assistant than before."""
        thread = await self._tables.thread(row.thread_id)
        names = {"graph_id": row.graph_id, "assistant_id": row.of_assistant}
        if (thread is None and not may_make) or (thread and not rule.matches(thread.metadata)):
            raise not_found("Thread or assistant")
        if thread is None:
            now = row.created_at
            return ThreadRow(row.thread_id, now, now, "idle", row.graph_id, {**row.metadata, **names}, {}, "")
        if thread.graph_id == row.graph_id and names.items() <= thread.metadata.items():
            return None
        return replace(thread, graph_id=row.graph_id, metadata={**thread.metadata, **names})
