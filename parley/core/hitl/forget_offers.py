"""Offers to forget a fact, below an answer: a question of our own, for which no run waits.

An agent elsewhere wants a fact forgotten, and only the person may say so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from parley.core.hitl.records import QuestionRecord
from parley.core.model.questions import Option, Question, QuestionKind
from parley.core.ports.memory.tools import ToolChange
from parley.core.services import CoreServices
from parley.core.texts import Sentence, say

APPROVE, REJECT = "approve", "reject"
MOST_OFFERS = 5
"""Questions below one answer; further facts are named with the command that forgets them."""
_ACTION, _FACT = "forget", "fact"


def forget_question(language: str, change: ToolChange) -> Question:
    """Return the question whether a fact is to be forgotten, as the built-in agent asks it."""
    return Question(
        change.fact,
        f"{say(language, Sentence.MEMORY_TOOL_FORGET)}\n\n{change.content}",
        tuple(_options()),
        may_respond=False,
        kind=QuestionKind.APPROVAL,
        action=_ACTION,
        arguments=json.dumps({_FACT: change.content}, ensure_ascii=False),
    )


def _options() -> Iterator[Option]:
    for option in (APPROVE, REJECT):
        yield Option(option, option)


async def forget_offered(services: CoreServices, record: QuestionRecord) -> bool:
    """Forget the fact of an offer; False where it says something else by now, and so stays.

    Called again after a crash it has nothing to do. Raises MemoryFailed, StoreUnavailable.
    """
    person = await services.people.person_of(record.asker)
    shown = json.loads(record.question.arguments)[_FACT]
    found = [fact for fact in await services.memory.forgettable(person, record.interrupt) if fact.id]
    known = [fact for fact in found if fact.id == record.interrupt]
    if any(fact.content != shown for fact in known):
        return False
    if known:
        await services.memory.forget(person, record.interrupt)
    return True
