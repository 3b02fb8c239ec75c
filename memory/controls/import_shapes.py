"""Memories in a text as facts: our own document, mem0's, ChatGPT's, or a line each (pure).

mem0 answers `{"results": [{"memory", "created_at", "metadata"}]}`, its older versions the list alone. The
file `memory.json` of ChatGPT is a list of `{"content", "enabled", "created_at"}`, its page asks for
`{"memories": [...]}`, and the assistant itself answers with a numbered list of `[2024-04-26]. Likes tea.`
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from parley.core.model.types import Json
from parley.core.ports.memory.controls import ImportProblem, ImportRefused
from parley.memory.edits.normalise import MOST_OF_FACT
from parley.memory.model.document import Fact, Summaries, clamp_confidence
from parley.memory.model.timestamps import format_timestamp, normalise_timestamp
from parley.memory.storage.document_format import read_document, read_fact

MOST_BYTES = 8_000_000
"""Bytes of a text that is imported."""
MOST_ENTRIES = 2_000
"""Entries imported at once: each is compared with those that are known, four seconds of work at worst."""
_SURE = 0.9
# Seconds; a later time is in milliseconds.
_LATEST = 10_000_000_000
_TEXTS = ("memory", "content", "text")
_TIMES = ("created_at", "created_timestamp", "createdAt", "create_time", "updated_at")
_SECTIONS = frozenset({"facts", "user", "history"})
_DATED = re.compile(r"\[[0-9]{4}-[0-9]{2}-[0-9]{2}\]")
_LINE = re.compile(
    r"(?:[-*•]\s{0,3}|[0-9]{1,4}[.)]\s{0,3})?(?:\[([0-9]{4}-[0-9]{2}-[0-9]{2})\][.:]?\s{0,3})?"
)
_NO_SUMMARIES = Summaries()

_Object = dict[str, Json]


@dataclass(frozen=True, slots=True)
class ImportedMemories:
    """Facts as they were written elsewhere; `left_out` were switched off there."""

    facts: tuple[Fact, ...]
    summaries: Summaries = _NO_SUMMARIES
    left_out: int = 0


def read_import(text: str) -> ImportedMemories:
    """Return the memories in a text. Raises ImportRefused, which names the place."""
    if len(text) > MOST_BYTES or len(text.encode("utf-8", "replace")) > MOST_BYTES:
        raise ImportRefused(ImportProblem.TOO_LARGE, f"{MOST_BYTES // 1_000_000} MB")
    plain = text.removeprefix("\ufeff").strip()
    if plain[:1] in ("{", "[") and not _DATED.match(plain):
        return _from_json(_parsed(plain))
    return _from_lines(plain)


def _parsed(text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except json.JSONDecodeError as error:
        raise ImportRefused(ImportProblem.NOT_JSON, f"{error.lineno}:{error.colno}") from error
    except (RecursionError, ValueError) as error:
        raise ImportRefused(ImportProblem.NOT_JSON, "…") from error
    return value


def _from_json(value: Json) -> ImportedMemories:
    if isinstance(value, list):
        return _from_entries("", value)
    if not isinstance(value, dict):
        raise ImportRefused(ImportProblem.NO_MEMORIES, "$")
    for name in ("results", "memories"):
        entries = value.get(name)
        if isinstance(entries, list):
            return _from_entries(name, entries)
    if not _SECTIONS & value.keys():
        raise ImportRefused(ImportProblem.NO_MEMORIES, ", ".join(map(_shown, list(value)[:5])) or "{}")
    return _from_document(value)


def _from_document(value: _Object) -> ImportedMemories:
    entries = value.get("facts")
    if entries is not None and not isinstance(entries, list):
        raise ImportRefused(ImportProblem.NO_MEMORIES, "facts")
    facts = [
        _checked(f"facts[{place}].content", read_fact(entry)) for place, entry in _counted(entries or [])
    ]
    summaries = read_document(json.dumps({**value, "facts": []})).document.summaries
    return ImportedMemories(tuple(facts), summaries)


def _from_entries(name: str, entries: Sequence[Json]) -> ImportedMemories:
    on = [(place, entry) for place, entry in _counted(entries) if not _is_off(entry)]
    facts = [_checked(f"{name}[{place}]", _fact(entry)) for place, entry in on]
    return ImportedMemories(tuple(facts), left_out=len(entries) - len(on))


def _from_lines(text: str) -> ImportedMemories:
    facts = []
    for _, line in _counted(text.splitlines()):
        plain = str(line).strip()
        found = _LINE.match(plain)
        content = plain[found.end() :].strip() if found else plain
        if any(map(str.isalnum, content)):
            at = normalise_timestamp(found[1]) if found and found[1] else ""
            facts.append(Fact("", content, confidence=_SURE, created_at=at))
    if not facts:
        raise ImportRefused(ImportProblem.NO_MEMORIES, "1")
    return ImportedMemories(tuple(facts))


def _counted(entries: Sequence[Json]) -> list[tuple[int, Json]]:
    if len(entries) > MOST_ENTRIES:
        raise ImportRefused(ImportProblem.TOO_MANY, str(MOST_ENTRIES))
    return list(enumerate(entries))


def _checked(place: str, fact: Fact | None) -> Fact:
    if fact is None or not any(map(str.isalnum, fact.content)):
        raise ImportRefused(ImportProblem.NO_TEXT, place)
    return fact


def _fact(entry: Json) -> Fact | None:
    if isinstance(entry, str):
        return Fact("", entry, confidence=_SURE)
    if not isinstance(entry, dict):
        return None
    content = next((entry[name] for name in _TEXTS if isinstance(entry.get(name), str)), "")
    time = next((entry[name] for name in _TIMES if entry.get(name)), "")
    labels = entry.get("metadata")
    labels = labels if isinstance(labels, dict) else {}
    named = labels.get("category")
    category = named if isinstance(named, str) else ""
    confidence = clamp_confidence(labels["confidence"]) if "confidence" in labels else _SURE
    found = read_fact({"content": content, "createdAt": _time(time), "category": category})
    return found and replace(found, id="", confidence=confidence)


def _time(value: Json) -> str:
    if isinstance(value, str):
        return normalise_timestamp(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return format_timestamp(value / 1000 if value > _LATEST else value)


def _is_off(entry: Json) -> bool:
    return isinstance(entry, dict) and entry.get("enabled") is False


def _shown(name: str) -> str:
    return name[:40]


def is_shortened(content: str) -> bool:
    """Return whether a text is too long for a fact."""
    return len(" ".join(content.split())) > MOST_OF_FACT
