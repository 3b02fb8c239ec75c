"""Thumbs under answers, from every channel: checked at once, and made durable."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass

from parley.core.inbound.access import may_talk
from parley.core.model.address import account_key
from parley.core.model.codec import encode
from parley.core.model.feedback import CommentWay, FeedbackChoice, FeedbackPrompt, rated_turn
from parley.core.model.options import ChannelOptions
from parley.core.model.questions import Click
from parley.core.model.queues import feedback_queue
from parley.core.ports.journal import Journal, NewQueueItem
from parley.core.state.feedback import load_answer
from parley.core.texts import Sentence


@dataclass(frozen=True, slots=True)
class FeedbackWork:
    """A piece of work: a thumb that was pressed at a time (Unix seconds), or words that are to be asked."""

    click: Click | None = None
    at: float = 0.0
    prompt: FeedbackPrompt | None = None


def press_item(click: Click, at: float) -> NewQueueItem:
    """Return the work of a press: those of one person are taken in their order."""
    channel = click.conversation.channel
    body = encode(FeedbackWork(click, at))
    return NewQueueItem(feedback_queue(channel), account_key(click.sender), body, f"{channel}:{click.id}")


class FeedbackPresses:
    """Takes thumbs. `comments` tells how each channel asks for words."""

    def __init__(
        self,
        journal: Journal,
        channels: Mapping[str, ChannelOptions],
        paired: Container[str] = (),
        clock: Callable[[], float] = time.time,
        comments: Mapping[str, CommentWay] | None = None,
    ) -> None:
        self._comments = comments or {}
        self._journal = journal
        self._channels = channels
        self._paired = paired
        self._clock = clock

    async def submit(self, click: Click) -> Sentence:
        """Make a press durable; returns what to tell who pressed. Raises StoreUnavailable."""
        place, turn = click.conversation, rated_turn(click)
        if not turn or not may_talk(self._channels[place.channel], click.sender, place, self._paired):
            return Sentence.HOME_REFUSED
        if await load_answer(self._journal, turn) is None:
            return Sentence.FEEDBACK_STALE
        await self._journal.put(press_item(click, self._clock()))
        told = click.option == FeedbackChoice.UP or bool(click.text.strip())
        way = self._comments.get(place.channel, CommentWay.COMMAND)
        asked = way is CommentWay.FORM or (way is CommentWay.REPLY and click.private)
        return Sentence.FEEDBACK_NOTED if told or asked else Sentence.FEEDBACK_NOTED_HOW
