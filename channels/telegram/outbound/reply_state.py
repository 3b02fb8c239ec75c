"""What a reply notes about itself, so that whoever goes on with it after a crash doubles nothing unseen."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from parley.channels.kit.errors import ResponseLost
from parley.channels.kit.reply_state import ReplyState
from parley.core.model.errors import ChannelError, LaneLost, StoreUnavailable
from parley.core.ports.channel import Checkpoint

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TelegramReplyState(ReplyState):
    """The messages that hold the reply's text and files, in order.

    `sending` says that a message or file was on its way when this was noted, `doubtful` that one may have
    arrived twice.
    """

    channel: ClassVar[str] = "telegram"
    parts: tuple[int, ...] = ()
    files: tuple[int, ...] = ()
    sending: bool = False
    doubtful: bool = False

    def dump(self) -> str:
        """Return it as a short text."""
        return json.dumps({"m": self.parts, "f": self.files, "s": self.sending, "d": self.doubtful})

    @classmethod
    def parse(cls, noted: Any) -> TelegramReplyState:  # noqa: ANN401
        """Return what `dump` noted."""
        parts, files = tuple(map(int, noted["m"])), tuple(map(int, noted["f"]))
        return cls(parts, files, noted["s"] is True, noted["d"] is True)

    def with_part(self, index: int, message: int) -> TelegramReplyState:
        """Return the state in which `message` holds a part, in place of one that is no more."""
        return replace(self, parts=(*self.parts[:index], message, *self.parts[index + 1 :]))


class ReplyProgress:
    """How far a reply has come; what is noted is durable."""

    def __init__(self, noted: str, checkpoint: Checkpoint) -> None:
        self.state = TelegramReplyState.load(noted)
        self.checkpoint = checkpoint

    async def note(self, state: TelegramReplyState) -> None:
        """Return when it is on disk that the reply has come so far."""
        self.state = state
        await self.checkpoint(state.dump())

    async def reserve(
        self, index: int, send: Callable[[], Awaitable[int]], take_away: Callable[[int], Awaitable[None]]
    ) -> None:
        """Send what holds a message's place and note its id; one whose id cannot be noted does not stay.

        Whoever goes on with the reply would not know of it, and send another.
        """
        before, number = self.state, await send()
        try:
            await self.note(before.with_part(index, number))
        except (StoreUnavailable, LaneLost):
            self.state = before
            with suppress(ChannelError, LaneLost):
                await take_away(number)
            raise

    async def send(
        self,
        action: Callable[[], Awaitable[T]],
        sent: Callable[[TelegramReplyState, T], TelegramReplyState],
    ) -> None:
        """Do what Telegram does twice if it is asked twice, and note what `sent` makes of the state then.

        That it is on its way is noted before. Whoever finds that note, and no more, sends it again in doubt.
        """
        doubtful = self.state.doubtful or self.state.sending
        await self.note(replace(self.state, sending=True, doubtful=doubtful))
        try:
            result = await action()
        except ResponseLost:
            raise
        except ChannelError:
            await self.note(replace(self.state, sending=False))
            raise
        await self.note(replace(sent(self.state, result), sending=False))
