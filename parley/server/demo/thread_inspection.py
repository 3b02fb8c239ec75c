"""What the demonstration reads out of a thread (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

_MEMORY = re.compile(r"<memory\b[^<>]{0,200}>")
_TEXT_FILE = re.compile(r'<file name="([^"\n]{0,200})" type="([^"\n]{0,200})">\n')
_LISTED_FILE = re.compile(
    r'\[Attached file "([^"\n]{0,200})" \(([^)\n]{0,200})\)(?:, (\d{1,15}) bytes)?:[^\]\n]{0,200}\]'
)
_SPEAKER = re.compile(r'^<from (?:name="[^"\n]{0,100}" )?account="[^"\n]{0,300}">(?:\n|$)', re.MULTILINE)
_MEMORY_END, _FILE_END = "</memory>", "\n</file>"
HIDDEN = "hide_from_ui"
"""The mark of a message that no person wrote."""

_CHINESE = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """A file that came with a message; `size` is in bytes."""

    name: str
    mime: str
    size: int


@dataclass(frozen=True, slots=True)
class ThreadReading:
    """The newest human message, and what was said before it.

    `tool` is the result that the model is to answer with now, if it is; `turn` counts messages, so that
    it names each call of a thread differently.
    """

    text: str
    chinese: bool
    memory: str
    received: tuple[ReceivedFile, ...]
    earlier: tuple[str, ...]
    introduced: bool
    tool: ToolMessage | None
    turn: int


def inspect_thread(messages: Sequence[BaseMessage]) -> ThreadReading:
    """Read a thread."""
    written = [message for message in messages if isinstance(message, HumanMessage)]
    humans = [message for message in written if not message.additional_kwargs.get(HIDDEN)]
    hidden = [_raw(message) for message in written if message.additional_kwargs.get(HIDDEN)]
    newest = humans[-1] if humans else HumanMessage("")
    whole = _raw(newest)
    said = plain_text(whole)
    last = messages[-1] if messages else None
    return ThreadReading(
        text=said,
        chinese=bool(_CHINESE.search(said)),
        memory=next(filter(None, map(_remembered, (whole, *reversed(hidden)))), ""),
        received=tuple(_received(newest, whole)),
        earlier=tuple(filter(None, (plain_text(_raw(message)) for message in humans[:-1]))),
        introduced=any(isinstance(message, AIMessage) for message in messages),
        tool=last if isinstance(last, ToolMessage) else None,
        turn=len(messages),
    )


def _remembered(text: str) -> str:
    """What stands between the marks of memory."""
    return "\n".join(text[found.end() : end].strip() for found, end in _closed(_MEMORY, text, _MEMORY_END))


def plain_text(text: str) -> str:
    """A message's text without the memory and files that travel in it."""
    for opening, closing in ((_MEMORY, _MEMORY_END), (_TEXT_FILE, _FILE_END)):
        text = _without(text, opening, closing)
    text = _SPEAKER.sub("", text)
    return _LISTED_FILE.sub("", text).strip()


def _without(text: str, opening: re.Pattern[str], closing: str) -> str:
    kept, at = list[str](), 0
    for found, end in _closed(opening, text, closing):
        kept.append(text[at : found.start()])
        at = end + len(closing)
    return "".join((*kept, text[at:]))


def _closed(opening: re.Pattern[str], text: str, closing: str) -> Iterator[tuple[re.Match[str], int]]:
    """Each opening mark that is closed, and where; each part of the text is looked at once."""
    at = 0
    while (found := opening.search(text, at)) and (end := text.find(closing, found.end())) >= 0:
        yield found, end
        at = end + len(closing)


def _raw(message: BaseMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(str(block.get("text", "")) for block in _blocks(message) if block.get("type") == "text")


def _blocks(message: BaseMessage) -> Iterator[Mapping[str, object]]:
    if isinstance(message.content, list):
        yield from (
            {"type": "text", "text": each} if isinstance(each, str) else each for each in message.content
        )


def _received(message: BaseMessage, text: str) -> Iterator[ReceivedFile]:
    for block in _blocks(message):
        if block.get("type") in ("image", "file", "audio", "video"):
            data = str(block.get("base64") or block.get("data") or "")
            size = len(data) * 3 // 4 - data[-2:].count("=")
            yield ReceivedFile(
                str(block.get("filename", "")), str(block.get("mime_type", block["type"])), size
            )
    for found, end in _closed(_TEXT_FILE, text, _FILE_END):
        yield ReceivedFile(found[1], found[2], len(text[found.end() : end].encode()))
    for name, mime, digits in _LISTED_FILE.findall(text):
        yield ReceivedFile(name, mime, int(digits or 0))
