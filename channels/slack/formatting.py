"""Text both ways: Slack's references as words, markdown as messages that Slack takes."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

from parley.channels.kit.markdown.split import split, split_at
from parley.channels.kit.steps import step_lines
from parley.channels.kit.text import Measure, byte_length, wellformed
from parley.core.model.types import Step

MAX_MESSAGE_CHARS = 12_000
"""Characters of markdown in one message."""
MAX_TEXT_BESIDE_CARDS = 6_000
"""Bytes of text in a message that also has task cards: with their titles Slack takes about 11,000 in all."""
MAX_CARDS_BYTES = 3_000
"""Bytes of the titles of one message's cards."""
SMALLEST_ROOM = 750
"""No message is made smaller than this, however much Slack finds too long: as `text`, where a sign may take
five, it is within the 4,000 characters that Slack takes of one."""
_REFERENCE = re.compile(r"<([^<>\n]*)>")
# What belongs to a mention that a text begins with.
_CALL = re.compile(r"\A\s*[,:;，：]?\s*")
# An agent must not call people together: what Slack would read as a mention is broken up invisibly.
# HTML's own `<!DOCTYPE`, `<!--` and `<![CDATA[` call nobody and are left to be copied.
_CALLS = re.compile(r"<(?=@|#[A-Z]|!(?!-|\[|[dD][oO]))")
_UNDECIDED = re.compile(r"<(?:![dD]?|#)?\Z")
_BREAK = "<\u2060"


def mentions(text: str) -> tuple[str, ...]:
    """Return the ids of the people whom a text of Slack's mentions."""
    found = (match[1] for match in _REFERENCE.finditer(text) if match[1].startswith("@"))
    return tuple(dict.fromkeys(_target(each[1:]) for each in found))


def readable_text(text: str, bot: str, names: Mapping[str, str]) -> str:
    """Return what somebody wrote, without the bot's own mention and with the names of others."""
    cut = re.sub(rf"<@{re.escape(bot)}(?:\|[^<>]*)?>", "\0", wellformed(text))
    shown = html.unescape(_REFERENCE.sub(lambda match: _spoken(match[1], names), cut))
    return "".join(_without_gaps(shown.split("\0"))).strip()


def _without_gaps(pieces: Sequence[str]) -> Iterator[str]:
    """Return what stood between the bot's mentions without what belonged to them, such as a comma."""
    last = ""
    for number, piece in enumerate(pieces):
        if number and not last:
            piece = _CALL.sub("", piece, count=1)
        elif number and last.isspace():
            piece = piece.removeprefix(" ")
        if last or piece.strip():
            last = piece[-1:] or last
        yield piece


def _spoken(reference: str, names: Mapping[str, str]) -> str:
    target, _, label = reference.partition("|")
    if target.startswith("@"):
        return f"@{names.get(_target(target[1:])) or label or target[1:]}"
    if target.startswith("#"):
        return f"#{label or target[1:]}"
    if target.startswith("!"):
        return label or f"@{target[1:].partition('^')[0]}"
    if not label or label == target.removeprefix("mailto:").removeprefix("http://"):
        return target.removeprefix("mailto:")
    return f"[{label}]({target})"


def _target(mention: str) -> str:
    return mention.partition("|")[0]


@dataclass(frozen=True, slots=True)
class MessageRoom:
    """How much text one message takes."""

    most: int
    measure: Measure

    def halved(self) -> MessageRoom:
        """Return half of it, SMALLEST_ROOM at least."""
        return replace(self, most=max(SMALLEST_ROOM, self.most // 2))


WHOLE_MESSAGE = MessageRoom(MAX_MESSAGE_CHARS, len)
BESIDE_CARDS = MessageRoom(MAX_TEXT_BESIDE_CARDS, byte_length)


@dataclass(frozen=True, slots=True)
class SplitPoint:
    """Where one growing message was ended and the next one begun: an offset, and a mark of all before it."""

    at: int
    mark: int

    @classmethod
    def at_offset(cls, text: str, at: int) -> SplitPoint:
        """Return a cut in this text."""
        return cls(at, crc32(text[:at].encode()))

    def fits(self, text: str) -> bool:
        """Tell whether a text begins as the one that was cut."""
        return len(text) >= self.at and crc32(text[: self.at].encode()) == self.mark


def escape_mentions(markdown: str, *, growing: bool = False) -> str:
    """Return Markdown that calls nobody. Where it is `growing`, what may yet become a call waits for more.

    So a text that grows stays one that grows.
    """
    text = wellformed(markdown)
    return _CALLS.sub(_BREAK, _UNDECIDED.sub("", text) if growing else text)


def split_messages(
    text: str, cuts: Sequence[SplitPoint] = (), room: MessageRoom = WHOLE_MESSAGE
) -> tuple[str, ...]:
    """Return a (safe) text as messages, new ones begun at the cuts; nothing for a blank text."""
    places = [cut.at for cut in cuts if 0 < cut.at < len(text)]
    first, *others = split_at(text, places, room.most, room.measure)
    segments = (first, *(segment.lstrip("\n") for segment in others))
    return tuple(page for segment in segments for page in split(segment, room.most, room.measure))


def with_steps(
    pages: tuple[str, ...], steps: Sequence[Step], room: MessageRoom = WHOLE_MESSAGE
) -> tuple[str, ...]:
    """Return the same with the latest steps as lines at the end, without them where text is all there is."""
    lines = "\n".join(step_lines(steps, _step_title, answered=bool(pages)))
    if not lines:
        return pages
    if pages and room.measure(pages[-1]) + room.measure(lines) + 2 <= room.most:
        return (*pages[:-1], f"{pages[-1]}\n\n{lines}")
    return (*pages, lines)


def _step_title(title: str) -> str:
    # Two spaces at the end keep the lines apart.
    return f"{escape_mentions(title)[:100]}  "


def escape_plain(markdown: str) -> str:
    """Return the words of a text for `text`, where Slack reads `& < >` as its own."""
    return html.escape(markdown, quote=False)
