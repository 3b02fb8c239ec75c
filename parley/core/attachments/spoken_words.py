"""What people said instead of writing: their words for us, for the agent, and shown back to them (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from parley.core.inbound.batching import QueuedMessage
from parley.core.inbound.speakers import TRANSCRIBED_END, TRANSCRIBED_START, escape_marks
from parley.core.model.attachments import Transcript
from parley.core.model.types import InboundMessage
from parley.core.texts import Sentence, say

_MOST_SHOWN = 500


def with_transcripts(
    burst: Sequence[QueuedMessage], transcripts: Iterable[Transcript]
) -> tuple[QueuedMessage, ...]:
    """Return the burst whose files have their transcripts, by their places in all of it."""
    words = {each.place: each.text for each in transcripts if each.text}
    if not words:
        return tuple(burst)
    heard: list[QueuedMessage] = []
    first = 0
    for each in burst:
        files = tuple(
            replace(file, transcript=words.get(first + number, file.transcript))
            for number, file in enumerate(each.message.attachments)
        )
        first += len(files)
        heard.append(replace(each, message=replace(each.message, attachments=files)))
    return tuple(heard)


def with_spoken_words(burst: Sequence[QueuedMessage]) -> tuple[QueuedMessage, ...]:
    """Return the burst in which what was said stands in the text, as if it had been written."""
    if not has_voice(burst):
        return tuple(burst)
    return tuple(
        replace(each, message=replace(each.message, text=_joined(each.message.text, *_said(each.message))))
        if _said(each.message)
        else each
        for each in burst
    )


def marked_words(message: InboundMessage, *, escaped: bool) -> str:
    """Return a message's text with what was said between marks, which no words can end or forge.

    `escaped` says that the text stands among marks anyway.
    """
    said = _said(message)
    if not said:
        return escape_marks(message.text) if escaped else message.text
    spoken = (f"{TRANSCRIBED_START}\n{escape_marks(words)}\n{TRANSCRIBED_END}" for words in said)
    return _joined(escape_marks(message.text), *spoken)


def heard_line(language: str, burst: Sequence[QueuedMessage]) -> str:
    """Return the line that shows people what was heard, as a quote; "" where nobody spoke."""
    words = " ".join(" ".join(words.split()) for each in burst for words in _said(each.message))
    if not words:
        return ""
    if len(words) > _MOST_SHOWN:
        words = words[: _MOST_SHOWN - 1].rstrip() + "…"
    return f"> {say(language, Sentence.VOICE_HEARD, words=words)}"


def has_voice(burst: Sequence[QueuedMessage]) -> bool:
    """Return whether somebody spoke instead of writing."""
    return any(file.voice for each in burst for file in each.message.attachments)


def is_only_voice(burst: Sequence[QueuedMessage]) -> bool:
    """Return whether a turn is nothing but voice messages without words."""
    messages = [each.message for each in burst]
    files = [file for message in messages for file in message.attachments]
    wordless = all(file.voice and not file.transcript.strip() for file in files)
    return bool(files) and wordless and not any(message.text.strip() for message in messages)


def _said(message: InboundMessage) -> list[str]:
    return [file.transcript for file in message.attachments if file.voice and file.transcript.strip()]


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part.strip())
