"""Thumbs under answers, from every channel: checked at once, and made durable."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

from parley.core.inbound.access import may_talk
from parley.core.model.address import Conversation, account_key
from parley.core.model.codec import encode
from parley.core.model.feedback import (
    AnswerWithButtons,
    CommentWay,
    FeedbackChoice,
    FeedbackPrompt,
    rated_turn,
)
from parley.core.model.options import ChannelOptions
from parley.core.model.questions import Click
from parley.core.model.queues import feedback_queue
from parley.core.ports.journal import Journal, NewQueueItem
from parley.core.state.feedback import load_answer
from parley.core.texts import Sentence


@dataclass(frozen=True, slots=True)
class FeedbackWork:
    """A piece of work: a thumb that was pressed, or words that are to be asked."""

    click: Click | None = None
    prompt: FeedbackPrompt | None = None


def press_item(click: Click) -> NewQueueItem:
    """Return the work of a press: those of one person are taken in their order."""
    channel = click.conversation.channel
    body = encode(FeedbackWork(click))
    return NewQueueItem(feedback_queue(channel), account_key(click.sender), body, f"{channel}:{click.id}")


def is_about(click: Click, answer: AnswerWithButtons) -> bool:
    """Return whether a press comes from the chat of an answer; of an old message the topic is not known."""
    there = Conversation.parse(answer.conversation)
    return (click.conversation.channel, click.conversation.chat) == (there.channel, there.chat)


class FeedbackPresses:
    """Takes thumbs. `comments` tells how each channel asks for words."""

    def __init__(
        self,
        journal: Journal,
        channels: Mapping[str, ChannelOptions],
        paired: Container[str] = (),
        comments: Mapping[str, CommentWay] | None = None,
    ) -> None:
        self._comments = comments or {}
        self._journal = journal
        self._channels = channels
        self._paired = paired

    async def submit(self, click: Click) -> Sentence:
        """Make a press durable; returns what to tell who pressed. Raises StoreUnavailable."""
        place, turn = click.conversation, rated_turn(click)
        if not turn or not may_talk(self._channels[place.channel], click.sender, place, self._paired):
            return Sentence.HOME_REFUSED
        answer = (await load_answer(self._journal, turn))[0]
        if answer is None or not (answer.rateable and is_about(click, answer)):
            return Sentence.FEEDBACK_STALE
        await self._journal.put(press_item(click))
        told = click.option == FeedbackChoice.UP or bool(click.text.strip())
        way = self._comments.get(place.channel, CommentWay.COMMAND)
        asked = way is CommentWay.FORM or (way is CommentWay.REPLY and click.private)
        return Sentence.FEEDBACK_NOTED if told or asked else Sentence.FEEDBACK_NOTED_HOW
