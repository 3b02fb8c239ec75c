"""Markdown as Telegram shows it: plain text and marks on it, in messages of at most 4096 UTF-16 units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from telegram import MessageEntity
from telegram.constants import MessageEntityType

from parley.channels.kit.markdown.outline import outline
from parley.channels.kit.markdown.parse import parse
from parley.channels.kit.markdown.rewrite import Anchors, anchors, code, edited, no_tags
from parley.channels.kit.text import border, chunks, utf16_length, wellformed
from parley.channels.telegram.drawing import LINKS, Entity, draw, uncalled, unmentioned
from parley.core.types import Step, StepStatus

MOST = 4096
MOST_ENTITIES = 100
MOST_STEPS = 6
_PREVIEW = 80
_MARKS = {StepStatus.RUNNING: "⏳", StepStatus.DONE: "✓", StepStatus.FAILED: "✗"}
_TAKEN = Anchors(LINKS, pictures=LINKS, bare=True)
# Of more than a hundred Telegram drops some: first those that only adorn.
_CONTENT = (MessageEntityType.PRE, MessageEntityType.TEXT_LINK, MessageEntityType.CODE)


@dataclass(frozen=True, slots=True)
class Rich:
    """A text and its marks, fit for one message; with `markdown` that is shown, laid out by Telegram."""

    text: str
    entities: tuple[MessageEntity, ...] = ()
    markdown: str = ""


def render(markdown: str) -> tuple[Rich, ...]:
    """Markdown as one message after the other; nothing for a blank text."""
    source = wellformed(markdown)
    if not source.strip():
        return ()
    text, entities = draw(parse(source))
    if not text.strip():
        text, entities = unmentioned(source), ()
    return tuple(_cut(text, entities))


def laid_out(markdown: str) -> str:
    """Markdown for a rich message, which Telegram lays out itself: it calls nobody, tags are shown."""
    source = wellformed(markdown)
    found = outline(source)
    return edited(source, (*code(source, found), *anchors(source, found, _TAKEN, _prose)), _prose)


def bare(part: Rich) -> Rich:
    """The words alone, where Telegram refuses the marks; code, which is none now, calls nobody."""
    return Rich(uncalled(part.text))


def with_steps(parts: tuple[Rich, ...], steps: Sequence[Step]) -> tuple[Rich, ...]:
    """The same with the latest steps as lines at the end; while nothing runs and there is text, without."""
    if not steps or (parts and all(step.status is not StepStatus.RUNNING for step in steps)):
        return parts
    lines = "\n".join(f"{_MARKS[step.status]} {wellformed(step.title)[:100]}" for step in steps[-MOST_STEPS:])
    if not parts:
        return (Rich(lines),)
    last = parts[-1]
    whole = f"{last.text}\n\n{lines}"
    if utf16_length(whole) > MOST:
        return (*parts, Rich(lines))
    return (*parts[:-1], Rich(whole, last.entities))


def stub(part: Rich) -> Rich:
    """What holds the place of a message until it stands in full: half of it at most, openly unfinished."""
    text = part.text.strip()
    beginning = next(chunks(text, min(_PREVIEW, len(text) // 2)), "") if len(text) > 8 else ""
    line = beginning.strip().split("\n")[0].strip()
    return Rich(uncalled(f"{line} …".strip()))


def _prose(text: str) -> str:
    return no_tags(unmentioned(text), "&lt;")


def _cut(text: str, entities: Sequence[Entity]) -> list[Rich]:
    parts: list[Rich] = []
    start = offset = 0
    while start < len(text):
        end = border(text, start, MOST, utf16_length)
        body = text[start:end].rstrip()
        lead = len(body) - len(body.lstrip("\n"))
        if body.strip():
            parts.append(_clipped(body[lead:], offset + lead, entities))
        offset += utf16_length(text[start:end])
        start = end
    return parts


def _clipped(body: str, offset: int, entities: Sequence[Entity]) -> Rich:
    """The part of the text that begins at `offset` (UTF-16), with what of the marks lies on it."""
    length = utf16_length(body)
    kept = [
        (entity, max(0, entity.offset - offset), min(length, entity.offset + entity.length - offset))
        for entity in entities
        if entity.offset < offset + length and offset < entity.offset + entity.length
    ]
    if len(kept) > MOST_ENTITIES:
        kept.sort(key=lambda each: each[0].type not in _CONTENT)
        lost = any(entity.type is MessageEntityType.CODE for entity, _, _ in kept[MOST_ENTITIES:])
        body = uncalled(body) if lost else body
    return Rich(body, tuple(_entity(*each) for each in kept[:MOST_ENTITIES]))


@lru_cache(maxsize=4096)
def _entity(entity: Entity, first: int, last: int) -> MessageEntity:
    link = entity.detail if entity.type is MessageEntityType.TEXT_LINK else None
    language = entity.detail if entity.type is MessageEntityType.PRE else None
    return MessageEntity(entity.type, first, last - first, url=link, language=language or None)
