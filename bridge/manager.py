"""The manager: claims the oldest message of each free conversation and sees its turn through."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from bridge.access import Verdict
from bridge.asking import queue_of
from bridge.bursts import Accepted
from bridge.busy_work import work_knock
from bridge.command_work import work_command
from bridge.delivery import backoff
from bridge.errors import AgentError, LaneLost, StoreUnavailable
from bridge.finish import finish
from bridge.gather import gather
from bridge.ports import Claim
from bridge.question_work import work_question
from bridge.queues import commands_of, knocks_of, turns, turns_of
from bridge.record import read_record
from bridge.services import Services
from bridge.slots import Slots
from bridge.turn import TurnWork
from bridge.types import Conversation

log = logging.getLogger(__name__)

_CLAIMED_AT_ONCE = 200
_COMMANDS_AT_ONCE = 500
_IDLE_LOOK = 5.0
# A message whose handling broke this often is answered with an apology and set aside for the operator.
_MOST_ATTEMPTS = 3

Work = Callable[[Claim, Callable[[], None]], Awaitable[None]]


class Manager:
    """Works turns and commands until cancelled; thousands of conversations at once, each in order."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._turns: dict[str, TurnWork] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._draining = asyncio.Event()
        self._drained = asyncio.Event()

    async def run(self) -> None:
        """Work until cancelled, or until `drain` is over."""
        for_turns, for_commands = Slots(self._services.options.max_turns), Slots(_COMMANDS_AT_ONCE)
        try:
            async with asyncio.TaskGroup() as group:
                for name in self._services.channels:
                    group.create_task(self._claim_all(turns_of(name), for_turns, self._work_turn))
                    group.create_task(self._claim_all(commands_of(name), for_commands, self._work_command))
                    group.create_task(self._claim_all(queue_of(name), for_commands, self._work_question))
                    group.create_task(self._claim_all(knocks_of(name), for_commands, self._work_knock))
            await self._drained.wait()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def drain(self) -> None:
        """Claim nothing more, and let turns finish for `shutdown_grace` seconds.

        What is left then goes on at the next start.
        """
        self._draining.set()
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=self._services.options.shutdown_grace)
        if self._tasks:
            log.warning("%d turns are left to go on at the next start", len(self._tasks))
        self._drained.set()

    async def stop(self, conversation: Conversation) -> bool:
        """End the conversation's running turn, here or on another node; tells whether there was one."""
        here = self._turns.get(conversation.key)
        if here is not None:
            return here.stop()
        waiting = await self._services.journal.waiting(turns(conversation), conversation.key)
        run = read_record(waiting[0]).run if waiting else None
        if run is None:
            return False
        try:
            await self._services.agent.cancel(run)
        except AgentError as error:
            log.warning("run %s could not be cancelled: %s", run.run_id, error)
        return True

    async def _claim_all(self, queue: str, slots: Slots, work: Work) -> None:
        failures = 0
        while not self._draining.is_set():
            try:
                if not await self._claim_some(queue, slots, work):
                    await self._wait(queue)
                failures = 0
            except StoreUnavailable as error:
                log.error("cannot look for work in %s: %s", queue, error)
                await asyncio.sleep(backoff(failures))
                failures += 1

    async def _claim_some(self, queue: str, slots: Slots, work: Work) -> bool:
        """Claim lanes while there are slots for them, and start their work; False when there is none."""
        taken, started = await slots.take(_CLAIMED_AT_ONCE), 0
        try:
            claims = await self._services.journal.claim(queue, taken)
            for claim in claims:
                self._start(claim, slots.holder(), work)
                started += 1
        finally:
            slots.give_back(taken - started)
        return bool(claims)

    async def _wait(self, queue: str) -> None:
        waiting = asyncio.create_task(self._services.journal.wait(queue, _IDLE_LOOK))
        draining = asyncio.create_task(self._draining.wait())
        try:
            await asyncio.wait({waiting, draining}, return_when=asyncio.FIRST_COMPLETED)
            if waiting.done():
                waiting.result()
        finally:
            for task in (waiting, draining):
                task.cancel()
            await asyncio.gather(waiting, draining, return_exceptions=True)

    def _start(self, claim: Claim, give_back: Callable[[], None], work: Work) -> None:
        task = asyncio.create_task(self._guard(claim, work, give_back))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work_turn(self, claim: Claim, answered: Callable[[], None]) -> None:
        burst: Sequence[Accepted] = await gather(self._services, claim)
        refused = [each.item for each in burst if self._services.verdict(each.message) is not Verdict.ALLOW]
        if not burst or refused:
            await self._services.journal.done(claim, refused)
            return
        burst = [Accepted(each.item, await self._services.known(each.message)) for each in burst]
        broken = burst[0].item.attempts >= _MOST_ATTEMPTS
        turn = TurnWork(self._services, claim, burst, answered, broken=broken)
        self._turns[claim.lane] = turn
        try:
            log = await turn.work()
        finally:
            del self._turns[claim.lane]
        await finish(self._services, claim, burst, log.record, turn)

    async def _work_command(self, claim: Claim, answered: Callable[[], None]) -> None:
        await work_command(self._services, claim, self.stop)

    async def _work_knock(self, claim: Claim, answered: Callable[[], None]) -> None:
        await work_knock(self._services, claim, self.stop)

    async def _work_question(self, claim: Claim, answered: Callable[[], None]) -> None:
        await work_question(self._services, claim)

    async def _guard(self, claim: Claim, work: Work, give_back: Callable[[], None]) -> None:
        """One of the three supervisors: whatever breaks in a turn stays in its conversation."""
        try:
            await work(claim, give_back)
        except LaneLost:
            log.info("%s: taken over, or ended by a command", claim.lane)
            await self._until_stored(lambda: self._services.journal.release(claim))
        except StoreUnavailable as error:
            log.error("%s: %s", claim.lane, error)
            await self._until_stored(lambda: self._services.journal.release(claim))
        except asyncio.CancelledError:
            with suppress(LaneLost, StoreUnavailable):
                await asyncio.shield(self._services.journal.release(claim))
            raise
        except Exception:
            log.exception("%s: a turn broke", claim.lane)
            await self._until_stored(lambda: self._set_back(claim))
        finally:
            give_back()

    async def _set_back(self, claim: Claim) -> None:
        head = claim.items[0]
        with suppress(LaneLost):
            if head.attempts <= _MOST_ATTEMPTS:
                await self._services.journal.retry(claim, backoff(head.attempts))
            else:
                await self._services.journal.bury(claim, [head], "its handling broke; see the log")

    async def _until_stored(self, write: Callable[[], Awaitable[None]]) -> None:
        """A lane that is not given back would hold its conversation until the next start."""
        attempt = 0
        while True:
            try:
                return await write()
            except StoreUnavailable:
                await asyncio.sleep(backoff(attempt))
                attempt += 1
