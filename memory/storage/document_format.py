"""JSON format of a memory: schema 1.0 of the reference system, tolerant of edits by hand and other versions.

Keys that the schema does not have are written only where they say something: `shared`, `subject`,
`keywords`, `lastConfirmedAt`, `accounts`, `validFrom`, `until`, `origin`, `alsoSaid`, `reviewedAt`,
`uses`. What cannot be read is handed back, entry by entry, so that nothing is lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

import orjson

from parley.core.model.types import Json
from parley.core.ports.memory.port import NO_ORIGIN, FactOrigin
from parley.memory.model.document import (
    MOST_USES,
    SUMMARY_SECTIONS,
    VERSION,
    Category,
    Fact,
    MemoryDocument,
    Summaries,
    Summary,
    clamp_confidence,
)
from parley.memory.model.fact_ids import derive_fact_id
from parley.memory.model.timestamps import normalise_date, normalise_timestamp
from parley.memory.model.vocabulary import is_name

_USUAL = frozenset(each.value for each in Category)
# What version 2 of the reference system writes where the category is one of its own, named beside it.
_NAMED_BESIDE = "other"
_OWN_SECTION = "user"
_MOST_OTHERS = 40
"""Summaries of topics of an operator's own that are read: twice as many as there may be at a time."""
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")

Object = dict[str, Json]


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A parsed document, and the JSON of entries that could not be read."""

    document: MemoryDocument
    rejected: tuple[str, ...] = ()


def document_json(document: MemoryDocument) -> str:
    """Return the document as JSON, as in its file."""
    summaries = document.summaries
    value: Object = {"version": VERSION, "lastUpdated": document.updated_at}
    for section, keys in SUMMARY_SECTIONS.items():
        others = summaries.others if section == _OWN_SECTION else ()
        found = [(key, summaries.get(key)) for key in keys]
        found += [(each.name, each.summary) for each in others]
        value[section] = {key: _summary_value(each) for key, each in found}
    value["facts"] = [fact_to_json(fact) for fact in document.facts]
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def _summary_value(summary: Summary) -> Json:
    return {"summary": summary.text, "updatedAt": summary.updated_at}


def fact_to_json(fact: Fact) -> Object:
    """Return one fact as in the file."""
    value: Object = {
        "id": fact.id,
        "content": fact.content,
        "category": fact.category,
        "confidence": fact.confidence,
        "createdAt": fact.created_at,
        "source": fact.source,
    }
    extras: Object = {
        "sourceError": fact.source_error,
        "shared": fact.shared,
        "subject": fact.subject,
        "keywords": list(fact.keywords),
        "lastConfirmedAt": fact.confirmed_at,
        "accounts": list(fact.accounts),
        "validFrom": fact.valid_from,
        "until": fact.until,
        "origin": _origin_value(fact.origin),
        "alsoSaid": [_origin_value(each) for each in fact.also_said],
        "reviewedAt": fact.reviewed_at,
        "uses": fact.uses,
    }
    return value | {key: entry for key, entry in extras.items() if entry}


def _origin_value(origin: FactOrigin) -> Object:
    return {key: entry for key, entry in asdict(origin).items() if entry}


def read_document(text: str) -> ParsedDocument:
    """Parse the document in a text; blank text is an empty one. Raises ValueError for anything else."""
    if not text.strip():
        return ParsedDocument(MemoryDocument())
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    rejected: list[str] = []
    document = MemoryDocument(
        summaries=_read_summaries(value, rejected),
        facts=tuple(_read_facts(value.get("facts"), rejected)),
        updated_at=normalise_timestamp(_text(value.get("lastUpdated"))),
    )
    return ParsedDocument(document, tuple(rejected))


def _read_summaries(value: Object, rejected: list[str]) -> Summaries:
    found = {}
    for section, keys in SUMMARY_SECTIONS.items():
        entries = value.get(section)
        if not isinstance(entries, dict):
            _reject(section, entries, rejected)
            continue
        for key in (*keys, *_others(section, entries)):
            found[key] = _read_summary(f"{section}.{key}", entries.get(key), rejected)
    return Summaries().changed(found)


def _others(section: str, entries: Object) -> list[str]:
    """Return the names of summaries of an operator's own topics."""
    usual = {key for keys in SUMMARY_SECTIONS.values() for key in keys}
    own = entries if section == _OWN_SECTION else ()
    return [name for name in own if name not in usual and is_name(name)][:_MOST_OTHERS]


