"""What the demonstration reads out of a thread (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from parley.server.person_words import HIDDEN, without_speakers

_MEMORY = re.compile(r"<memory\b[^<>]{0,200}>"), "</memory>"
_TEXT_FILE = re.compile(r'<file name="([^"\n]{0,200})" type="([^"\n]{0,200})">\n'), "\n</file>"
_LISTED_FILE = re.compile(
    r'\[Attached file "([^"\n]{0,200})" \(([^)\n]{0,200})\)(?:, \d{1,15} bytes)?:[^\]\n]{0,200}\]'
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class ThreadReading:
    """The newest human message, what was said before it, and a line about each file that came with it.

    `tool` is the result that the model is to answer with now, if it is.
    """

    text: str
    memory: str
    received: tuple[str, ...]
    earlier: tuple[str, ...]
    introduced: bool
    tool: ToolMessage | None

    def say(self, english: str, chinese: str) -> str:
        """Return the one of two sentences that is in the person's language."""
        return chinese if _CHINESE.search(self.text) else english


def inspect_thread(messages: Sequence[BaseMessage]) -> ThreadReading:
    """Read a thread."""
    written = [message for message in messages if isinstance(message, HumanMessage)]
    humans = [message for message in written if not message.additional_kwargs.get(HIDDEN)]
    hidden = [message for message in written if message.additional_kwargs.get(HIDDEN)]
    text, memory, received = _read(humans[-1]) if humans else ("", "", ())
    last = messages[-1] if messages else None
    return ThreadReading(
        text=text,
        memory=next(filter(None, (memory, *(_read(message)[1] for message in reversed(hidden)))), ""),
        received=received,
        earlier=tuple(filter(None, (_read(message)[0] for message in humans[:-1]))),
        introduced=any(isinstance(message, AIMessage) for message in messages),
        tool=last if isinstance(last, ToolMessage) else None,
    )


def _read(message: BaseMessage) -> tuple[str, str, tuple[str, ...]]:
    """Return a message's text, and the memory and a line about each file that travel in it."""
    content = [message.content] if isinstance(message.content, str) else message.content
    blocks = [{"type": "text", "text": each} if isinstance(each, str) else each for each in content]
    text = "\n".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
    text, memory = _cut_out(text, *_MEMORY)
    text, files = _cut_out(text, *_TEXT_FILE)
    sent = [block for block in blocks if block.get("type") in {"image", "file", "audio", "video"}]
    names = [(block.get("filename"), block.get("mime_type", block["type"])) for block in sent]
    names += [each[:2] for each in files] + _LISTED_FILE.findall(text)
    received = tuple(f"- {name or '?'}: {mime or '?'}" for name, mime in names)
    text = _LISTED_FILE.sub("", without_speakers(text)).strip()
    return text, "\n".join(inside.strip() for (inside,) in memory), received


def _cut_out(text: str, opening: re.Pattern[str], closing: str) -> tuple[str, list[tuple[str, ...]]]:
    """Return a text without what stands between marks, and the groups of each mark with what it encloses.

    Each part of the text is looked at once.
    """
    kept, found, at = list[str](), list[tuple[str, ...]](), 0
    while (mark := opening.search(text, at)) and (end := text.find(closing, mark.end())) >= 0:
        kept.append(text[at : mark.start()])
        found.append((*mark.groups(), text[mark.end() : end]))
        at = end + len(closing)
    return "".join((*kept, text[at:])), found
