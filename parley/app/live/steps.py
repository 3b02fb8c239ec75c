"""What an operator is asked to do in a real account, one after the other, and how we know that it came."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from parley.core.model.questions import Click, Option, Question, QuestionKind
from parley.core.model.types import InboundMessage, Step, StepStatus

GREETING = "This is Parley, and I hear you."
LONG = "\n\n".join(
    (
        "## A long answer\n\nIt grows while you look, with **bold** words and a [link](https://example.org/).",
        *(f"Paragraph {number}: " + "words that fill a line, and one more. " * 12 for number in range(1, 9)),
        "```python\nprint('code stays as it is')\n```",
        "| row | value |\n|---|---|\n| one | 1 |\n| two | 2 |",
        "这一段是中文，用来看一看字节和字符的区别。" * 20,
        "This is the end of the long answer.",
    )
)
ASKED = Question(
    "parley-live-walk",
    "Please press a button.",
    (Option("approve", "Yes"), Option("reject", "No")),
    kind=QuestionKind.INPUT,
)
SETTLED = "Thank you, the button was heard."
OURS = (GREETING, LONG, ASKED.prompt, SETTLED, "Yes", "No")


class Answer(StrEnum):
    """What we answer to what came."""

    SHORT = "short"
    LONG = "long"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class LiveStep:
    """One thing to do. `count` messages are waited for; with `asks` we ask first, in the place known last."""

    name: str
    prompt: str
    fits: Callable[[InboundMessage | Click], bool]
    answer: Answer = Answer.SHORT
    count: int = 1
    asks: bool = False


def _is_message(event: InboundMessage | Click) -> bool:
    return isinstance(event, InboundMessage)


def _is_private(event: InboundMessage | Click) -> bool:
    return isinstance(event, InboundMessage) and event.private


def _is_mention(event: InboundMessage | Click) -> bool:
    return isinstance(event, InboundMessage) and event.addressed and not event.private


def _has_file(event: InboundMessage | Click) -> bool:
    return isinstance(event, InboundMessage) and bool(event.attachments)


def _is_click(event: InboundMessage | Click) -> bool:
    return isinstance(event, Click)


STEPS: Sequence[LiveStep] = (
    LiveStep("message", "Write a message to the bot, in a private chat.", _is_private),
    LiveStep(
        "thread", "Reply to its answer: in a thread where there are threads, else as a reply.", _is_message
    ),
    LiveStep("mention", "Mention the bot in a group or channel.", _is_mention),
    LiveStep("file", "Send it a small file with nothing secret in it.", _has_file),
    LiveStep("button", "Press a button under its question.", _is_click, Answer.NOTHING, asks=True),
    LiveStep("long", "Write anything: the answer will be long, and grow.", _is_message, Answer.LONG),
    LiveStep("forward", "Forward some message to it.", _is_message),
    LiveStep("burst", "Write five short messages, as fast as you can.", _is_message, count=5),
)


def growing(text: str, parts: int) -> tuple[str, ...]:
    """Return a text as it is shown before it is finished."""
    size = -(-len(text) // parts)
    return tuple(text[: size * number] for number in range(1, parts))


def progress(done: bool) -> tuple[Step, ...]:
    """Return a step of an answer under way."""
    return (Step("look", "look", StepStatus.DONE if done else StepStatus.RUNNING),)
