"""Markdown as Telegram shows it: plain text and marks on it, in messages of at most 4096 UTF-16 units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from telegram import MessageEntity
from telegram.constants import MessageEntityType

from parley.channels.kit.markdown.outline import outline
from parley.channels.kit.markdown.parse import parse
from parley.channels.kit.markdown.rewrite import (
    LinkPolicy,
    apply_edits,
    escape_tags,
    rewrite_code,
    rewrite_links,
)
from parley.channels.kit.steps import step_lines
from parley.channels.kit.text import break_position, chunks, utf16_length, wellformed
from parley.channels.telegram.entities import LINKS, TextEntity, break_calls, break_mentions, render_entities
from parley.core.model.types import Step

MAX_MESSAGE_UNITS = 4096
MAX_CAPTION_UNITS = 1024
MOST_ENTITIES = 100
_PREVIEW = 80
_TAKEN = LinkPolicy(LINKS, pictures=LINKS, bare=True)
# Of more than a hundred Telegram drops some: first those that only adorn.
_CONTENT = (MessageEntityType.PRE, MessageEntityType.TEXT_LINK, MessageEntityType.CODE)


@dataclass(frozen=True, slots=True)
class FormattedMessage:
    """A text and its marks, fit for one message; with `markdown` that is shown, laid out by Telegram."""

    text: str
    entities: tuple[MessageEntity, ...] = ()
    markdown: str = ""


def render(markdown: str) -> tuple[FormattedMessage, ...]:
    """Return Markdown as one message after the other; nothing for a blank text."""
    source = wellformed(markdown)
    if not source.strip():
        return ()
    text, entities = render_entities(parse(source))
    if not text.strip():
        text, entities = break_mentions(source), ()
    return tuple(_cut(text, entities))


def rich_markdown(markdown: str) -> str:
    """Return Markdown for a rich message, which Telegram lays out itself: it calls nobody, tags are shown."""
    source = wellformed(markdown)
    found = outline(source)
    return apply_edits(
        source, (*rewrite_code(source, found), *rewrite_links(source, found, _TAKEN, _prose)), _prose
    )


def without_marks(part: FormattedMessage) -> FormattedMessage:
    """Return the words alone, where Telegram refuses the marks; code, which is none now, calls nobody."""
    return FormattedMessage(break_calls(part.text))


def with_steps(parts: tuple[FormattedMessage, ...], steps: Sequence[Step]) -> tuple[FormattedMessage, ...]:
    """Return the same with the latest steps as lines at the end, without them where text is all there is."""
    lines = "\n".join(step_lines(steps, lambda title: wellformed(title)[:100], answered=bool(parts)))
    if not lines:
        return parts
    if not parts:
        return (FormattedMessage(lines),)
    last = parts[-1]
    whole = f"{last.text}\n\n{lines}"
    if utf16_length(whole) > MAX_MESSAGE_UNITS:
        return (*parts, FormattedMessage(lines))
    return (*parts[:-1], FormattedMessage(whole, last.entities))


def placeholder_for(part: FormattedMessage) -> FormattedMessage:
    """Return what holds a message's place until it stands in full: half of it at most, openly unfinished."""
    text = part.text.strip()
    beginning = next(chunks(text, min(_PREVIEW, len(text) // 2)), "") if len(text) > 8 else ""
    line = beginning.strip().split("\n")[0].strip()
    return FormattedMessage(break_calls(f"{line} …".strip()))


def unfinished(part: FormattedMessage) -> FormattedMessage:
    """Return a message as it is so far, openly going on."""
    text = f"{part.text} …"
    return (
        FormattedMessage(text, part.entities)
        if utf16_length(text) <= MAX_MESSAGE_UNITS
        else placeholder_for(part)
    )


def fitted(parts: tuple[FormattedMessage, ...], count: int) -> tuple[FormattedMessage, ...]:
    """Return as many parts as there are messages, the last one, with the decision, where the buttons were.

    Only where the new text is longer, or shorter, by a whole message something is left out, or blank.
    """
    blank = (FormattedMessage("…"),) * (count - len(parts))
    return (*parts[:-1][: count - 1], *blank, *parts[-1:]) if count else ()


def _prose(text: str) -> str:
    return escape_tags(break_mentions(text), "&lt;")


def _cut(text: str, entities: Sequence[TextEntity]) -> list[FormattedMessage]:
    parts: list[FormattedMessage] = []
    start = offset = 0
    while start < len(text):
        end = break_position(text, start, MAX_MESSAGE_UNITS, utf16_length)
        body = text[start:end].rstrip()
        lead = len(body) - len(body.lstrip("\n"))
        if body.strip():
            parts.append(_clipped(body[lead:], offset + lead, entities))
        offset += utf16_length(text[start:end])
        start = end
    return parts


def _clipped(body: str, offset: int, entities: Sequence[TextEntity]) -> FormattedMessage:
    """Return the part of the text that begins at `offset` (UTF-16), with what of the marks lies on it."""
    length = utf16_length(body)
    kept = [
        (entity, max(0, entity.offset - offset), min(length, entity.offset + entity.length - offset))
        for entity in entities
        if entity.offset < offset + length and offset < entity.offset + entity.length
    ]
    if len(kept) > MOST_ENTITIES:
        kept.sort(key=lambda each: each[0].type not in _CONTENT)
        lost = any(entity.type is MessageEntityType.CODE for entity, _, _ in kept[MOST_ENTITIES:])
        body = break_calls(body) if lost else body
    return FormattedMessage(body, tuple(_entity(*each) for each in kept[:MOST_ENTITIES]))


@lru_cache(maxsize=4096)
def _entity(entity: TextEntity, first: int, last: int) -> MessageEntity:
    link = entity.detail if entity.type is MessageEntityType.TEXT_LINK else None
    language = entity.detail if entity.type is MessageEntityType.PRE else None
    return MessageEntity(entity.type, first, last - first, url=link, language=language or None)
