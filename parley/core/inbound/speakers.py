"""Who says what, where several people speak: a mark above their words, which no name and no words can forge.

The mark is a line `<from name="Ann Lee" account="work:U1">`. Whatever in a text looks like the beginning of
one of our marks is written with `&lt;`, as are the characters of a mark inside a name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from hashlib import blake2s

from parley.core.inbound.look_alikes import COMBINING, fold_look_alikes
from parley.core.model.address import User, account_key
from parley.core.model.sanitize import sanitize_name

MARKS = ("from", "memory", "file", "thread", "transcribed")
"""Names of our own marks in what an agent reads."""

TRANSCRIBED_START, TRANSCRIBED_END = '<transcribed from="voice message">', "</transcribed>"
"""Around words that were spoken, and may be misheard."""

_MOST_IN_NAMES = 64
_MOST_IN_IDS = 200
_LOOKED_AT = 200
# What a reader may take for it, too.
_OPENINGS = re.compile(
    "[<\u02c2\u1438\u1674\u2039\u226a\u227a\u22d6\u2329\u276e\u2770\u27e8\u27ea\u29fc\u3008\u300a\ufe64\uff1c]"
)
# An opening is in no gap, so all gaps of a text are looked at once.
_GAP = re.compile(f"[\\s/\\\\{COMBINING}]*")
_INITIALS = frozenset(mark[0] for mark in MARKS)
_MARK = re.compile(rf"({'|'.join(MARKS)})(?![a-z0-9_-])")
_HYPHENS = re.compile("[-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_IN_ATTRIBUTES = re.compile(
    '["\u201c\u201d\uff02<>\u02c2\u02c3\u2039\u203a\u27e8\u27e9\u3008\u3009\ufe64\ufe65\uff1c\uff1e]'
)
_OUTSIDE_API_NAMES = re.compile(r"[\s<|\\/>]+")
_MOST_IN_API_NAMES = 40
_OWN_NAMES = frozenset(
    {
        "parley",
        "assistant",
        "system",
        "developer",
        "tool",
        "function",
        "user",
        "human",
        "ai",
        "bot",
        "you",
        *MARKS,
    }
)


def escape_marks(text: str) -> str:
    """Return a text in which nothing begins like one of our marks."""
    return _OPENINGS.sub(lambda found: "&lt;" if _mark_at(text, found.end()) else found[0], text)


def escape_end(text: str, mark: str) -> str:
    """Return a text in which nothing looks like the end of this mark."""

    def written(found: re.Match[str]) -> str:
        gap = _GAP.match(text, found.end())
        ends = gap is not None and "/" in gap[0] and _mark_at(text, found.end()) == mark
        return "&lt;" if ends else found[0]

    return _OPENINGS.sub(written, text)


def speaker_line(user: User) -> str:
    """Return the mark above somebody's words; nobody chooses the account in it."""
    name = _attribute(user.name, _MOST_IN_NAMES)
    named = f' name="{name}"' if name else ""
    return f'<from{named} account="{_attribute(account_key(user), _MOST_IN_IDS)}">'


def speakers_text(words: Iterable[tuple[User, str]]) -> str:
    """Return what people said, each under their mark; what one says on and on stands under one."""
    return under_speakers((user, escape_marks(text)) for user, text in words)


def under_speakers(words: Iterable[tuple[User, str]]) -> str:
    """Return the same of words that have no marks in them but our own."""
    lines: list[str] = []
    last = ""
    for user, text in words:
        if (line := speaker_line(user)) != last:
            lines.append(line)
            last = line
        if text.strip():
            lines.append(text)
    return "\n".join(lines)


def api_name(user: User, *, private: bool) -> str:
    """Return the `name` of somebody's message: what OpenAI's API takes, at most 64 characters.

    Where others speak too it ends with a mark of the account, so that nobody has another's; "" for none.
    """
    name = _OUTSIDE_API_NAMES.sub("_", sanitize_name(user.name)).strip("_")[:_MOST_IN_API_NAMES].strip("_")
    plain = fold_look_alikes(name).strip("_.-* ")
    folds_out = not name.isascii() and _OUTSIDE_API_NAMES.search(unicodedata.normalize("NFKC", name))
    if plain in _OWN_NAMES or folds_out:
        name = ""
    if private:
        return name
    # Whatever a name has in it, the last hyphen is the only one.
    name = _HYPHENS.sub("_", name) or "person"
    return f"{name}-{blake2s(account_key(user).encode(), digest_size=4).hexdigest()}"


def _mark_at(text: str, at: int) -> str:
    """Return the mark that a text shows here; "" for none."""
    gap = _GAP.match(text, at)
    at = gap.end() if gap else at
    if fold_look_alikes(text[at : at + 4])[:1] not in _INITIALS:
        return ""
    found = _MARK.match(fold_look_alikes(text[at : at + _LOOKED_AT]))
    return found[1] if found else ""


def _attribute(text: str, most: int) -> str:
    return _IN_ATTRIBUTES.sub("'", sanitize_name(text))[:most].strip()
