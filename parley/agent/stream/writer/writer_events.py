"""What a graph's stream writer sends (custom mode): progress, steps, and pieces of text (pure)."""

from __future__ import annotations

from dataclasses import dataclass

from parley.agent.stream.writer.step_notes import StepNote, parse_step_note
from parley.agent.transport.decoding import string
from parley.core.model.types import Json

_TEXT_KINDS = frozenset({"token", "text", "delta", "text_delta", "content", "chunk", "message_chunk"})
_TEXT_KEYS = ("token", "delta")
_WORD_KEYS = ("text", "content", "token", "delta", "data", "message")
_MOST_STRINGS = 1_000
"""Lines of progress that are remembered, as they may turn out to be pieces of a text."""
_PROGRESS_KEYS = ("progress", "status", "message", "description")


@dataclass(frozen=True, slots=True)
class WriterEvent:
    """A line of progress, a piece of text, or what is said of a step; all empty for what is not for people.

    `restated` says that the strings before, taken for progress, were pieces of this text.
    """

    progress: str = ""
    text: str = ""
    restated: bool = False
    step: StepNote | None = None


class WriterEvents:
    """Reads what one run's writer sends.

    A string is a line of progress. Pieces of a text are told by their blanks: once a string begins or ends
    with one, all strings are pieces.
    """

    def __init__(self) -> None:
        self._strings: list[str] = []
        self._pieces = False

    def read(self, data: Json) -> WriterEvent:
        """What one event says."""
        if isinstance(data, str):
            return self._string(data)
        if not isinstance(data, dict):
            return WriterEvent()
        if isinstance(data.get("step"), dict):
            return WriterEvent(step=parse_step_note(data["step"]))
        kind = string(data.get("type"))
        if kind in _TEXT_KINDS:
            return WriterEvent(text=_first(data, _WORD_KEYS))
        if piece := _first(data, _TEXT_KEYS):
            return WriterEvent(text=piece)
        return WriterEvent(progress=_first(data, _PROGRESS_KEYS))

    def _string(self, said: str) -> WriterEvent:
        if self._pieces:
            return WriterEvent(text=said)
        if said.strip() and said == said.strip():
            if len(self._strings) < _MOST_STRINGS:
                self._strings.append(said)
            return WriterEvent(progress=said)
        self._pieces = bool(said)
        return WriterEvent(text="".join((*self._strings, said)), restated=bool(self._strings))


def _first(data: dict[str, Json], keys: tuple[str, ...]) -> str:
    return next((said for key in keys if (said := string(data.get(key)))), "")
