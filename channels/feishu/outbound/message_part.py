"""One part of a reply on the wire: a message that grows, or stands, in the best way that Feishu takes.

Each message has a `uuid`: sent again within an hour, it is not there twice. What is about to be sent is noted
first, so that after a crash the same message goes on growing.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

from parley.channels.feishu import formatting
from parley.channels.feishu.api import FeishuApi, FeishuDestination
from parley.channels.feishu.errors import (
    CardRefused,
    MessageWithdrawn,
    PlaceLost,
    ScopeMissing,
    StaleSequence,
    StreamingClosed,
)
from parley.channels.feishu.outbound.minimum_intervals import MinimumIntervals
from parley.channels.feishu.outbound.reply_state import NEXT_LOWER_LEVEL, PartState, RenderLevel
from parley.channels.feishu.question_card import NO_FOOTER, CardFooter, question_card_json, text_with_footer
from parley.core.model.errors import DeliveryRejected
from parley.core.model.types import JsonObject

log = logging.getLogger(__name__)

UUID_LIFE = 3500.0
CARD_GAP, MESSAGE_GAP = 0.1, 0.2
_TICKS = 20
_JUMPS = (0, 0, 10**6, 10**7, 10**8)
"""How much higher the number of each try is: as it is; once more, for the HTTP client may have repeated the
call; then each gets over one more node that had the card before, and whose clock is ahead of ours."""


class RenderLevelPolicy:
    """The best rung that the app is permitted; `clock` is monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._cards_again = 0.0

    def best(self) -> RenderLevel:
        """Return where to begin."""
        return RenderLevel.ENTITY if self._clock() >= self._cards_again else RenderLevel.CARD

    def exclude(self, error: ScopeMissing) -> None:
        """Do without CardKit, which is not permitted, for ten minutes."""
        log.warning("feishu: no streaming cards, plain ones instead: %s", error)
        self._cards_again = self._clock() + 600.0


