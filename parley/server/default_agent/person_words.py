"""What people wrote, among the messages of a thread."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import AnyMessage, HumanMessage

from parley.server.demo.thread_inspection import HIDDEN, without_speakers


def person_messages(messages: Sequence[AnyMessage]) -> list[HumanMessage]:
    """Return the messages of people: without memory, and without what was said above a mention."""
    written = (each for each in messages if isinstance(each, HumanMessage))
    return [each for each in written if not each.additional_kwargs.get(HIDDEN)]


def person_words(message: HumanMessage) -> str:
    """Return what a person wrote, without the line that says who did."""
    return without_speakers(message.text).strip()
