"""A reply in a chat that the bot is no member of, where somebody called it.

Telegram waits for the answer some seconds only, and takes one message. So one is there at once, and grows.
Where it came too late, the answer goes to the private chat of whoever asked.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from parley.channels.kit.errors import ResponseLost
from parley.channels.kit.reply_state import ReplyState
from parley.channels.kit.text import break_position, utf16_length
from parley.channels.telegram.api import TelegramApi
from parley.channels.telegram.destination import TelegramDestination
from parley.channels.telegram.formatting import MAX_MESSAGE_UNITS, FormattedMessage, render, with_steps
from parley.core.model.attachments import StoredFile
from parley.core.model.errors import ChannelError, DeliveryRejected
from parley.core.model.questions import Question
from parley.core.model.types import OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Checkpoint, Reply
from parley.core.texts import Sentence, language_of, say

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GuestReplyState(ReplyState):
    """The id of the message in the chat, or of that in private; `sending` as in TelegramReplyState."""

    channel: ClassVar[str] = "telegram"
    message: str = ""
    private: int = 0
    sending: bool = False
    doubtful: bool = False

    def dump(self) -> str:
        """Return it as a short text."""
        return json.dumps({"g": self.message, "p": self.private, "s": self.sending, "d": self.doubtful})

    @classmethod
    def parse(cls, noted: Any) -> GuestReplyState:  # noqa: ANN401
        """Return what `dump` noted."""
        return cls(str(noted["g"]), int(noted["p"]), noted["s"] is True, noted["d"] is True)


class TelegramGuestReply(Reply):
    """One turn's answer to the guest query `query`."""

    def __init__(self, api: TelegramApi, target: ReplyTarget, query: str, checkpoint: Checkpoint) -> None:
        self._api, self._target, self._query = api, target, query
        self._checkpoint = checkpoint
        self._state = GuestReplyState.load(target.handle)
        self._language = language_of(target.asker.language)
        self._shown: FormattedMessage | None = None
        self._late = False

    async def show(self, snapshot: OutboundMessage) -> None:
        """Answer at once, and show the answer so far with its steps in the same message."""
        begun = FormattedMessage(say(self._language, Sentence.ANSWER_BEGUN))
        first, *_ = with_steps(render(snapshot.text), snapshot.steps) or (begun,)
        if not self._late:
            await self._put(first)

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Have the message say all that it has room for; what it has not, it says."""
        content = self._whole(snapshot)
        if content is not None:
            await self._finish(content)
        state = self._state
        private = f"{self._target.asker.id}:{state.private}" if state.private else ""
        return Receipt(tuple(each for each in (state.message, private) if each), state.doubtful)

    async def settle(self, snapshot: OutboundMessage) -> None:
        """Say what was decided in a question's message."""
        content = self._whole(snapshot)
        if self._state.message and content is not None:
            await self._api.guests.edit(self._state.message, content)

    async def _finish(self, content: FormattedMessage) -> None:
        if self._state.private:
            return
        try:
            await self._put(content)
        except DeliveryRejected as error:
            if self._state.message:
                raise
            log.info("telegram: a guest query is answered in private (%s)", error)
            await self._send_privately(content)

    async def _put(self, content: FormattedMessage) -> None:
        if content == self._shown:
            return
        if self._state.message:
            await self._api.guests.edit(self._state.message, content)
        else:
            title = say(self._language, Sentence.ANSWER_BEGUN)
            try:
                message = await self._api.guests.answer(self._query, title, content)
            except DeliveryRejected:
                self._late = True
                raise
            await self._note(replace(self._state, message=message))
        self._shown = content

    async def _send_privately(self, content: FormattedMessage) -> None:
        doubtful = self._state.doubtful or self._state.sending
        await self._note(replace(self._state, sending=True, doubtful=doubtful))
        try:
            number = await self._api.send(TelegramDestination(int(self._target.asker.id)), content)
        except ResponseLost:
            raise
        except ChannelError:
            await self._note(replace(self._state, sending=False))
            raise
        await self._note(replace(self._state, private=number, sending=False))

    def _whole(self, snapshot: OutboundMessage) -> FormattedMessage | None:
        """Return the answer as one message, with what cannot be there; None for none at all."""
        parts = render(_with_options(snapshot, self._language))
        notes = _notes(parts, snapshot.attachments, self._language)
        if not notes:
            return parts[0] if parts else None
        room = MAX_MESSAGE_UNITS - utf16_length(notes) - 2
        return _joined(parts[0] if parts else FormattedMessage(""), notes, room)

    async def _note(self, state: GuestReplyState) -> None:
        self._state = state
        await self._checkpoint(state.dump())


def _with_options(snapshot: OutboundMessage, language: str) -> str:
    """Return the text with a question's options: they are chosen in words, by calling the bot again."""
    question: Question | None = snapshot.question
    if question is None or not question.options:
        return snapshot.text
    lines = [f"{number}. {option.label}" for number, option in enumerate(question.options, start=1)]
    return "\n\n".join((snapshot.text, "\n".join((say(language, Sentence.QUESTION_HOW), *lines))))


def _notes(parts: Sequence[FormattedMessage], files: Sequence[StoredFile], language: str) -> str:
    names = ", ".join(file.name for file in files)[:200]
    notes = [say(language, Sentence.GUEST_CUT)] if len(parts) > 1 else []
    notes += [say(language, Sentence.GUEST_FILES, names=names)] if files else []
    return "\n".join(notes)


def _joined(part: FormattedMessage, notes: str, room: int) -> FormattedMessage:
    """Return a message cut to the room that is left, with notes under it."""
    text = part.text[: break_position(part.text, 0, room, utf16_length)].rstrip()
    length = utf16_length(text)
    marks = tuple(mark for mark in part.entities if mark.offset + mark.length <= length)
    return FormattedMessage(f"{text}\n\n{notes}".strip(), marks)
