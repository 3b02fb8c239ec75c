"""Presses of what an answer suggests, from every channel that shows it as buttons."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Container, Mapping
from time import time

from parley.core.feedback.presses import is_about
from parley.core.inbound.access import may_talk
from parley.core.model.address import Conversation, account_key
from parley.core.model.feedback import AnswerWithButtons
from parley.core.model.options import ChannelOptions
from parley.core.model.questions import SUGGESTION_QUESTION, Click, pressed_suggestion
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Journal
from parley.core.state.feedback import load_answer
from parley.core.texts import Sentence


class SuggestionPresses:
    """Takes presses. `publish` makes a message durable, and tells whether it is new."""

    def __init__(
        self,
        journal: Journal,
        channels: Mapping[str, ChannelOptions],
        paired: Container[str],
        publish: Callable[[InboundMessage], Awaitable[bool]],
    ) -> None:
        self._journal, self._channels = journal, channels
        self._paired, self._publish = paired, publish

    async def submit(self, click: Click) -> Sentence:
        """Have the person say what was suggested, once, durably; returns what to tell who pressed.

        Whoever may talk to the bot there may press. Raises StoreUnavailable.
        """
        place, (turn, number) = click.conversation, pressed_suggestion(click)
        if not turn or not may_talk(self._channels[place.channel], click.sender, place, self._paired):
            return Sentence.HOME_REFUSED
        answer = (await load_answer(self._journal, turn))[0]
        if answer is None or not is_about(click, answer) or number >= len(answer.suggestions):
            return Sentence.SUGGESTION_STALE
        new = await self._publish(_message(click, turn, answer, answer.suggestions[number]))
        return Sentence.SUGGESTION_ASKED if new else Sentence.SUGGESTION_KNOWN


def _message(click: Click, turn: str, answer: AnswerWithButtons, text: str) -> InboundMessage:
    """Return what a press says: the same for each press of one person on one button."""
    pressed = f"{turn}\n{click.option}\n{account_key(click.sender)}"
    return InboundMessage(
        id=SUGGESTION_QUESTION.replace(":", "-") + hashlib.sha256(pressed.encode()).hexdigest()[:32],
        conversation=Conversation.parse(answer.conversation),
        sender=click.sender,
        text=text,
        addressed=True,
        private=click.private,
        sent_at=time(),
        follows=answer.message,
    )
