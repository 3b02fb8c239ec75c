"""Buttons under a question.

Telegram gives a button 64 bytes of its own, too few for an option's id. So a button has the question's key
and the option's number, and which options they are is kept in the store until the question is settled.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from telegram import CallbackQuery, InlineKeyboardButton, InlineKeyboardMarkup, Message
from telegram.constants import ChatType

from parley.channels.kit.text import shorten, wellformed
from parley.channels.telegram.mapping import CHAT_TYPES, NAME, conversation_of, user_of
from parley.core.model.address import Conversation, User
from parley.core.model.errors import DocumentConflict
from parley.core.model.feedback import FEEDBACK_QUESTION, THUMBS, thumbs_question
from parley.core.model.questions import SUGGESTION_QUESTION, Option, Question, suggestion_question
from parley.core.model.types import OutboundMessage
from parley.core.ports.journal import DocumentRepository

MOST_BUTTONS = 100
"""Telegram takes no more under one message; further options can be given in words."""
_ROW = 30
_MOST_IN_ROW = 8
_LABEL = 100


@dataclass(frozen=True, slots=True)
class CallbackPress:
    """A press of the button that has this `number` of this `question`'s; -1 for a button that is not ours.

    `query` is what Telegram calls it, the same each time it is handed over, and what is to be answered.
    """

    query: str
    question: str
    number: int
    sender: User
    conversation: Conversation
    private: bool


def keyboard(*questions: Question | None) -> InlineKeyboardMarkup | None:
    """Return the options of questions, one question below the other; None where there are none."""
    rows = [row for question in questions if question is not None for row in _rows(question)]
    return InlineKeyboardMarkup(rows) if rows else None


def answer_keyboard(snapshot: OutboundMessage) -> InlineKeyboardMarkup | None:
    """Return what stands below a reply: a question's buttons, or thumbs and what may be asked next."""
    thumbs = thumbs_question(snapshot.turn_id) if snapshot.rateable else None
    return keyboard(snapshot.question, thumbs, suggestion_question(snapshot.turn_id, snapshot.suggestions))


def _rows(question: Question) -> Sequence[Sequence[InlineKeyboardButton]]:
    """Return the question's options: side by side where they are short, else one below the other."""
    buttons = [
        InlineKeyboardButton(_label(option), callback_data=f"{question.id}:{number}")
        for number, option in enumerate(question.options[:MOST_BUTTONS])
    ]
    if len(buttons) <= _MOST_IN_ROW and sum(len(button.text) for button in buttons) <= _ROW:
        return [buttons] if buttons else []
    return [[button] for button in buttons]


def parse_callback_query(query: CallbackQuery) -> CallbackPress | None:
    """Return what was pressed; nothing for games and inline messages, of which we send none."""
    message, data = query.message, query.data
    if message is None or data is None or message.chat.type not in CHAT_TYPES or query.from_user.is_bot:
        return None
    question, _, number = data.rpartition(":")
    ours = question.isprintable() and number.isascii() and number.isdecimal()
    press = CallbackPress(
        str(query.id),
        question if ours else "",
        int(number) if ours else -1,
        user_of(query.from_user),
        # Of a message that is too old Telegram tells the chat only.
        conversation_of(message)
        if isinstance(message, Message)
        else Conversation(NAME, str(message.chat.id)),
        message.chat.type == ChatType.PRIVATE,
    )
    _check(press)
    return press


def _check(press: CallbackPress) -> None:
    """Raise ValueError, AttributeError where a text is none: the SDK checks no types."""
    for text in (press.query, press.sender.name, press.sender.language):
        if "\0" in text or not text.encode():
            raise ValueError("a text is none")
    for number in (press.conversation.chat, press.sender.id):
        int(number)


class ButtonOptions:
    """Which options the buttons of open questions stand for. All methods raise StoreUnavailable."""

    def __init__(self, documents: DocumentRepository) -> None:
        self._documents = documents

    async def keep(self, question: Question | None) -> None:
        """Store what the buttons mean: durable on return, before any is shown."""
        if question is None or not question.options:
            return
        body = json.dumps([option.id for option in question.options], ensure_ascii=False)
        known = await self._documents.get(_key(question.id))
        if known.body != body:
            # A conflict is another node asking the same.
            with suppress(DocumentConflict):
                await self._documents.set(replace(known, body=body))

    async def option(self, press: CallbackPress) -> str:
        """Return the id of the option that was pressed, "" when its question is not open, or none of ours."""
        if not press.question:
            return ""
        if press.question.startswith(FEEDBACK_QUESTION):
            return THUMBS[press.number].id if 0 <= press.number < len(THUMBS) else ""
        if press.question.startswith(SUGGESTION_QUESTION):
            return str(press.number)
        known = await self._documents.get(_key(press.question))
        ids: list[str] = json.loads(known.body) if known.body else []
        return ids[press.number] if 0 <= press.number < len(ids) else ""

    async def forget(self, question: str) -> None:
        """Delete what was kept of a question that is settled."""
        await self._documents.delete(_key(question))


def _label(option: Option) -> str:
    label = wellformed(option.label).strip() or wellformed(option.id).strip() or "…"
    return shorten(label, _LABEL)


def _key(question: str) -> str:
    return f"telegram/options/{question}"
