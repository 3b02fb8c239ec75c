"""What people wrote, among the messages of a thread."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import AnyMessage, HumanMessage

HIDDEN = "hide_from_ui"
"""The mark of a message that no person wrote."""
_SPEAKER = re.compile(r'^<from (?:name="[^"\n]{0,100}" )?account="[^"\n]{0,300}">(?:\n|$)', re.MULTILINE)


def person_messages(messages: Sequence[AnyMessage]) -> list[HumanMessage]:
    """Return the messages of people: without memory, and without what was said above a mention."""
    written = (each for each in messages if isinstance(each, HumanMessage))
    return [each for each in written if not each.additional_kwargs.get(HIDDEN)]


def person_words(message: HumanMessage) -> str:
    """Return what a person wrote, without the line that says who did."""
    return without_speakers(message.text).strip()


def without_speakers(text: str) -> str:
    """Return what several people said without the lines that say who did."""
    return _SPEAKER.sub("", text)
