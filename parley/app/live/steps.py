"""What an operator is asked to do in a real account, one after the other, and how we know that it came."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parley.core.model.questions import Click, Option, Question, QuestionKind
from parley.core.model.types import InboundMessage, Step, StepStatus
from parley.core.texts import Sentence, say

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


def question(language: str) -> Question:
    """Return what is asked in the step with the button."""
    options = (Option("yes", say(language, Sentence.WALK_YES)), Option("no", say(language, Sentence.WALK_NO)))
    asked = say(language, Sentence.WALK_QUESTION)
    return Question("parley-live-walk", asked, options, kind=QuestionKind.INPUT)


@dataclass(frozen=True, slots=True)
class LiveStep:
    """One thing to do: `prompt` says what, `fits` tells whether an event is it, `count` are waited for.

    A message is answered, with a `long` text that grows or a short one. With `asks` we ask first, where
    somebody wrote last.
    """

    name: str
    prompt: str
    fits: Callable[[InboundMessage | Click], bool]
    count: int = 1
    long: bool = False
    asks: bool = False


def _is_message(event: InboundMessage | Click) -> bool:
    return isinstance(event, InboundMessage)


def _is_private(event: InboundMessage | Click) -> bool:
    return isinstance(event, InboundMessage) and event.private


def _is_mention(event: InboundMessage | Click) -> bool:
    return isinstance(event, InboundMessage) and event.addressed and not event.private


def _has_file(event: InboundMessage | Click) -> bool:
    return isinstance(event, InboundMessage) and bool(event.attachments)


def _is_press(event: InboundMessage | Click) -> bool:
    return isinstance(event, Click)


STEPS: Sequence[LiveStep] = (
    LiveStep("message", "Write a message to the bot, in a private chat.", _is_private),
    LiveStep("thread", "Reply to its answer: in the thread if there is one, else as a quote.", _is_private),
    LiveStep("mention", "Mention the bot in a group or channel.", _is_mention),
    LiveStep("file", "Send it a small file, in the private chat again.", _has_file),
    LiveStep("button", "Press a button under its question.", _is_press, asks=True),
    LiveStep("long", "Write anything: the answer will be long, and grow.", _is_private, long=True),
    LiveStep("forward", "Forward a message of somebody else to it.", _is_private),
    LiveStep("burst", "Write it five short messages, as fast as you can.", _is_private, count=5),
)


def growing(text: str, parts: int) -> tuple[str, ...]:
    """Return a text as it is shown before it is finished."""
    size = -(-len(text) // parts)
    return tuple(text[: size * number] for number in range(1, parts))


def progress(*, done: bool) -> tuple[Step, ...]:
    """Return a step of an answer under way."""
    return (Step("look", "look", StepStatus.DONE if done else StepStatus.RUNNING),)