class MessagePart:
    """Part number `index` of a turn's reply. `note` makes what it is durable, with the message that it no
    longer is, and then takes that away; `stop` is the button under it while it grows.
    """

    def __init__(
        self,
        api: FeishuApi,
        rungs: RenderLevelPolicy,
        place: FeishuDestination,
        turn: str,
        index: int,
        part: PartState | None,
        note: Callable[[PartState, str], Awaitable[None]],
        stop: JsonObject,
    ) -> None:
        self._api, self._rungs, self._place = api, rungs, place
        self._turn, self._index = turn, index
        self._note = note
        self._stop = stop
        self.part = part
        self._gaps = MinimumIntervals()
        self._sequence = 0
        self._shown: str | None = None
        self._foot = NO_FOOTER
        self._steps = ""
        # Whether something stands under the text: what an earlier process put there is not known.
        self._foots = part is not None and part.card != ""
        self._tried = part is not None
        self.doubtful = False

    @property
    def shown(self) -> str | None:
        """The text that stands there, where we know it."""
        return self._shown

    async def grow(self, text: str, steps: str = "") -> None:
        """Show a text that is not all yet, with steps under it; nothing where that cannot be shown.

        Raises ChannelError.
        """
        while self.part is None or self.part.rung.grows:
            part = await self._planned(self._rungs.best())
            if (self._shown, self._steps) == (text, steps) and part.message:
                return
            try:
                await self._carry_growing(part, text, steps)
            except PlaceLost:
                raise
            except DeliveryRejected as error:
                part = self.part or part
                if part.message and not isinstance(error, CardRefused | ScopeMissing):
                    # What stands there is good, and the next snapshot may be taken.
                    raise
                await self._lower(part, error)
            else:
                return

    async def _carry_growing(self, part: PartState, text: str, steps: str) -> None:
        if part.rung is RenderLevel.ENTITY:
            await self._carry_entity(part, text, NO_FOOTER, final=False)
            if steps and steps != self._steps and self.part is not None:
                await self._stream(self.part, formatting.STEPS_ID, steps)
        else:
            below = (formatting.steps_element(steps),) if steps else ()
            await self._carry(part, text, CardFooter((*below, self._stop)), final=False)
        self._steps = steps

    async def settle(self, text: str, foot: CardFooter = NO_FOOTER) -> str:
        """Show the whole text, with a foot under it; returns the message's id. Raises ChannelError."""
        while True:
            part = await self._planned(RenderLevel.CARD)
            try:
                return await self._carry(part, text, foot, final=True)
            except PlaceLost:
                raise
            except DeliveryRejected as error:
                if part.rung not in NEXT_LOWER_LEVEL:
                    raise
                await self._lower(part, error)

    async def withdraw(self) -> None:
        """Take the message away, if there is one."""
        if self.part is not None and self.part.message:
            with suppress(DeliveryRejected):
                await self._api.recall(self.part.message)

    async def rewrite(self, text: str, foot: CardFooter = NO_FOOTER) -> None:
        """Write the whole text once more where the message stands. What is refused stays as it is.

        Raises ChannelError where it may work later.
        """
        if self.part is None or not self.part.message:
            return
        try:
            await self._carry(self.part, text, foot, final=True)
        except DeliveryRejected as error:
            log.info("feishu: part %d of turn %s stays as it is (%s)", self._index, self._turn, error)

    async def settle_question(self, text: str) -> None:
        """Show another text, without a foot, where the card stands: nowhere when it was taken back, and not
        where it is no card, which has no buttons either. Raises ChannelError."""
        part = self.part
        if part is None or not part.message:
            return
        try:
            if part.rung is RenderLevel.ENTITY:
                await self._replace(part, text, NO_FOOTER)
            elif part.rung is RenderLevel.CARD:
                await self._gaps.wait(0, MESSAGE_GAP)
                await self._api.patch(part.message, formatting.card(text, streaming=False))
        except MessageWithdrawn:
            log.info("feishu: a question that is decided was taken back before")

    async def _planned(self, rung: RenderLevel) -> PartState:
        """Return the part as it is, or as it is begun; what is sent without an entity must be noted first."""
        if self.part is None:
            part = self.part = PartState(rung, time.time())
            return part if rung is RenderLevel.ENTITY else await self._become(part)
        return self.part

    async def _carry(self, part: PartState, text: str, foot: CardFooter, *, final: bool) -> str:
        """Show a text on the part's rung; returns the message's id."""
        if part.rung is RenderLevel.ENTITY:
            return await self._carry_entity(part, text, foot, final=final)
        if part.rung is RenderLevel.CARD:
            return await self._carry_card(part, text, foot)
        if not part.message:
            words = text_with_footer(text, foot)
            content = formatting.post(words) if part.rung is RenderLevel.POST else formatting.plain(words)
            part = await self._send(part, "post" if part.rung is RenderLevel.POST else "text", content)
            self._shown = text
        return part.message

    async def _carry_entity(self, part: PartState, text: str, foot: CardFooter, *, final: bool) -> str:
        if not part.card:
            try:
                made = await self._api.create_card(formatting.card(text, streaming=True, foot=(self._stop,)))
            except ScopeMissing as error:
                self._rungs.exclude(error)
                raise
            part = await self._become(replace(part, card=made, born=time.time()))
            self._shown, self._steps, self._foots = text, "", True
        if not part.message:
            part = await self._send(part, "interactive", {"type": "card", "data": {"card_id": part.card}})
        if foot.elements or (final and (self._foots or self._shown != text)):
            # The whole card: streaming ends with it. While that goes on, presses cannot change a card.
            await self._replace(part, text, foot)
        elif self._shown != text:
            await self._stream(part, formatting.ELEMENT_ID, text)
        self._shown = text
        return part.message

    async def _stream(self, part: PartState, element: str, text: str) -> None:
        async def stream(number: int) -> None:
            await self._api.stream(part.card, element, text, number)

        try:
            await self._operate(part, stream)
        except StreamingClosed:
            # By Feishu, after ten minutes.
            await self._operate(part, lambda number: self._api.resume_streaming(part.card, number))
            await self._operate(part, stream)

    async def _replace(self, part: PartState, text: str, foot: CardFooter) -> None:
        whole = question_card_json(text, foot)
        await self._operate(part, lambda number: self._api.replace_card(part.card, whole, number))
        self._foots = False

    async def _operate(self, part: PartState, operation: Callable[[int], Awaitable[None]]) -> None:
        """Do something to a card entity, under a number higher than any before, a dead process's too."""
        for jump in _JUMPS:
            await self._gaps.wait(0, CARD_GAP)
            ticks = int((time.time() - part.born) * _TICKS)
            self._sequence = max(self._sequence, ticks) + 1 + jump
            try:
                await operation(self._sequence)
            except StaleSequence:
                if jump == _JUMPS[-1]:
                    raise
            else:
                return

    async def _carry_card(self, part: PartState, text: str, foot: CardFooter) -> str:
        whole = question_card_json(text, foot)
        if not part.message:
            # Had an earlier attempt arrived, its text would stand there.
            first, self._tried = not self._tried, True
            part = await self._send(part, "interactive", whole)
            self._shown, self._foot = (text if first else None), foot
        if self._shown != text or self._foot != foot:
            await self._gaps.wait(0, MESSAGE_GAP)
            await self._api.patch(part.message, whole)
            self._shown, self._foot = text, foot
        return part.message

    async def _send(self, part: PartState, kind: str, content: JsonObject) -> PartState:
        self.doubtful = self.doubtful or time.time() - part.born > UUID_LIFE
        digest = hashlib.sha256(self._turn.encode()).hexdigest()[:32]
        message = await self._api.send(self._place, kind, content, f"{digest}-{self._index}{part.rung}")
        return await self._become(replace(part, message=message))

    async def _lower(self, part: PartState, error: DeliveryRejected) -> None:
        """Show what was refused so in the next best way, and no longer in this."""
        log.info("feishu: part %d of turn %s is shown more plainly (%s)", self._index, self._turn, error)
        self._shown, self._tried = None, False
        await self._become(PartState(NEXT_LOWER_LEVEL[part.rung], time.time()), left=part.message)

    async def _become(self, part: PartState, left: str = "") -> PartState:
        self.part = part
        await self._note(part, left)
        return part
