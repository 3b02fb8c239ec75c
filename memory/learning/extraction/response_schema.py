"""JSON Schema of an update, for providers with structured output."""

from __future__ import annotations

from parley.core.model.types import Json
from parley.memory.learning.extraction.diff import Relation
from parley.memory.model.vocabulary import MemoryVocabulary

_TEXT: Json = {"type": "string"}
_TEXTS: Json = {"type": "array", "items": {"type": "string"}}


def _object(properties: dict[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _choice(values: list[str]) -> Json:
    return {"type": "string", "enum": list[Json](values)}


def _list(of: Json) -> Json:
    return {"type": "array", "items": of}


def _removal() -> Json:
    return _object(
        {
            "id": _TEXT,
            "reason": _TEXT,
            "scope": _choice(["user", "task", "project"]),
            "replacementFactIndex": {"type": ["integer", "null"]},
            "forget": {"type": "boolean"},
        }
    )


def update_schema(vocabulary: MemoryVocabulary) -> dict[str, Json]:
    """Return the schema. Every property is required, as strict providers want it; the parser needs fewer."""
    summary = _object({"shouldUpdate": {"type": "boolean"}, "summary": _TEXT, "shrinks": {"type": "boolean"}})
    similar = _object({"id": _TEXT, "relation": _choice([each.value for each in Relation])})
    fact = _object(
        {
            "content": _TEXT,
            "category": _choice(list(vocabulary.categories)),
            "confidence": {"type": "number"},
            "scope": _choice(["user", "task", "project"]),
            "turns": _TEXTS,
            "keywords": _TEXTS,
            "subject": _TEXT,
            "validFrom": _TEXT,
            "until": _TEXT,
            "sourceError": _TEXT,
            "similar": _list(similar),
        }
    )
    sections = {
        section: _object(dict.fromkeys(names, summary)) for section, names in vocabulary.sections().items()
    }
    return {
        "title": "MemoryUpdate",
        "description": "What changes in the memory of the user.",
        **_object(
            {
                **sections,
                "newFacts": _list(fact),
                "factsToRemove": _list(_removal()),
                "confirmations": _TEXTS,
            }
        ),
    }
