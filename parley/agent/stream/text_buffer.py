"""What the assistant says while it says it (pure)."""

from __future__ import annotations

from parley.agent.stream.final_answer import MESSAGE_SEPARATOR


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

    def text(self) -> str:
        """All that was said so far."""
        texts = []
        for parts in self._parts.values():
            if len(parts) > 1:
                parts[:] = ["".join(parts)]
            if parts and parts[0].strip():
                texts.append(parts[0])
        return MESSAGE_SEPARATOR.join(texts)
