"""What people read of a question: while it is open, and once it is decided."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from bridge.asking import QuestionRecord
from bridge.texts import Sentence, say
from bridge.types import EDIT, Decision, Option, Question, QuestionKind

ARGUMENTS_SHOWN = 1500
"""Characters of arguments in a message; longer ones go with it as a file."""

_LABELS = {"approve": Sentence.OPTION_APPROVE, "reject": Sentence.OPTION_REJECT}
_MARKS = {"approve": "✅", "reject": "❌", EDIT: "✏️"}


def shown(language: str, question: Question) -> Question:
    """The question with its usual options named in `language`."""
    return replace(question, options=tuple(_labelled(language, option) for option in question.options))


def render(record: QuestionRecord, *, buttons: bool, edits: bool = False) -> str:
    """The whole of an open question. With `buttons` its options are not listed; where people can edit
    arguments in place (`edits`), the way to do it in words is not told.
    """
    language, question = record.language, record.question
    parts = [body(language, question)]
    if record.total > 1:
        parts.insert(0, f"**{record.number}/{record.total}**")
    options = shown(language, question).options
    if options and not buttons:
        lines = [f"{number}. {option.label}" for number, option in enumerate(options, start=1)]
        parts.append("\n".join([say(language, Sentence.QUESTION_HOW), *lines]))
    if not options:
        parts.append(say(language, Sentence.QUESTION_FREE))
    if question.may_edit and not edits:
        parts.append(say(language, Sentence.QUESTION_EDIT))
    return "\n\n".join(parts)


def body(language: str, question: Question) -> str:
    """What is asked, without how to answer."""
    parts = [question.prompt]
    if question.kind is QuestionKind.APPROVAL:
        parts.append(say(language, Sentence.QUESTION_APPROVAL, action=question.action))
    elif question.kind is QuestionKind.PAUSE:
        asked = Sentence.QUESTION_PAUSE_AT if question.action else Sentence.QUESTION_PAUSE
        parts.append(say(language, asked, action=question.action))
    elif not question.prompt:
        parts.append(say(language, Sentence.QUESTION_INPUT))
    if question.arguments:
        parts.append(_fenced(language, question.arguments))
    return "\n\n".join(part for part in parts if part.strip())


def is_long(question: Question) -> bool:
    """Whether the arguments have to go with the question as a file."""
    return len(question.arguments) > ARGUMENTS_SHOWN


def settled(record: QuestionRecord) -> str:
    """A question that is open no longer, with who decided what, and when."""
    return f"{body(record.language, record.question)}\n\n{outcome(record)}"


def outcome(record: QuestionRecord) -> str:
    """One line: who decided what, and when; or that nobody needs to any more."""
    language, decision = record.language, record.decision
    if decision is None:
        return say(language, Sentence.QUESTION_DROPPED)
    at = datetime.fromtimestamp(decision.at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    if decision.by is None:
        return say(language, Sentence.QUESTION_EXPIRED, option=_chosen(record, decision), at=at)
    name = decision.by.name or decision.by.id
    mark = _MARKS.get(decision.option, "💬")
    return say(
        language, Sentence.QUESTION_DECIDED, mark=mark, name=name, option=_chosen(record, decision), at=at
    )


def _chosen(record: QuestionRecord, decision: Decision) -> str:
    options = shown(record.language, record.question).options
    label = next((option.label for option in options if option.id == decision.option), "")
    if decision.option == EDIT:
        return say(record.language, Sentence.OPTION_EDITED) + "\n" + _fenced(record.language, decision.text)
    return label or f"“{decision.text}”"


def _labelled(language: str, option: Option) -> Option:
    sentence = _LABELS.get(option.id)
    return option if sentence is None else replace(option, label=say(language, sentence))


def _fenced(language: str, text: str) -> str:
    cut = text if len(text) <= ARGUMENTS_SHOWN else text[: ARGUMENTS_SHOWN - 1] + "…"
    more = "" if cut == text else "\n" + say(language, Sentence.QUESTION_LONG)
    return f"```json\n{cut}\n```{more}"
