"""What interrupted runs ask people, and what people choose."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from parley.core.model.address import Conversation, User


@dataclass(frozen=True, slots=True)
class Option:
    """One way to answer a question; `id` is what comes back."""

    id: str
    label: str


class QuestionKind(StrEnum):
    """What an interrupt wants."""

    APPROVAL = "approval"
    """A yes or no to `action` with `arguments`."""
    PAUSE = "pause"
    """A yes or no to going on with `action`."""
    INPUT = "input"
    """One of the options, or words."""


@dataclass(frozen=True, slots=True)
class Question:
    """What an interrupted run asks a person.

    `id` is the interrupt's, with `#` and a number where one interrupt asks about several actions; once it is
    shown to people it is a short key of our own. `arguments` is JSON text, of an approval or beside a prompt.
    """

    id: str
    prompt: str
    options: tuple[Option, ...] = ()
    may_edit: bool = False
    may_respond: bool = True
    kind: QuestionKind = QuestionKind.INPUT
    action: str = ""
    arguments: str = ""


EDIT = "edit"
"""The option of a click that brings other arguments, as JSON text."""
STOP_QUESTION, STOP_OPTION = "stop:", "stop"
"""How the question of a click begins that ends an answer (its turn's id follows), and its option."""
SUGGESTION_QUESTION = "suggestion:"
"""How the question of a click begins that asks what an answer suggested; its turn's id follows, and the
option is the number of the suggestion, from 0 on."""
MOST_SUGGESTIONS = 3
"""Number of suggestions below an answer."""
LONGEST_SUGGESTION = 75
"""Characters that a button has room for on every platform."""
_MOST_TURN = 200


@dataclass(frozen=True, slots=True)
class Click:
    """A press of a question's button, of a thumb (core.model.feedback), of a suggestion or of a stop button.

    `id` is the platform's own stable id of it: the dedupe key.
    """

    id: str
    question: str
    option: str
    sender: User
    conversation: Conversation
    private: bool
    text: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was chosen: an option, or words of one's own. `by` is None for what time decided.

    `source` is the message or the click that said it.
    """

    option: str
    text: str
    by: User | None
    at: float
    source: str = ""


class AnswerKind(StrEnum):
    """What the text of an answer is."""

    OPTION = "option"
    """The id of an option, as `approve` and `reject` are for an approval."""
    EDIT = "edit"
    """An approval with other arguments: a JSON object."""
    WORDS = "words"
    """Words of a person's own; from a version that told no kinds, anything."""


@dataclass(frozen=True, slots=True)
class InterruptAnswer:
    """What was decided about one question of an interrupted run."""

    question: str
    text: str
    kind: AnswerKind = AnswerKind.WORDS


@dataclass(frozen=True, slots=True)
class ResumeInput:
    """What an interrupted run goes on with."""

    given: tuple[InterruptAnswer, ...]


def stop_question(turn: str, label: str) -> Question:
    """Return the stop button under an answer that grows, for platforms that have none of their own."""
    return Question(f"{STOP_QUESTION}{turn}", "", (Option(STOP_OPTION, label),))


def stopped_turn(click: Click) -> str:
    """Return the turn that a press is to end; "" where it ends none."""
    turn = click.question.removeprefix(STOP_QUESTION)
    known = click.question.startswith(STOP_QUESTION) and click.option == STOP_OPTION
    return turn if known and 0 < len(turn) <= _MOST_TURN else ""


def suggestion_question(turn: str, suggestions: tuple[str, ...]) -> Question:
    """Return what may be asked next below a turn's answer, as buttons of a question."""
    options = tuple(Option(str(number), text) for number, text in enumerate(suggestions[:MOST_SUGGESTIONS]))
    return Question(f"{SUGGESTION_QUESTION}{turn}", "", options)


def pressed_suggestion(click: Click) -> tuple[str, int]:
    """Return the turn whose suggestion a press asks, and its number; "" where it asks none."""
    turn = click.question.removeprefix(SUGGESTION_QUESTION)
    known = click.question.startswith(SUGGESTION_QUESTION) and 0 < len(turn) <= _MOST_TURN
    numbers = [str(number) for number in range(MOST_SUGGESTIONS)]
    return (turn, numbers.index(click.option)) if known and click.option in numbers else ("", 0)
