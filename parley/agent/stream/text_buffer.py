"""What the assistant says while it says it (pure)."""

from __future__ import annotations

from collections.abc import Callable

from parley.agent.stream.final_answer import MESSAGE_SEPARATOR
from parley.agent.stream.thoughts import split_thoughts

WRITER = "writer"
"""The name of what is said in no message."""


class TextBuffer:
    """The streamed text of each message, in the order they began."""

    def __init__(self) -> None:
        self._parts: dict[str, list[str]] = {}
        self._speaker = ""
        self._nameless = 0

    def goes_on(self, message_id: object, piece: str) -> bool:
        """Add a piece to the message that speaks now; False when it is another one's."""
        if message_id != self._speaker or (parts := self._parts.get(self._speaker)) is None:
            return False
        parts.append(piece)
        return True

    def say(self, message_id: str, text: str, append: bool) -> None:
        """Add to a message, or replace it as a whole; an unnamed piece belongs to whoever speaks."""
        if append:
            message_id = message_id or self._speaker
        message_id = message_id or self.new_name()
        parts = self._parts.setdefault(message_id, [])
        if not append:
            parts.clear()
        if text:
            parts.append(text)
        self._speaker = message_id

    def retract(self, message_id: str) -> None:
        """Forget a message."""
        self._parts.pop(message_id, None)

    def new_name(self) -> str:
        """A name for a message that has none."""
        self._nameless += 1
        return f"nameless {self._nameless}"

    def __contains__(self, message_id: object) -> bool:
        return message_id in self._parts

    def of(self, message_id: str) -> str:
        """What one message says."""
        return "".join(self._parts.get(message_id, ()))

    def text(self, hides: Callable[[str, str], bool]) -> tuple[str, bool]:
        """All that was said so far, and whether it ends with a thought that goes on.

        `hides` tells of a message, and what it says, whether it is to be left out.
        """
        texts, thinks = [], False
        for message_id, parts in self._parts.items():
            if len(parts) > 1:
                parts[:] = ["".join(parts)]
            if not parts:
                continue
            text, thinks = split_thoughts(parts[0], ended=message_id != self._speaker)
            if text.strip() and not hides(message_id, parts[0]):
                texts.append(text)
        return MESSAGE_SEPARATOR.join(texts), thinks
