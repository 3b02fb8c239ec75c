"""External text without what nobody can see: hidden words, reordered ones, and codes that only machines read.

Removed are control, bidirectional, tag and private-use characters, noncharacters, and invisible characters
outside the sequences that need them. Kept as written are whitespace, emoji with their joiners and selectors,
and the joiners and marks of real scripts. Nothing is normalised: what people see stays as it was.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from parley.core.model.attachments import Attachment
from parley.core.model.types import InboundMessage

MAX_CHARACTERS = 100_000
_MOST_IN_NAMES = 200
_CUT = "\n[cut here: the text is longer than {limit:,} characters]"

_NEWLINES = re.compile("\r\n?|[\v\f\x85\u2028\u2029]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(
    f"{chr(plane << 16 | 0xFFFE)}-{chr(plane << 16 | 0xFFFF)}" for plane in range(17)
)
# Never seen by themselves: some have a place in a sequence, the others none at all.
_HIDDEN = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
)  # fmt: skip
# The flags of England, Scotland and Wales are the tag sequences in use.
_FLAGS = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in name) + "\U000e007f"
    for name in ("gbeng", "gbsct", "gbwls")
)
_SUSPECT = re.compile(f"(?P<flag>{_FLAGS})|[{_HIDDEN}{_NONCHARACTERS}]+")
_IS_HIDDEN = re.compile(f"[{_HIDDEN}{_NONCHARACTERS}]")
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
# Arabic and its kin, the scripts of India and South-East Asia, Mongolian: joiners choose letters' forms.
_JOINING = re.compile(
    "[\u0600-\u109f\u1700-\u18af\u1900-\u1aaf\u1b00-\u1c4f\ua800-\ua8ff\ua930-\uaaff\uabc0-\uabff\ufb50-\ufdff"
    "\ufe70-\ufefc\U00010a00-\U00010aff\U00010d00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_WITHOUT_SPACES = re.compile("[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf]")
_MONGOLIAN = re.compile("[\u1800-\u180a\u1810-\u18af]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_FIRST_JAMO = re.compile("[\u1100-\u115e\ua960-\ua97c]")
_MIDDLE_JAMO = re.compile("[\u1161-\u11a7\ud7b0-\ud7c6]")
_EMOJI = re.compile("[\u00a9\u00ae\u203c\u2049\u2100-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001fffd]")
# No sequence has more hidden characters in a row than two.
_LONGEST_RUN = 8
_KEYCAPS = "0123456789#*"


def sanitize_text(text: str, limit: int = MAX_CHARACTERS) -> str:
    """Return the text that a reader would see, at most `limit` characters long; a cut says so at its end."""
    seen = _visible(text[: 2 * limit])
    if len(seen) <= limit and len(text) <= 2 * limit:
        return seen
    note = _CUT.format(limit=limit)
    return _visible(seen[: max(limit - len(note), 0)]) + note


def sanitize_name(name: str) -> str:
    """Return a name on one line, without anything hidden in it."""
    return " ".join(_visible(name[: 2 * _MOST_IN_NAMES]).split())[:_MOST_IN_NAMES]


def sanitize_message(message: InboundMessage) -> InboundMessage:
    """Return the message as the agent and the memory may see it.

    Ids stay as they are: they are the platform's.
    """
    text, quoted, name = (
        sanitize_text(message.text),
        sanitize_text(message.quoted),
        sanitize_name(message.sender.name),
    )
    attachments = tuple(map(_named, message.attachments))
    was = (message.text, message.quoted, message.sender.name, message.attachments)
    if (text, quoted, name, attachments) == was:
        return message
    sender = replace(message.sender, name=name)
    return replace(message, text=text, quoted=quoted, sender=sender, attachments=attachments)


def _named(attachment: Attachment) -> Attachment:
    name = sanitize_name(attachment.name) or attachment.kind.value
    return replace(attachment, name=name, transcript=sanitize_text(attachment.transcript))


def _visible(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    if _SURROGATES.search(text):
        # Halves that belong together become one character again, and a lone one U+FFFD.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = _NEWLINES.sub("\n", text)
    if not _SUSPECT.search(text):
        return text
    marks = _RIGHT_TO_LEFT.search(text) is not None

    def keep(found: re.Match[str]) -> str:
        if found["flag"]:
            return found[0]
        start, run = found.start(), found[0][:_LONGEST_RUN]
        return _kept(
            run,
            text[start - 1 : start] if start else "",
            text[start + len(run) : start + len(run) + 1],
            marks,
        )

    return _SUSPECT.sub(keep, text)


@lru_cache(maxsize=4096)
def _kept(run: str, before: str, after: str, marks: bool) -> str:
    """Return what stays of hidden characters; each is judged by the kept one before it and the next.

    `marks` says that the text has a use for direction marks. Texts repeat their few runs, hence the cache.
    """
    kept = ""
    for place, char in enumerate(run):
        if _needed(char, before, run[place + 1 : place + 2] or after, marks):
            kept += char
            before = char
    return kept


def _needed(char: str, before: str, after: str, marks: bool) -> bool:
    if not before or _is(_IS_HIDDEN, before):
        # One at a time: runs of them carry messages, not forms. An emoji with a selector may be joined on.
        return char == "\u200d" and before == "\ufe0f" and _is(_EMOJI, after)
    if char in "\u061c\u200e\u200f":
        return marks
    if "\ufe00" <= char <= "\ufe0f":
        return _selects(char, before)
    if "\U000e0100" <= char <= "\U000e01ef":
        return _is(_HAN, before)
    rule = _RULES.get(char)
    return rule is not None and rule(before, after)


def _selects(char: str, before: str) -> bool:
    """Return whether a variation selector can choose something: a symbol's look, or a letter's form."""
    category = unicodedata.category(before)
    if char >= "\ufe0e":
        return before in _KEYCAPS or category[0] in "SP" or _is(_EMOJI, before)
    return category in ("Lo", "Sm") or _is(_HAN, before)


def _is(kind: re.Pattern[str], char: str) -> bool:
    return kind.match(char) is not None


def _after(kind: re.Pattern[str]) -> Callable[[str, str], bool]:
    return lambda before, after: _is(kind, before)


_RULES: dict[str, Callable[[str, str], bool]] = {
    "\u200d": lambda before, after: _is(_JOINING, before) or (_is(_EMOJI, before) and _is(_EMOJI, after)),
    "\u200c": _after(_JOINING),
    "\u200b": _after(_WITHOUT_SPACES),
    "\u034f": lambda before, after: unicodedata.category(before) == "Mn",
    "\u115f": lambda before, after: _is(_MIDDLE_JAMO, after),
    "\u1160": _after(_FIRST_JAMO),
    **dict.fromkeys("\u180b\u180c\u180d\u180e\u180f", _after(_MONGOLIAN)),
}
