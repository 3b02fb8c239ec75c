"""A thread's values, and what of them answers a turn (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from parley.agent.stream.content_text import text_of
from parley.agent.stream.final_answer import (
    STRUCTURED,
    FinalAnswer,
    TurnAnchor,
    answer_at,
    answer_from_fields,
    compose_answer,
    list_messages,
    messages_of_turn,
    says_json,
    with_text,
)
from parley.agent.stream.messages import MessageKind, ThreadMessage, parse_message
from parley.core.model.types import Json

_SAYS_STRUCTURED = "Returning"
"""How LangChain's agents begin the tool message that stands for a structured answer."""


class ThreadValues:
    """What a thread holds, read for the answer to `asked`.

    Its messages are parsed once, and only as far back as our own: a thread may have thousands.
    """

    def __init__(self, values: Json, asked: TurnAnchor) -> None:
        self.values = values
        self._asked = asked

    def messages(self, concluded: bool) -> list[ThreadMessage]:
        """Return the messages that answer the turn; `concluded` when the run ended by itself."""
        ours, messages = self._parsed
        return messages if ours else messages_of_turn(messages, self._asked, concluded)

    @cached_property
    def _parsed(self) -> tuple[bool, list[ThreadMessage]]:
        """Whether our message was found, with what follows it; else with all messages."""
        messages: list[ThreadMessage] = []
        raws = list_messages(self.values.get("messages"))[0] if isinstance(self.values, dict) else []
        for raw in reversed(raws):
            message = parse_message(raw)
            if message is None:
                continue
            if message.kind is MessageKind.HUMAN and message.id == self._asked.id:
                return True, messages[::-1]
            messages.append(message)
        return False, messages[::-1]

    def answer(self, concluded: bool, output: str = "") -> FinalAnswer:
        """Return the turn's answer; `output` is the path that it is expected at."""
        values = self.values
        if isinstance(values, str):
            return FinalAnswer(values)
        if not isinstance(values, dict):
            return FinalAnswer()
        text = answer_at(values, output)
        if "messages" not in values:
            return FinalAnswer(text) if text else answer_from_fields(values)
        messages = self.messages(concluded)
        composed = compose_answer(messages, concluded, _structured(values, messages, concluded))
        return with_text(composed, text or composed.text)

    def ends_with_answer(self) -> bool:
        """Return whether the messages end with the assistant's answer, and it calls for nothing more."""
        last = messages[-1] if (messages := self.messages(concluded=True)) else None
        return last is not None and last.kind is MessageKind.ASSISTANT and not last.calls


def _structured(values: dict[str, Json], messages: Sequence[ThreadMessage], concluded: bool) -> Json:
    """The structured answer of a state, where the turn's last message shows that it is this turn's."""
    last = messages[-1] if messages and concluded else None
    if last is None or values.get(STRUCTURED) is None:
        return None
    text = text_of(last.content)
    by_tool = last.kind is MessageKind.TOOL and text.startswith(_SAYS_STRUCTURED)
    by_model = last.kind is MessageKind.ASSISTANT and says_json(text)
    return values[STRUCTURED] if by_tool or by_model else None
