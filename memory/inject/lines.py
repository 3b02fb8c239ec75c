"""Rendering of facts and summaries as single lines of the block, escaped."""

from __future__ import annotations

import re
from functools import lru_cache

from parley.core.model.sanitize import sanitize_text
from parley.memory.model.document import Category, Fact
from parley.memory.text.escape import escaped
from parley.memory.text.secrets.masking import mask_secrets

_ELLIPSIS = " ..."
_LONGEST_WORD = 30
_MOST_OF_NAME = 60
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?=T|$)")


def flatten(text: str) -> str:
    """Return the text on one line, without invisible characters; not escaped yet."""
    return " ".join(sanitize_text(text).split())


def _safe(text: str) -> str:
    """Return a flat text without secrets: older memories may still hold some."""
    return mask_secrets(flatten(text)).text


def fact_line(fact: Fact) -> str:
    """Return `- 2023-05-08: content` and a line break; empty where there is no visible text.

    The date is the one on which it was first said, to which words such as "yesterday" refer. The end of the
    line says since when it holds, or until when it did.
    """
    date = _DATE.match(fact.created_at)
    return _line(f"- {date[0]}: " if date else "- ", fact, fact.category, _validity(fact))


def team_line(fact: Fact) -> str:
    """Return `- 2023-05-08, Ann: content`: when it was said for a team, and by whom."""
    date, speaker = _DATE.match(fact.created_at), escaped(flatten(fact.origin.speaker)[:_MOST_OF_NAME])
    head = ", ".join(part for part in (date[0] if date else "", speaker) if part)
    return _line(f"- {head}: " if head else "- ", fact, fact.category, _validity(fact))


def _validity(fact: Fact) -> str:
    """Return since when a fact holds, or that it is past, as the end of its line."""
    since, until = fact.valid_from[:10], fact.until[:10]
    if not until:
        return f" (since {since})" if since else ""
    return f" (past: {since} to {until})" if since else f" (past: until {until})"


def classic_line(fact: Fact) -> str:
    """Return `- [category | 0.95] content` and a line break, the form of the reference system.

    It has no form for what is past: such facts have no line.
    """
    return labelled_line(fact, fact.category)


def labelled_line(fact: Fact, label: str) -> str:
    """Return the classic line of a fact with a category label of its own, as other versions have them."""
    category = flatten(label) or Category.CONTEXT.value
    if fact.until:
        return ""
    return _line(f"- [{escaped(category)} | {fact.confidence:.2f}] ", fact, category)


def _line(head: str, fact: Fact, category: str, end: str = "") -> str:
    body = _safe(fact.content)
    if not body:
        return ""
    subject = flatten(fact.subject)
    if subject and subject.casefold() not in body.casefold():
        body = f"{subject}: {body}"
    error = _safe(fact.source_error) if category == Category.CORRECTION.value else ""
    avoid = f" (avoid: {escaped(error)})" if error else ""
    return f"{head}{escaped(body)}{avoid}{end}\n"


@lru_cache(maxsize=1024)
def summary_line(label: str, text: str) -> str:
    """Return `- Label: text` and a line break; empty where there is no text."""
    body = _safe(text)
    return f"- {label}: {escaped(body)}\n" if body else ""


def shortened_line(label: str, body: str, most: int) -> str:
    """Return the line of the first `most` characters of a flat text, cut between words if it has spaces."""
    head, space, tail = body[:most].rpartition(" ")
    # A long run without spaces is in a script that does not use them.
    kept = head if space and len(tail) < _LONGEST_WORD else body[:most].rstrip()
    return f"- {label}: {escaped(kept)}{_ELLIPSIS}\n"
