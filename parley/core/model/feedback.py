"""What people think of answers: a thumb, words for a bad one, and the run that it is about."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from parley.core.model.address import User
from parley.core.model.questions import Click, Option, Question

FEEDBACK_QUESTION = "feedback:"
"""How the question of a click begins that says what somebody thinks of an answer; its turn's id follows, and
the option is a FeedbackChoice."""
MOST_TURN = 200
"""Characters of a turn's id."""
MOST_COMMENT = 2_000
"""Characters of somebody's words about an answer."""


class FeedbackChoice(StrEnum):
    """What somebody thinks of an answer."""

    UP = "up"
    DOWN = "down"


class CommentWay(StrEnum):
    """How a channel asks what was wrong with an answer that somebody did not like."""

    FORM = "form"
    """By itself, with the press."""
    REPLY = "reply"
    """By a message in a private chat, which is replied to; elsewhere as below."""
    COMMAND = "command"
    """By telling how /feedback says it."""


THUMBS = (Option(FeedbackChoice.UP, "👍"), Option(FeedbackChoice.DOWN, "👎"))
"""The buttons under an answer, for platforms that have none of their own for it."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """What one person thinks of one answer, since when; `first_at` is when they first said something of it.

    Both are Unix seconds. `comment` is what was wrong, in the person's words. `run_id` and `thread` are those
    of the agent server, both are empty where they are not known.
    """

    account: str
    turn: str
    conversation: str
    choice: FeedbackChoice
    at: float
    comment: str = ""
    run_id: str = ""
    thread: str = ""
    first_at: float = 0.0


@dataclass(frozen=True, slots=True)
class AnswerWithButtons:
    """An answer with buttons: its run, its conversation's key, whose message it answered (the key of an
    account), since when, and that message's id; what it suggests to ask next, and whether people may rate it.
    """

    run_id: str
    thread: str
    conversation: str
    asker: str
    at: float
    message: str = ""
    suggestions: tuple[str, ...] = ()
    rateable: bool = True


@dataclass(frozen=True, slots=True)
class FeedbackPrompt:
    """Asks `user`, in their private chat, what was wrong with the answer of a turn, since when."""

    turn: str
    conversation: str
    user: User
    at: float


def thumbs_question(turn: str) -> Question:
    """Return the thumbs under a turn's answer, as buttons of a question."""
    return Question(f"{FEEDBACK_QUESTION}{turn}", "", THUMBS)


def words_prompt(turn: str, text: str) -> Question:
    """Return what asks in words what was wrong with a turn's answer."""
    return Question(f"{FEEDBACK_QUESTION}{turn}", text)


def is_words_prompt(question: Question) -> bool:
    """Tell whether a question asks what was wrong with an answer."""
    return question.id.startswith(FEEDBACK_QUESTION) and not question.options


def rated_turn(click: Click) -> str:
    """Return the turn that a press rates; "" where it says nothing of any."""
    turn = click.question.removeprefix(FEEDBACK_QUESTION)
    known = click.question.startswith(FEEDBACK_QUESTION) and 0 < len(turn) <= MOST_TURN
    return turn if known and click.option in tuple(FeedbackChoice) else ""
