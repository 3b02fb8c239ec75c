"""Open questions that a conversation goes on without: each is closed, and its message says so."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from parley.core.hitl.lifecycle import drop_questions
from parley.core.hitl.records import QuestionRecord, decode_question, question_document, questions_of_turn
from parley.core.ports.journal import Document, Journal
from tests.kit.doubles.core import Core, ScriptedAgent, core
from tests.kit.samples.questions import MAIL, asking, with_buttons
from tests.kit.waiting import until


class ShowingJournal:
    """A journal in which a question's message is noted just before the question is closed."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.noted = False

    def __getattr__(self, name: str) -> object:
        return getattr(self._journal, name)

    async def set(self, document: Document) -> Document:
        if not self.noted:
            self.noted = True
            known = await self._journal.get(document.key)
            await self._journal.set(question_document(known, replace(_record(known), messages=("noted",))))
        return await self._journal.set(document)


def _record(document: Document) -> QuestionRecord:
    record = decode_question(document)
    assert record is not None
    return record


@asynccontextmanager
async def asked(folder: Path) -> AsyncIterator[tuple[Core, str]]:
    """A core with a question that is shown, and the turn that asked it."""
    async with core(folder, agent=ScriptedAgent(asking(MAIL)), channel=with_buttons()) as parley:
        await parley.say("ask")
        await parley.channel.until_finals(2)
        turn = parley.channel.finals[0].turn_id
        await until(lambda: parley.nothing_waits("questions/test", f"{turn}/show"), "the question is noted")
        yield parley, turn


async def test_a_question_that_is_being_shown_is_closed_too(tmp_path: Path) -> None:
    async with asked(tmp_path) as (parley, turn):
        journal = ShowingJournal(parley.journal)
        await drop_questions(journal, turn)  # type: ignore[arg-type]
        assert journal.noted
        ((record, _),) = await questions_of_turn(parley.journal, turn)
        assert record.dropped
        assert record.messages == ("noted",)
        await parley.channel.until(lambda: bool(parley.channel.settled))


async def test_closing_goes_on_where_a_crash_ended_it(tmp_path: Path) -> None:
    async with asked(tmp_path) as (parley, turn):
        ((record, document),) = await questions_of_turn(parley.journal, turn)
        # As far as a process came that was killed before it let the message be settled.
        await parley.journal.set(question_document(document, replace(record, dropped=True)))
        await drop_questions(parley.journal, turn)
        await parley.channel.until(lambda: bool(parley.channel.settled))
