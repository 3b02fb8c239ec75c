"""What piled up while nobody was there: at what pace it is worked off, and what has become too old."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count, takewhile

from parley.core.inbound.batching import QueuedMessage, decode_message
from parley.core.inbound.turn_queue import load_queue
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Claim
from parley.core.services import CoreServices
from parley.core.state.conversations import ConversationRecord
from parley.core.state.turn_record import read_turn_record

# Seconds after a start in which platforms hand over what they kept for us.
_ARRIVING = 600.0


class CatchUpPacer:
    """Lets turns that waited for this process to start begin one after the other, the oldest first.

    `rate` is how many a second, 0 for no limit; `began` when the process started, in Unix seconds.
    """

    def __init__(self, rate: float, began: float) -> None:
        self._pause = 1.0 / rate if rate else 0.0
        self._began = began
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def holds(self, claim: Claim) -> bool:
        """Return whether a claimed turn belongs to the backlog.

        One that had begun already goes on at once.
        """
        head = claim.items[0]
        if not self._pause or head.note or head.put_at - self._began > _ARRIVING:
            return False
        return head.put_at < self._began or decode_message(head.body).sent_at < self._began

    async def wait_turn(self, claim: Claim) -> None:
        """Return when the turn may begin. Raises CancelledError once the backlog is closed."""
        turn = asyncio.get_running_loop().create_future()
        if self._closed:
            turn.cancel()
        heappush(self._waiting, (claim.items[0].put_at, next(self._numbers), turn))
        if self._timer is None:
            self._go_on()
        await turn

    def close(self) -> None:
        """Let nobody in any more: what still waits goes on at the next start."""
        self._closed = True
        for _, _, turn in self._waiting:
            turn.cancel()

    def _go_on(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._pause, self._let_in)

    def _let_in(self) -> None:
        self._timer = None
        while self._waiting:
            _, _, turn = heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                self._go_on()
                return


def may_be_missed(services: CoreServices, burst: Sequence[QueuedMessage]) -> bool:
    """Return whether so much time has passed since this was written that `missed` has to look."""
    most = services.options.max_message_age
    return most > 0 and services.clock() - burst[0].message.sent_at > most


async def find_missed(
    services: CoreServices, claim: Claim, burst: Sequence[QueuedMessage]
) -> tuple[QueuedMessage, ...]:
    """Return the messages, from the oldest on, that are too old to be answered without being asked again.

    Raises StoreUnavailable.
    """
    head, conversation = burst[0].item, burst[0].message.conversation
    if head.note:
        return tuple(burst) if read_turn_record(head).missed else ()
    record, _ = await services.conversations.read(conversation)
    queue = await load_queue(services.journal, conversation)
    oldest = services.clock() - services.options.max_message_age
    return tuple(takewhile(lambda each: _is_missed(each.message, record, oldest), queue.edited))


def _is_missed(message: InboundMessage, record: ConversationRecord, oldest: float) -> bool:
    """Return a message that waited for the turn before it is as old as that turn's end: we were there.

    What lets a run go on, or was asked for again, is wanted at any age.
    """
    if record.question is not None or message.resumes or message.retries or message.edits:
        return False
    return max(message.sent_at, record.last_at) < oldest
