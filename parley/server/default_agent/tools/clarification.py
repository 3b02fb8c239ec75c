"""A question of the model to the person, with answers to choose from."""

from __future__ import annotations

from langchain_core.tools import BaseTool, tool
from langgraph.types import interrupt

_MOST_QUESTION = 1_000
_MOST_OPTIONS = 6
_MOST_LABEL = 60


def ask_person_tool() -> BaseTool:
    """Return the tool. The run pauses until the person answers, and the answer is its result."""

    @tool
    def ask_person(question: str, options: list[str] | None = None) -> str:
        """Ask the person one question when you cannot go on without an answer.

        `options` are up to six short answers to choose from; words of their own are an answer, too.
        """
        labels = dict.fromkeys(each.strip()[:_MOST_LABEL] for each in options or () if each.strip())
        asked: dict[str, object] = {"question": question[:_MOST_QUESTION]}
        if labels:
            asked |= {"options": [*labels][:_MOST_OPTIONS], "allow_other": True}
        return f"The person answers: {interrupt(asked)}"

    return ask_person
