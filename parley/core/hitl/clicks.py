"""Clicks on the buttons of a question, or under an answer: checked at once, and made durable."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Container, Mapping
from dataclasses import replace
from typing import Protocol

from parley.core.feedback.presses import FeedbackPresses
from parley.core.hitl.policy import may_decide, parse_arguments
from parley.core.hitl.records import (
    QuestionEvent,
    QuestionEventKind,
    QuestionRecord,
    click_item,
    decode_question,
    question_document_key,
    waiting_decisions,
)
from parley.core.hitl.render import arguments_budget, render_outcome, render_settled
from parley.core.inbound.access import may_talk
from parley.core.inbound.stop_presses import StopPresses
from parley.core.model.address import Conversation
from parley.core.model.feedback import FEEDBACK_QUESTION, CommentWay
from parley.core.model.options import ChannelOptions
from parley.core.model.questions import EDIT, STOP_QUESTION, SUGGESTION_QUESTION, Click, Decision
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Journal
from parley.core.state.people import load_chosen_language
from parley.core.suggestions.presses import SuggestionPresses
from parley.core.texts import Sentence, language_of, say


class _Presses(Protocol):
    """Takes presses of buttons that are no question's."""

    async def submit(self, click: Click) -> Sentence:
        """Make a press durable; returns what to tell who pressed. Raises StoreUnavailable."""
        ...


class ClickHandler:
    """Accepts clicks from every channel."""

    def __init__(
        self,
        journal: Journal,
        channels: Mapping[str, ChannelOptions],
        turn_id: Callable[[int], str],
        publish: Callable[[InboundMessage], Awaitable[bool]],
        paired: Container[str] = (),
        comments: Mapping[str, CommentWay] | None = None,
    ) -> None:
        """Take the store, the options of the channels by name, how the turn of an accepted item is named,
        what makes a message durable, the keys of paired accounts, and how each channel asks what was wrong
        with an answer.
        """
        self._presses: Mapping[str, _Presses] = {
            FEEDBACK_QUESTION: FeedbackPresses(journal, channels, paired, comments),
            STOP_QUESTION: StopPresses(journal, channels, paired, turn_id),
            SUGGESTION_QUESTION: SuggestionPresses(journal, channels, paired, publish),
        }
        self._journal = journal
        self._channels = channels
        self._paired = paired

    async def submit(self, click: Click) -> str:
        """Make a press of a button durable; returns what to tell who pressed it. Raises StoreUnavailable."""
        options = self._channels[click.conversation.channel]
        chosen = await load_chosen_language(self._journal, click.sender)
        presses = next(
            (each for kind, each in self._presses.items() if click.question.startswith(kind)), None
        )
        if presses is not None:
            told = await presses.submit(click)
            return say(language_of(chosen, options.language, click.sender.language), told)
        record = await _pressed_question(self._journal, click)
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
        decided = await _decided_by(self._journal, record, click)
        if decided is None or decided.decision is None:
            return say(language, Sentence.QUESTION_STALE)
        if _decides(decided.decision, click):
            return say(language, Sentence.QUESTION_TAKEN)
        return render_outcome(decided)


async def outcome_text(journal: Journal, click: Click, max_chars: int) -> str:
    """Return how a question's message reads once it is decided: by others before, or by this press.

    "" where the press decides nothing. Raises StoreUnavailable.
    """
    record = await _pressed_question(journal, click)
    if record is None:
        return ""
    if record.open:
        decided = await _decided_by(journal, record, click)
        if decided is None or decided.decision is None or decided.decision.source != click.id:
            return ""
        record = decided
    return render_settled(record, arguments_budget(max_chars))


async def _decided_by(journal: Journal, record: QuestionRecord, click: Click) -> QuestionRecord | None:
    """Return a question as the first of what was taken decides it: another press may be before, or words.

    None where it was worked already and decided nothing. Decisions of a turn are worked in the order in
    which the store took them, on whichever node.
    """
    first = await _first_click(journal, record)
    # Looked at afterwards: one that was worked meanwhile waits no more, and this one would seem the first.
    now = await _pressed_question(journal, click)
    if now is not None and not now.open:
        return now
    return None if first is None else replace(record, decision=_decision_of(first))


def _decides(decision: Decision, click: Click) -> bool:
    """Return whether a decision is what the press says: its own, or the same of the same person."""
    if decision.source == click.id:
        return True
    return (decision.by, decision.option, decision.text) == (click.sender, click.option, click.text)


def _decision_of(click: Click) -> Decision:
    return Decision(click.option, click.text, click.sender, time.time(), click.id)


async def _pressed_question(journal: Journal, click: Click) -> QuestionRecord | None:
    """Return the question of a press; None where it was not asked in the chat that the press comes from.

    Whoever learned a question's key could else press it, or read its outcome, through another chat or app.
    """
    record = decode_question(await journal.get(question_document_key(click.question)))
    if record is None:
        return None
    there, here = Conversation.parse(record.place), click.conversation
    return record if (here.channel, here.chat) == (there.channel, there.chat) else None


async def _first_click(journal: Journal, record: QuestionRecord) -> Click | None:
    """Return the press, or the words, that wait to decide a question."""
    events = await waiting_decisions(journal, record)
    return next((each.click for each in events if each.key == record.question.id and each.click), None)


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
