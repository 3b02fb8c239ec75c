"""Removal of machine-made blocks, quotes and notices from texts before extraction.

Only whole blocks and lines that carry a mark go; a sentence that merely speaks of files stays.
"""

from __future__ import annotations

import re

from parley.core.texts import CATALOGUE, Sentence

# Blocks of the reference system (two names for uploads), and ours (parley/agent/files/content_blocks.py,
# memory/inject/block.py).
_UPLOADS = re.compile(
    r"<(uploaded_files|current_uploads)\b[^<>]*>.*?(?:</\1\s*>|\Z)\s*", re.IGNORECASE | re.DOTALL
)
_FILE = re.compile(r'^<file name="[^"\n]*" type="[^"\n]*">$.*?(?:^</file>$\n?|\Z)', re.MULTILINE | re.DOTALL)
# At a line's beginning only: "#include <memory>" is the person's own text.
_MEMORY = re.compile(r"^[ \t]*<memory>.*?(?:</memory>\s*|\Z)", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>\s*|\Z)", re.IGNORECASE | re.DOTALL)
_BLOCKS = (_UPLOADS, _FILE, _MEMORY, _REMINDER)
# Beginning, end and inner part of notice lines.
_NOTES = (
    ('[Attached file "', " bytes: ", "]"),
    ("[The file ", " could not be read: ", "]"),
    ("[cut here: ", "", "]"),
)

_QUOTED = re.compile(r"^[ \t]*>.*$\n?", re.MULTILINE)
_FORWARDED = re.compile(
    r"^[ \t]*-{2,}[ \t]*(?:Forwarded message|Original Message|转发的?(?:邮件|消息)|原始邮件)[ \t]*-{2,}.*\Z",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)

_ADDED = (
    Sentence.ANSWER_EMPTY, Sentence.ANSWER_FAILED, Sentence.ANSWER_STOPPED, Sentence.FILE_CUT,
    Sentence.FILE_LEFT_OUT,
)  # fmt: skip


def _sentence(template: str) -> str:
    return re.sub(r"\\\{\w+\\\}", ".*", re.escape(template))


_OURS = re.compile(
    "^(?:" + "|".join(_sentence(texts[key]) for texts in CATALOGUE.values() for key in _ADDED) + ")$\n?",
    re.MULTILINE,
)


def own_words(text: str) -> str:
    """Return what a person said themselves: without our blocks, quotes and forwarded messages."""
    return _FORWARDED.sub("", _QUOTED.sub("", _unmarked(text))).strip()


def agent_words(text: str) -> str:
    """Return what an agent answered, without our blocks and Parley's own notices."""
    return _OURS.sub("", _unmarked(text)).strip()


def _unmarked(text: str) -> str:
    for block in _BLOCKS:
        text = block.sub("", text)
    return "\n".join(line for line in text.split("\n") if not _is_note(line))


def _is_note(line: str) -> bool:
    return any(
        line.startswith(begin) and line.endswith(end) and between in line for begin, between, end in _NOTES
    )
