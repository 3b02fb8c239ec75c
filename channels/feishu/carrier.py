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
from parley.channels.feishu.api import Api, Place
from parley.channels.feishu.errors import PlaceLost, ScopeMissing, StaleSequence, StreamingClosed, Withdrawn
from parley.channels.feishu.handle import LOWER, Part, Rung
from parley.channels.feishu.pacing import Gaps
from parley.channels.feishu.question import NO_FOOT, Foot, card, without_card
from parley.core.errors import DeliveryRejected
from parley.core.types import JsonObject

log = logging.getLogger(__name__)

UUID_LIFE = 3500.0
CARD_GAP, MESSAGE_GAP = 0.1, 0.2
_TICKS = 20
_JUMPS = (0, 10**6, 10**7)


class Rungs:
    """The best rung that the app is permitted; `clock` is monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._cards_again = 0.0

    def first(self) -> Rung:
        """Where to begin."""
        return Rung.ENTITY if self._clock() >= self._cards_again else Rung.CARD

    def refused(self, error: ScopeMissing) -> None:
        """CardKit is not permitted: look again in ten minutes."""
        log.warning("feishu: no streaming cards, plain ones instead: %s", error)
        self._cards_again = self._clock() + 600.0


class Carrier:
    """Part number `index` of a turn's reply. `note` makes what it is durable."""

    def __init__(
        self,
        api: Api,
        rungs: Rungs,
        place: Place,
        turn: str,
        index: int,
        part: Part | None,
        note: Callable[[Part], Awaitable[None]],
    ) -> None:
        self._api, self._rungs, self._place = api, rungs, place
        self._turn, self._index = turn, index
        self._note = note
        self.part = part
        self._gaps = Gaps()
        self._sequence = 0
        self._shown: str | None = None
        self._foot = NO_FOOT
        self._streams: bool | None = None
        self._tried = part is not None
        self.doubtful = False

    @property
    def shown(self) -> str | None:
        """The text that stands there, where we know it."""
        return self._shown

    async def grow(self, text: str) -> None:
        """Show a text that is not all yet; nothing where that cannot be shown. Raises ChannelError."""
        while self.part is None or self.part.rung.grows:
            part = await self._planned(self._rungs.first())
            try:
                await self._carry(part, text, NO_FOOT, final=False)
            except PlaceLost:
                raise
            except DeliveryRejected as error:
                await self._lower(part, error)
            else:
                return

    async def settle(self, text: str, foot: Foot = NO_FOOT) -> str:
        """Show the whole text, with a foot under it; returns the message's id. Raises ChannelError."""
        while True:
            part = await self._planned(Rung.CARD)
            try:
                return await self._carry(part, text, foot, final=True)
            except PlaceLost:
                raise
            except DeliveryRejected as error:
                if part.rung not in LOWER:
                    raise
                await self._lower(part, error)

    async def withdraw(self) -> None:
        """Take the message away, if there is one."""
        if self.part is not None and self.part.message:
            with suppress(DeliveryRejected):
                await self._api.recall(self.part.message)

    async def rewrite(self, text: str) -> None:
        """Show another text, without a foot, where the card stands: nowhere when it was taken back, and not
        where it is no card, which has no buttons either. Raises ChannelError."""
        part = self.part
        if part is None or not part.message:
            return
        try:
            if part.rung is Rung.ENTITY:
                await self._replace(part, text, NO_FOOT)
            elif part.rung is Rung.CARD:
                await self._gaps.keep(0, MESSAGE_GAP)
                await self._api.patch(part.message, formatting.card(text, streaming=False))
        except Withdrawn:
            log.info("feishu: a question that is decided was taken back before")

    async def _planned(self, rung: Rung) -> Part:
        """The part as it is, or as it is begun; what is sent without an entity must be noted first."""
        if self.part is None:
            part = self.part = Part(rung, time.time())
            return part if rung is Rung.ENTITY else await self._become(part)
        return self.part

    async def _carry(self, part: Part, text: str, foot: Foot, *, final: bool) -> str:
        """Show a text on the part's rung; returns the message's id."""
        if part.rung is Rung.ENTITY:
            return await self._carry_entity(part, text, foot, final=final)
        if part.rung is Rung.CARD:
            return await self._carry_card(part, text, foot)
        if not part.message:
            words = without_card(text, foot)
            content = formatting.post(words) if part.rung is Rung.POST else formatting.plain(words)
            part = await self._send(part, "post" if part.rung is Rung.POST else "text", content)
            self._shown = text
        return part.message

    async def _carry_entity(self, part: Part, text: str, foot: Foot, *, final: bool) -> str:
        if not part.card:
            try:
                made = await self._api.create_card(formatting.card(text, streaming=True))
            except ScopeMissing as error:
                self._rungs.refused(error)
                raise
            part = await self._become(replace(part, card=made, born=time.time()))
            self._shown, self._streams = text, True
        if not part.message:
            part = await self._send(part, "interactive", {"type": "card", "data": {"card_id": part.card}})
        if foot.elements:
            # Ends streaming too: while that goes on, presses cannot change a card.
            await self._replace(part, text, foot)
        elif self._shown != text:
            await self._stream(part, text, final=final)
        self._shown = text
        if final and self._streams is not False:
            await self._set_streaming(part, on=False, summary=formatting.summary(text))
        return part.message

    async def _stream(self, part: Part, text: str, *, final: bool) -> None:
        async def stream(number: int) -> None:
            await self._api.stream(part.card, formatting.ELEMENT, text, number)

        try:
            await self._operate(part, stream)
        except StreamingClosed:
            # By us before a crash, or by Feishu after ten minutes.
            if final:
                await self._replace(part, text, NO_FOOT)
            else:
                await self._set_streaming(part, on=True, summary=formatting.THINKING)
                await self._operate(part, stream)

    async def _replace(self, part: Part, text: str, foot: Foot) -> None:
        whole = card(text, foot)
        await self._operate(part, lambda number: self._api.replace_card(part.card, whole, number))
        self._streams = False

    async def _set_streaming(self, part: Part, *, on: bool, summary: str) -> None:
        await self._operate(part, lambda number: self._api.set_streaming(part.card, on, summary, number))
        self._streams = on

    async def _operate(self, part: Part, operation: Callable[[int], Awaitable[None]]) -> None:
        """Do something to a card entity, under a number higher than any before, a dead process's too."""
        for jump in _JUMPS:
            await self._gaps.keep(0, CARD_GAP)
            ticks = int((time.time() - part.born) * _TICKS)
            self._sequence = max(self._sequence, ticks) + 1
            try:
                await operation(self._sequence)
            except StaleSequence:
                # The call was repeated by the HTTP client, or the clock was set back meanwhile.
                if jump == _JUMPS[-1]:
                    raise
                self._sequence += jump
            else:
                return

    async def _carry_card(self, part: Part, text: str, foot: Foot) -> str:
        whole = card(text, foot)
        if not part.message:
            # Had an earlier attempt arrived, its text would stand there.
            first, self._tried = not self._tried, True
            part = await self._send(part, "interactive", whole)
            self._shown, self._foot = (text if first else None), foot
        if self._shown != text or self._foot != foot:
            await self._gaps.keep(0, MESSAGE_GAP)
            await self._api.patch(part.message, whole)
            self._shown, self._foot = text, foot
        return part.message

    async def _send(self, part: Part, kind: str, content: JsonObject) -> Part:
        self.doubtful = self.doubtful or time.time() - part.born > UUID_LIFE
        digest = hashlib.sha256(self._turn.encode()).hexdigest()[:32]
        message = await self._api.send(self._place, kind, content, f"{digest}-{self._index}{part.rung}")
        return await self._become(replace(part, message=message))

    async def _lower(self, part: Part, error: DeliveryRejected) -> None:
        """What was refused so is shown in the next best way, and no longer in this."""
        log.info("feishu: part %d of turn %s is shown more plainly (%s)", self._index, self._turn, error)
        await self.withdraw()
        self._shown, self._tried = None, False
        await self._become(Part(LOWER[part.rung], time.time()))

    async def _become(self, part: Part) -> Part:
        self.part = part
        await self._note(part)
        return part
