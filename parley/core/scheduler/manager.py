"""The manager: claims the oldest message of each free conversation and sees its turn through."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from parley.core.commands.worker import handle_command
from parley.core.dead_letters import BROKEN_REASON, bury_items
from parley.core.delivery.delivery import backoff
from parley.core.feedback.worker import handle_feedback
from parley.core.flow_control.fair_share import FairShare
from parley.core.flow_control.semaphore import CountingSemaphore
from parley.core.hitl.records import question_queue
from parley.core.hitl.worker import handle_question_event
from parley.core.inbound.access import AccessVerdict
from parley.core.inbound.batching import QueuedMessage, batch_items, decode_message
from parley.core.inbound.turn_queue import load_queue, stop_run_item
from parley.core.model.address import Conversation, account_key
from parley.core.model.errors import AgentError, LaneLost
from parley.core.model.options import CoreOptions
from parley.core.model.queues import (
    TURNS,
    busy_signal_queue,
    command_queue,
    feedback_queue,
    final_rewrite_queue,
    turn_queue,
)
from parley.core.ports.channel import Channel
from parley.core.ports.journal import Claim
from parley.core.ports.telemetry import working_on
from parley.core.scheduler.catch_up import CatchUpPacer, find_missed, may_be_missed
from parley.core.scheduler.catch_up_worker import handle_missed
from parley.core.scheduler.final_rewrite_worker import handle_final_rewrite
from parley.core.scheduler.lane_worker import LaneHandler, LaneRules, LaneWorker
from parley.core.scheduler.poison_worker import bury_poison
from parley.core.scheduler.remote_stop import RemoteStop, registered
from parley.core.scheduler.waiting_signs import WaitingSigns
from parley.core.services import CoreServices
from parley.core.turns.batch_collector import collect_batch
from parley.core.turns.busy_worker import handle_busy_signal
from parley.core.turns.commit import commit_turn
from parley.core.turns.edited_turn import resolve_edit
from parley.core.turns.turn import TurnExecution
from parley.core.turns.turn_context import TurnContext, load_turn_context

log = logging.getLogger(__name__)

_CLAIMED_AT_ONCE = 200
_COMMANDS_AT_ONCE = 500
# A message whose handling broke this often is answered with an apology and set aside for the operator.
_MOST_ATTEMPTS = 3
_DIED = "no error is known; the process that worked it ended, or an earlier one has it in its log"


class Manager:
    """Works turns and commands until cancelled; thousands of conversations at once, each in order."""

    def __init__(self, services: CoreServices) -> None:
        self._services = services
        options = services.options
        self._backlog = CatchUpPacer(options.backlog_rate, services.clock())
        self._for_turns = CountingSemaphore(options.max_turns)
        rules = LaneRules("a turn", self._set_back, self._bury_poison)
        self._lanes = LaneWorker(services.journal, services.quarantine, rules)
        self._shares = FairShare(options.max_turns // 2)
        self._signs = WaitingSigns(lambda: self._services, self._is_full)
        services.bus.accepted = self._signs.add
        self._turns: dict[str, TurnExecution] = {}
        self._stops = RemoteStop(services.news, self._turns)
        self._drained = asyncio.Event()
        self._for_commands = CountingSemaphore(_COMMANDS_AT_ONCE)
        self._group = asyncio.TaskGroup()
        self._workers: dict[str, asyncio.Task[None]] = {}

    @property
    def turns_under_way(self) -> int:
        """Return how many turns this process works on."""
        return len(self._turns)

    def configure(self, options: CoreOptions, channels: Mapping[str, Channel]) -> None:
        """Let work that begins from now on have these settings and channels."""
        self._services = self._services.with_configuration(options, channels)

    async def run(self) -> None:
        """Work until cancelled, or until `drain` is over."""
        try:
            async with self._group:
                for name in self._services.channels:
                    self.open_channel(name)
                beside = (self._services.bus.follow_ups.run(), self._signs.run())
                tasks = [self._group.create_task(each) for each in beside]
                await self._drained.wait()
                for task in tasks:
                    task.cancel()
        finally:
            await self._lanes.cancel()

    def open_channel(self, name: str) -> None:
        """Work the queues of a channel; asked only while this runs."""
        for queue, slots, handler in self._work_of(name):
            self._lanes.open_queue(queue)
            known = self._workers.get(queue)
            if known is None or known.done():
                work = self._lanes.work(queue, slots, _CLAIMED_AT_ONCE, handler)
                self._workers[queue] = self._group.create_task(work)

    async def close_channel(self, name: str) -> None:
        """Claim nothing more of a channel, and return when what is under way there is over.

        What waits stays on disk until the channel is opened again.
        """
        queues = [queue for queue, _, _ in self._work_of(name)]
        for queue in queues:
            self._lanes.close_queue(queue)
        if workers := [self._workers[queue] for queue in queues if queue in self._workers]:
            await asyncio.wait(workers)  # one that is claiming just now still begins what it gets
        await self._lanes.finish_queues(queues)

    def _work_of(self, name: str) -> Sequence[tuple[str, CountingSemaphore, LaneHandler]]:
        return (
            (turn_queue(name), self._for_turns, self._work_turn),
            (command_queue(name), self._for_commands, self._work_command),
            (question_queue(name), self._for_commands, self._work_question),
            (busy_signal_queue(name), self._for_commands, self._work_knock),
            (feedback_queue(name), self._for_commands, self._work_feedback),
            (final_rewrite_queue(name), self._for_commands, self._work_rewrite),
        )

    @property
    def shutdown_grace(self) -> float:
        """Return how many seconds a stop may take."""
        return self._services.options.shutdown_grace

    async def drain(self, seconds: float | None = None, *, hand_over: bool = False) -> None:
        """Claim nothing more, and let turns finish for so many seconds (None: `shutdown_grace`).

        What is left then goes on at the next start. To `hand_over`, turns that wait for the agent are given
        up at once: another node goes on with them.
        """
        self._lanes.close()
        self._backlog.close()
        self._services.quarantine.close()
        self._shares.close()
        for task, claim in self._lanes.tasks.items() if hand_over else ():
            if claim.queue.startswith(TURNS) and self._waits_for_agent(claim.lane):
                task.cancel()
        grace = self.shutdown_grace if seconds is None else seconds
        finished, _ = await asyncio.gather(
            self._lanes.finish(grace), self._services.bus.follow_ups.drain(grace)
        )
        if not finished:
            log.warning("%d turns are left to go on at the next start", len(self._lanes.tasks))
        self._drained.set()

    def _waits_for_agent(self, lane: str) -> bool:
        return lane not in self._turns or self._turns[lane].before_answer

    async def stop(self, conversation: Conversation, item: int = 0) -> bool:
        """End the conversation's running turn, here or on another node; tells whether there was one.

        With an `item`, only the turn that it began: meanwhile another may be running.
        """
        here = self._turns.get(conversation.key)
        if here is not None:
            return item in (0, here.item) and here.stop()
        queue = await load_queue(self._services.journal, conversation)
        if item and (not queue.items or queue.items[0].id != item):
            return False
        asked, run = await self._stops.ask(conversation, queue), queue.turn.run
        if run is None:
            return asked
        try:
            await self._services.agent.cancel(run)
        except AgentError as error:
            log.warning("run %s could not be cancelled yet: %s", run.run_id, error)
            turn = self._services.conversations.turn_id(queue.items[0].id)
            await self._services.journal.put(stop_run_item(queue.messages[0].message, run, turn))
        return True

    def _is_full(self, account: str) -> bool:
        """Return whether a turn of an account cannot begin here now."""
        return self._for_turns.full or self._shares.is_full(account)

    async def _work_turn(self, claim: Claim, answered: Callable[[], None]) -> None:
        account = account_key(decode_message(claim.items[0].body).sender)
        late = self._backlog.holds(claim)
        if not late and self._shares.try_acquire(account):
            try:
                await self._work_burst(claim, answered)
            finally:
                self._shares.release(account)
            return
        # Whoever waits to be let in must not keep new messages waiting.
        answered()
        if late:
            await self._backlog.wait_turn(claim)
        await self._shares.acquire(account)
        try:
            await self._for_turns.acquire(1)
            answered = self._for_turns.releaser()
            try:
                items = await self._services.journal.waiting(claim.queue, claim.lane)
                await self._work_burst(replace(claim, items=items), answered)
            finally:
                answered()
        finally:
            self._shares.release(account)

    async def _work_burst(self, claim: Claim, answered: Callable[[], None]) -> None:
        services = self._services
        burst: Sequence[QueuedMessage] = await collect_batch(services, claim)
        refused = [each for each in burst if services.access_verdict(each.message) is not AccessVerdict.ALLOW]
        if not burst or refused:
            await services.journal.done(claim, batch_items(refused))
            return
        self._signs.begin(batch_items(burst))
        if may_be_missed(services, burst) and (late := await find_missed(services, claim, burst)):
            await handle_missed(services, claim, late)
        elif asked := await resolve_edit(services, burst):
            beginning = await load_turn_context(services, asked)
            await self._see_through(services, claim, beginning, answered)
        else:
            await services.journal.done(claim, batch_items(burst))

    async def _see_through(
        self, services: CoreServices, claim: Claim, beginning: TurnContext, answered: Callable[[], None]
    ) -> None:
        burst = beginning.burst
        broken = (
            self._lanes.broken.get((claim.queue, claim.lane), _DIED)
            if burst[0].item.attempts >= _MOST_ATTEMPTS
            else ""
        )
        turn = TurnExecution(services, claim, beginning, answered, broken=broken)
        with working_on(turn.id, services.telemetry):
            with registered(self._turns, claim.lane, turn):
                done = await turn.work()
            await commit_turn(services, claim, burst, done.record, turn)
            turn.report()
            await self._signs.end(batch_items(burst))

    async def _work_command(self, claim: Claim, answered: Callable[[], None]) -> None:
        await handle_command(self._services, claim, self.stop)

    async def _work_knock(self, claim: Claim, answered: Callable[[], None]) -> None:
        await handle_busy_signal(self._services, claim, self.stop)

    async def _work_question(self, claim: Claim, answered: Callable[[], None]) -> None:
        await handle_question_event(self._services, claim)

    async def _work_feedback(self, claim: Claim, answered: Callable[[], None]) -> None:
        await handle_feedback(self._services, claim)

    async def _work_rewrite(self, claim: Claim, answered: Callable[[], None]) -> None:
        await handle_final_rewrite(self._services, claim)

    async def _bury_poison(self, claim: Claim) -> None:
        await bury_poison(self._services, claim)

    async def _set_back(self, claim: Claim, error: Exception) -> None:
        head = claim.items[0]
        with suppress(LaneLost):
            if head.attempts <= _MOST_ATTEMPTS:
                await self._services.journal.retry(claim, backoff(head.attempts))
            else:
                await bury_items(self._services.journal, claim, [head], BROKEN_REASON)
