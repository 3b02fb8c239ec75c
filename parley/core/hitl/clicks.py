"""Clicks on the buttons of a question: checked at once, and made durable."""

from __future__ import annotations

from collections.abc import Container, Mapping

from parley.core.hitl.policy import may_decide, parse_arguments
from parley.core.hitl.records import (
    QuestionEvent,
    QuestionEventKind,
    QuestionRecord,
    click_item,
    decode_question,
    question_document_key,
)
from parley.core.hitl.render import render_outcome
from parley.core.inbound.access import may_talk
from parley.core.model.options import ChannelOptions
from parley.core.model.questions import EDIT, Click
from parley.core.ports.journal import Journal
from parley.core.state.people import load_chosen_language
from parley.core.texts import Sentence, language_of, say


class ClickHandler:
    """Accepts clicks from every channel."""

    def __init__(
        self, journal: Journal, channels: Mapping[str, ChannelOptions], paired: Container[str] = ()
    ) -> None:
        """Take the store, the options of the channels by name, and the keys of paired accounts."""
        self._journal = journal
        self._channels = channels
        self._paired = paired

    async def submit(self, click: Click) -> str:
        """Make a press of a button durable; returns what to tell who pressed it. Raises StoreUnavailable."""
        options = self._channels[click.conversation.channel]
        chosen = await load_chosen_language(self._journal, click.sender)
        record = decode_question(await self._journal.get(question_document_key(click.question)))
        asked_in = record.language if record is not None else ""
        language = language_of(chosen, options.language, click.sender.language, asked_in)
        if record is None:
            return say(language, Sentence.QUESTION_STALE)
        if not record.open:
            return render_outcome(record)
        refusal = _refusal(options, record, click, self._paired)
        if refusal is not None:
            return say(language, refusal, name=record.asker.name or record.asker.id)
        event = QuestionEvent(QuestionEventKind.CLICK, click.question, click)
        await self._journal.put(click_item(record, event, f"{click.conversation.channel}:click:{click.id}"))
        return say(language, Sentence.QUESTION_TAKEN)


def _refusal(
    options: ChannelOptions, record: QuestionRecord, click: Click, paired: Container[str]
) -> Sentence | None:
    """Return why a click decides nothing."""
    if not may_talk(options, click.sender, click.conversation, paired):
        return Sentence.QUESTION_NOT_YOURS
    if not may_decide(record.rules, click.sender, record.asker, options.admins):
        return Sentence.QUESTION_NOT_YOURS
    if click.option == EDIT:
        readable = record.question.may_edit and parse_arguments(click.text)
        return None if readable else Sentence.QUESTION_UNREADABLE
    known = {option.id for option in record.question.options}
    return None if click.option in known or (not click.option and click.text) else Sentence.QUESTION_STALE
