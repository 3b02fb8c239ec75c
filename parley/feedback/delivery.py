"""Tells services what people think of answers: durable work, tried again for three days."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from parley.core.dead_letters import BROKEN_REASON, POISON_REASON, bury_items
from parley.core.flow_control.quarantine import Quarantine
from parley.core.flow_control.semaphore import CountingSemaphore
from parley.core.model.codec import decode
from parley.core.model.errors import FeedbackUndelivered
from parley.core.model.feedback import Feedback
from parley.core.model.queues import feedback_delivery_queue
from parley.core.ports.feedback import FeedbackDestination
from parley.core.ports.journal import Claim, Journal
from parley.core.scheduler.lane_worker import LaneRules, LaneWorker
from parley.core.state.feedback import is_kept
from parley.feedback.options import FeedbackDeliveryOptions

log = logging.getLogger(__name__)

_AT_ONCE = 4
"""Requests to one service."""
_FIRST_PAUSE, _LONGEST_PAUSE = 5.0, 3_600.0
MOST_TRIES = 80
"""With these pauses about three days."""
_BROKEN_TRIES = 3


def retry_pause(tries: int) -> float:
    """Return the seconds before the next try."""
    return min(_FIRST_PAUSE * 2.0 ** min(tries, 20), _LONGEST_PAUSE)


class FeedbackDelivery:
    """Works the queues of all destinations until cancelled."""

    def __init__(
        self, journal: Journal, destinations: Sequence[FeedbackDestination], quarantine: Quarantine
    ) -> None:
        self._journal = journal
        self._destinations = destinations
        rules = LaneRules("a feedback", self._set_back, self._bury)
        self._lanes = LaneWorker(journal, quarantine, rules)

    async def run(self) -> None:
        """Deliver until cancelled; what is under way then is tried again at the next start."""
        try:
            async with asyncio.TaskGroup() as group:
                for each in self._destinations:
                    queue = feedback_delivery_queue(each.name)
                    handler = partial(self._deliver, each)
                    work = self._lanes.work(queue, CountingSemaphore(_AT_ONCE), _AT_ONCE, handler)
                    group.create_task(work)
        finally:
            await self._lanes.cancel()

    async def _deliver(
        self, destination: FeedbackDestination, claim: Claim, answered: Callable[[], None]
    ) -> None:
        """Tell a service; nothing of what was erased meanwhile, or is too old to be kept."""
        head = claim.items[0]
        feedback = decode(Feedback, head.body)
        try:
            if await is_kept(self._journal, feedback):
                await destination.deliver(feedback)
        except FeedbackUndelivered as error:
            if error.refused or head.attempts >= MOST_TRIES:
                reason = f"{destination.name} was not told: {error.user_text}"
                await bury_items(self._journal, claim, [head], reason)
                return
            pause = max(retry_pause(head.attempts), min(error.wait, _LONGEST_PAUSE))
            log.warning("%s: %s; again in %.0f s", destination.name, error.user_text, pause)
            await self._journal.retry(claim, pause)
            return
        await self._journal.done(claim, [head])

    async def _set_back(self, claim: Claim, error: Exception) -> None:
        head = claim.items[0]
        if head.attempts < _BROKEN_TRIES:
            await self._journal.retry(claim, retry_pause(head.attempts))
        else:
            await bury_items(self._journal, claim, [head], BROKEN_REASON)

    async def _bury(self, claim: Claim) -> None:
        reason = POISON_REASON.format(claim.crashes, claim.trials)
        await bury_items(self._journal, claim, claim.items[:1], reason)


@asynccontextmanager
async def open_destinations(options: FeedbackDeliveryOptions) -> AsyncIterator[Sequence[FeedbackDestination]]:
    """Open the services that are to be told; none costs nothing."""
    if options == FeedbackDeliveryOptions():
        yield ()
        return
    # Only here: most installations tell nobody.
    from parley.feedback.http import open_client
    from parley.feedback.langfuse import LangfuseFeedback
    from parley.feedback.langsmith import LangSmithFeedback
    from parley.feedback.webhook import WebhookFeedback

    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(open_client())
        found: list[FeedbackDestination] = []
        if options.langsmith is not None:
            found.append(LangSmithFeedback(http, options.langsmith))
        if options.langfuse is not None:
            found.append(LangfuseFeedback(http, options.langfuse))
        if options.webhook is not None:
            found.append(WebhookFeedback(http, options.webhook))
        yield tuple(found)
