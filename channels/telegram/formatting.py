"""Markdown as Telegram shows it: plain text and marks on it, in messages of at most 4096 UTF-16 units."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass

import telegramify_markdown
from telegram import MessageEntity

from bridge.types import Step, StepStatus
from channels.kit.text import border, chunks, utf16_length, wellformed

log = logging.getLogger(__name__)

MOST = 4096
MOST_ENTITIES = 100
MOST_STEPS = 6
_PREVIEW = 80
_MARKS = {StepStatus.RUNNING: "⏳", StepStatus.DONE: "✓", StepStatus.FAILED: "✗"}

# The converter takes `<word` for HTML and drops it with all that follows, so "x<y and y>z" would lose its
# middle. Another sign of the same length stands for `<` meanwhile, except in <https://links>.
_ANGLE = re.compile(r"(?<!\]\()<(?!(?:https?|mailto|tel|tg):[^\s<>]*>)")
_LINKS = ("http://", "https://", "tg://", "mailto:")
_STAND_INS = "\ue000\ue001\ue002\ue003"


@dataclass(frozen=True, slots=True)
class Rich:
    """A text and its marks, fit for one message; with `markdown` that is shown, laid out by Telegram."""

    text: str
    entities: tuple[MessageEntity, ...] = ()
    markdown: str = ""


def _style() -> telegramify_markdown.RenderConfig:
    style = telegramify_markdown.RenderConfig.isolated()
    symbols = style.markdown_symbol
    symbols.heading_level_1 = symbols.heading_level_2 = symbols.heading_level_3 = symbols.heading_level_4 = ""
    symbols.image = symbols.link = ""
    symbols.unordered_list_item = "•"
    symbols.task_completed, symbols.task_uncompleted = "☑", "☐"
    return style


_STYLE = _style()


def render(markdown: str) -> tuple[Rich, ...]:
    """Markdown as one message after the other; nothing for a blank text."""
    source = wellformed(markdown)
    if not source.strip():
        return ()
    text, entities = _convert(source)
    if not text.strip():
        text, entities = source, []
    return tuple(_cut(text, entities))


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
    return Rich(f"{line} …".strip())


def _convert(source: str) -> tuple[str, list[telegramify_markdown.MessageEntity]]:
    stand_in = next((sign for sign in _STAND_INS if sign not in source), "")
    guarded = _ANGLE.sub(stand_in, source) if stand_in else source
    try:
        text, entities = telegramify_markdown.convert(guarded, latex_escape=False, config=_STYLE)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        log.warning("telegram: a text is shown without its marks (%s)", type(error).__name__)
        return source, []
    return (text.replace(stand_in, "<") if stand_in else text), entities


def _cut(text: str, entities: Sequence[telegramify_markdown.MessageEntity]) -> list[Rich]:
    parts: list[Rich] = []
    start = 0
    while start < len(text):
        end = border(text, start, MOST, utf16_length)
        body = text[start:end].rstrip()
        lead = len(body) - len(body.lstrip("\n"))
        if body.strip():
            parts.append(_clipped(body[lead:], utf16_length(text[: start + lead]), entities))
        start = end
    return parts


def _clipped(body: str, offset: int, entities: Sequence[telegramify_markdown.MessageEntity]) -> Rich:
    """The part of the text that begins at `offset` (UTF-16), with what of the marks lies on it."""
    length = utf16_length(body)
    kept: list[MessageEntity] = []
    for entity in entities:
        first = max(0, entity.offset - offset)
        last = min(length, entity.offset + entity.length - offset)
        if first < last and _usable(entity):
            kept.append(
                MessageEntity(entity.type, first, last - first, url=entity.url, language=entity.language)
            )
    return Rich(body, tuple(kept[:MOST_ENTITIES]))


def _usable(entity: telegramify_markdown.MessageEntity) -> bool:
    """Telegram takes links of these kinds; the text of others is shown without."""
    return entity.type != "text_link" or (entity.url or "").startswith(
        ("http://", "https://", "tg://", "mailto:")
    )
