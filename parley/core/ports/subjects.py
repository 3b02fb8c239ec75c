"""Whom and which conversations a kept text is about, and its hour: what the store's index is made of.

A name, an account's key or a conversation's, stands there as a number, so that nobody is named by what is
left over; who looks something up compares the text itself.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b

from parley.core.model.address import Conversation, User, account_key

INDEXED_DOCUMENTS = (
    *("account/", "audit/", "feedback/", "feedback-prompt/", "heard/", "link/", "paired/"),
    *("question/", "rateable/", "sent/", "thread/"),
)
"""How the keys of documents begin that are looked up by whom they are about; others are found by key."""

DATED_DOCUMENTS = ("feedback/", "feedback-prompt/", "question/", "rateable/")
"""How the keys of those begin that are kept for a time: they are found by the hour from which it counts."""
UNDATED = 0
"""The hour of a document whose time has not begun, as of an open question, or that is damaged."""
LAST_HOUR = 9_999_999
"""No hour has a higher number. Those of names have 64 bits: that one is as low will hardly happen."""
_HOUR = 3_600.0

_TEXT = r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"'
_NAMED = re.compile(
    rf'"(?=[abcopsvw])(?:channel":{_TEXT},"(?:id":{_TEXT}|chat":{_TEXT}(?:,"topic":{_TEXT})?)'
    rf'|(?:account|person|owner|who|by|conversation|source)":{_TEXT}'
    rf'|asker":{_TEXT}|(?:voices|accounts)":(?=\[))',
    re.DOTALL,
)
"""How `encode` writes users, conversations, and the keys of either. In a text it would have `\\"`."""

_DECODER = json.JSONDecoder()


def item_subjects(lane: str, body: str) -> tuple[int, ...]:
    """Return the numbers of whom an item in a lane is about, and of the lane."""
    return _numbers({lane, *_names(body, "")})


def document_subjects(key: str, body: str) -> tuple[int, ...]:
    """Return the numbers of whom a document is about, also by its key; none for one that is found by that."""
    if not key.startswith(INDEXED_DOCUMENTS):
        return ()
    place = key.partition("/")[2]
    numbers = _numbers({place, *_names(body, place.partition(":")[0])})
    if not key.startswith(DATED_DOCUMENTS):
        return numbers
    at = document_time(key, body)
    return (UNDATED if at is None else hour_number(at), *numbers)


def document_time(key: str, body: str) -> float | None:
    """Return from when on (Unix seconds) a document of DATED_DOCUMENTS is kept for its time: for a question,
    since it was settled.

    None where that has not begun, or the document is damaged.
    """
    try:
        value = json.loads(body)
        if not key.startswith("question/"):
            at = value["at"]
        elif decision := value.get("decision"):
            at = decision["at"]
        else:
            at = value["asked_at"] if value.get("dropped") else None
        return float(at) if type(at) in (int, float) and math.isfinite(at) else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return None


def hour_number(at: float) -> int:
    """Return the number of the hour of a time (Unix seconds), among the numbers that stand for names."""
    return min(max(int(at // _HOUR), UNDATED + 1), LAST_HOUR)


@lru_cache(maxsize=4096)
def subject_number(name: str) -> int:
    """Return the number that stands for an account's or a conversation's key, or for a lane."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _numbers(names: set[str]) -> tuple[int, ...]:
    return tuple(sorted(map(subject_number, names)))


def _names(body: str, channel: str) -> Iterator[str]:
    """Yield all names in one pass; `channel` is where a bare account id belongs."""
    at, escaped = 0, "\\" in body
    while found := _NAMED.search(body, at):
        at = found.end()
        groups = map(_unescaped, found.groups()) if escaped else found.groups()
        place, user, chat, topic, named, asker = groups
        if user is not None:
            yield account_key(User(place or "", user))
        elif chat is not None:
            yield Conversation(place or "", chat, topic).key
        elif named is not None:
            yield named
        elif asker is not None:
            yield asker if ":" in asker else account_key(User(channel, asker))
        else:
            with suppress(ValueError, RecursionError):  # text that only looks like what `encode` writes
                listed, at = _DECODER.raw_decode(body, at)
                yield from _texts(listed)


def _unescaped(text: str | None) -> str | None:
    if text is None or "\\" not in text:
        return text
    try:
        unescaped: str = json.loads(f'"{text}"', strict=False)
    except ValueError:
        return text
    return unescaped


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
