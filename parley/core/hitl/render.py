"""What people read of a question: while it is open, and once it is decided."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from parley.core.hitl.records import QuestionRecord
from parley.core.hitl.render_arguments import format_arguments
from parley.core.model.questions import EDIT, Decision, Option, Question, QuestionKind
from parley.core.texts import Sentence, say

ARGUMENTS_SHOWN = 1500
"""Characters of arguments in a message; longer ones go with it as a file."""
_MOST_ARGUMENTS = 100_000
_MOST_ACTION = 40

_LABELS = {"approve": Sentence.OPTION_APPROVE, "reject": Sentence.OPTION_REJECT}
_PAUSE_LABELS = {"approve": Sentence.OPTION_GO_ON, "reject": Sentence.OPTION_STAY}
_MARKS = {"approve": "✅", "reject": "❌", EDIT: "✏️"}


def localise_question(language: str, question: Question) -> Question:
    """Return the question with its usual options named in `language`, by what each of them does."""
    options = tuple(_labelled(language, question, option) for option in question.options)
    return replace(question, options=options)


def arguments_budget(max_chars: int) -> int:
    """Return how many characters of arguments a message shows where it may have `max_chars`."""
    return min(max(ARGUMENTS_SHOWN, max_chars // 20), _MOST_ARGUMENTS)


def render_question(
    record: QuestionRecord,
    *,
    buttons: bool,
    edits: bool = False,
    room: int = ARGUMENTS_SHOWN,
    last: bool = False,
) -> str:
    """The whole of an open question, with `room` characters of its arguments. With `buttons` its options are
    not listed; where people can edit arguments in place (`edits`), the way to do it in words is not told.
    Words answer the question that was asked last: `last` says that no other one stands below it.
    """
    language, question = record.language, record.question
    parts = [render_prompt(language, question, room)]
    if record.total > 1:
        parts.insert(0, f"**{record.number}/{record.total}**")
    options = localise_question(language, question).options
    if options and not buttons:
        # Numbers beside labels that are numbers would say two things.
        numbered = not any(option.label.strip().isdecimal() for option in options)
        lines = [
            f"{number}. {each.label}" if numbered else f"- {each.label}"
            for number, each in enumerate(options, 1)
        ]
        parts.append("\n".join([say(language, Sentence.QUESTION_HOW), *lines]))
    if not (last or record.number == record.total or (options and buttons)):
        parts.append(say(language, Sentence.QUESTION_OTHERS_FIRST))
    elif not options:
        parts.append(say(language, Sentence.QUESTION_FREE))
    if question.may_edit and not edits:
        parts.append(say(language, Sentence.QUESTION_EDIT))
    return "\n\n".join(parts)


def render_prompt(language: str, question: Question, room: int = ARGUMENTS_SHOWN) -> str:
    """Return what is asked, without how to answer."""
    parts = [question.prompt]
    if question.kind is QuestionKind.APPROVAL:
        parts.append(say(language, Sentence.QUESTION_APPROVAL, action=question.action))
    elif question.kind is QuestionKind.PAUSE:
        asked = Sentence.QUESTION_PAUSE_AT if question.action else Sentence.QUESTION_PAUSE
        parts.append(say(language, asked, action=question.action))
    elif not question.prompt:
        parts.append(say(language, Sentence.QUESTION_INPUT))
    if question.arguments:
        parts.append(_arguments(language, question.arguments, room))
    return "\n\n".join(part for part in parts if part.strip())


def needs_arguments_file(question: Question, room: int = ARGUMENTS_SHOWN) -> bool:
    """Return whether the arguments have to go with the question as a file."""
    return bool(question.arguments) and not format_arguments(question.arguments, room)[1]


def render_settled(record: QuestionRecord, room: int = ARGUMENTS_SHOWN) -> str:
    """Return a question that is open no longer, with who decided what, and when."""
    return f"{render_prompt(record.language, record.question, room)}\n\n{render_outcome(record, room)}"


def render_outcome(record: QuestionRecord, room: int = ARGUMENTS_SHOWN) -> str:
    """Return one line: who decided what, and when; or that nobody needs to any more.

    Other arguments stand below.
    """
    language, decision = record.language, record.decision
    if decision is None:
        return say(language, Sentence.QUESTION_DROPPED)
    at = _moment(decision.at, record.asker.zone)
    if decision.by is None:
        return say(language, Sentence.QUESTION_EXPIRED, option=_chosen(record, decision), at=at)
    name = decision.by.name or decision.by.id
    mark = _MARKS.get(decision.option, "💬")
    line = say(
        language, Sentence.QUESTION_DECIDED, mark=mark, name=name, option=_chosen(record, decision), at=at
    )
    return line if decision.option != EDIT else f"{line}\n\n{format_arguments(decision.text, room)[0]}"


def _chosen(record: QuestionRecord, decision: Decision) -> str:
    options = localise_question(record.language, record.question).options
    label = next((option.label for option in options if option.id == decision.option), "")
    if decision.option == EDIT:
        return say(record.language, Sentence.OPTION_EDITED)
    return label or f"“{decision.text}”"


def _moment(at: float, zone: str) -> str:
    """Return a time as the clock of who asked shows it, where their app told us their zone."""
    where: tzinfo = UTC
    with suppress(KeyError, ValueError, OSError):  # a zone that this machine does not know
        where = ZoneInfo(zone) if zone else UTC
    return f"{datetime.fromtimestamp(at, where):%Y-%m-%d %H:%M} {where}"


def _labelled(language: str, question: Question, option: Option) -> Option:
    if question.kind is QuestionKind.INPUT:
        return option
    labels = _PAUSE_LABELS if question.kind is QuestionKind.PAUSE else _LABELS
    sentence, action = labels.get(option.id), question.action
    if sentence is Sentence.OPTION_APPROVE and 0 < len(action) <= _MOST_ACTION:
        sentence = Sentence.OPTION_APPROVE_ACTION
    return option if sentence is None else replace(option, label=say(language, sentence, action=action))


def _arguments(language: str, arguments: str, room: int) -> str:
    text, whole = format_arguments(arguments, room)
    return text if whole else f"{text}\n\n{say(language, Sentence.QUESTION_LONG)}"