def _read_summary(place: str, entry: Json, rejected: list[str]) -> Summary:
    if isinstance(entry, str):
        return Summary(_text(entry).strip())
    if not isinstance(entry, dict):
        _reject(place, entry, rejected)
        return Summary()
    text = entry.get("summary")
    if not isinstance(text, str):
        _reject(place, text, rejected)
    return Summary(_text(text).strip(), normalise_timestamp(_text(entry.get("updatedAt"))))


def _read_facts(entries: Json, rejected: list[str]) -> Iterator[Fact]:
    if not isinstance(entries, list):
        _reject("facts", entries, rejected)
        return
    seen: dict[str, str] = {}
    for entry in entries:
        fact = read_fact(entry)
        if fact is None:
            rejected.append(json.dumps(entry, ensure_ascii=False))
        elif seen.get(fact.id) != fact.content:
            free = _free_id(fact, seen)
            seen[free.id] = free.content
            yield free


def _free_id(fact: Fact, seen: dict[str, str]) -> Fact:
    """Return the fact, under another id when its own is taken: a copied entry that was edited."""
    fact_id = fact.id
    while fact_id in seen:
        fact_id = derive_fact_id(fact_id + fact.content)
    return fact if fact_id == fact.id else replace(fact, id=fact_id)


def read_fact(entry: Json) -> Fact | None:
    """Parse one fact; None where there is no content. Any other odd value gets a sensible default."""
    if not isinstance(entry, dict):
        return None
    content = _text(entry.get("content")).strip()
    if not content:
        return None
    created_at = normalise_timestamp(_text(entry.get("createdAt")))
    fact_id = _text(entry.get("id"))
    return Fact(
        id=fact_id if _ID.fullmatch(fact_id) else derive_fact_id(fact_id + content + created_at),
        content=content,
        category=_category(entry),
        confidence=clamp_confidence(entry.get("confidence")),
        created_at=created_at,
        source=_source(entry.get("source")),
        source_error=_text(entry.get("sourceError")).strip(),
        shared=entry.get("shared") is True,
        subject=_text(entry.get("subject")).strip(),
        keywords=_texts(entry.get("keywords")),
        confirmed_at=normalise_timestamp(_text(entry.get("lastConfirmedAt"))),
        accounts=_accounts(entry.get("accounts")),
        valid_from=normalise_date(_text(entry.get("validFrom"))),
        until=normalise_date(_text(entry.get("until"))),
        origin=_origin(entry.get("origin")),
        also_said=_origins(entry.get("alsoSaid")),
        reviewed_at=normalise_timestamp(_text(entry.get("reviewedAt"))),
        uses=_uses(entry.get("uses")),
    )


def _uses(value: Json) -> int:
    return max(0, min(value, MOST_USES)) if isinstance(value, int) and not isinstance(value, bool) else 0


def _origin(value: Json) -> FactOrigin:
    if not isinstance(value, dict):
        return NO_ORIGIN
    return FactOrigin(_text(value.get("conversation")), _text(value.get("link")), _text(value.get("speaker")))


def _origins(value: Json) -> tuple[FactOrigin, ...]:
    found = map(_origin, value if isinstance(value, list) else ())
    return tuple(origin for origin in found if origin != NO_ORIGIN)


def _category(entry: Object) -> str:
    """Return the category, also one that is not configured; the usual names are written in any case."""
    for key in ("category", "categoryExtension"):
        named = _text(entry.get(key)).strip()
        if is_name(named) and named.lower() != _NAMED_BESIDE:
            return named.lower() if named.lower() in _USUAL else named
    return Category.CONTEXT


def _source(value: Json) -> str:
    if isinstance(value, dict):
        value = value.get("threadId") or value.get("type")
    return _text(value).strip() or "unknown"


def _texts(value: Json) -> tuple[str, ...]:
    entries = value if isinstance(value, list) else []
    return tuple(text for text in (_text(entry).strip() for entry in entries) if text)


def _accounts(value: Json) -> tuple[str, ...]:
    entries = value if isinstance(value, list) else []
    return tuple(_text(entry) for entry in entries if isinstance(entry, str))


def _text(value: Json) -> str:
    """Return a text that can be written again: half a character (from a `\\ud800`) becomes a mark."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else _LONE_SURROGATES.sub("\ufffd", value)


def _reject(place: str, entry: Json, rejected: list[str]) -> None:
    """Record an entry that cannot be read where it stands; a missing one is no error."""
    if entry is not None:
        rejected.append(json.dumps({place: entry}, ensure_ascii=False))
