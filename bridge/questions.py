"""An interrupted run's questions, as text that any platform can show."""

from collections.abc import Sequence

from bridge.texts import Sentence, say
from bridge.types import Question


def render(language: str, questions: Sequence[Question], *, buttons: bool) -> str:
    """The prompts, each with its numbered options, and how to answer.

    On a channel with `buttons` a single question's options are buttons under it.
    """
    if buttons and len(questions) == 1 and questions[0].options:
        return questions[0].prompt
    return "\n\n".join(_render_one(language, question) for question in questions)


def _render_one(language: str, question: Question) -> str:
    if not question.options:
        return f"{question.prompt}\n\n{say(language, Sentence.QUESTION_FREE)}"
    options = "\n".join(
        f"{number}. {option.label}" for number, option in enumerate(question.options, start=1)
    )
    return f"{question.prompt}\n\n{say(language, Sentence.QUESTION_HOW)}\n{options}"
