"""Parses a model's answer into a Diff, whatever surrounds it; one bad item never loses the others.

The answer may be text with thinking, prose or fences around the JSON, or a list of content blocks, or the
arguments of a tool call; trailing commas and raw line ends are read. Ids that the
model was not shown are dropped.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from parley.core.model.errors import MemoryFailed
from parley.core.model.types import Json
from parley.memory.learning.extraction.diff import (
    UNREADABLE,
    Confirmation,
    Diff,
    Judgement,
    ProposedFact,
    Relation,
    Removal,
    SummaryChange,
)
from parley.memory.model.document import SUMMARY_SECTIONS, Category
from parley.memory.model.timestamps import normalise_date
from parley.memory.text.escape import unescaped

_KEYS = frozenset(("user", "history", "newFacts", "factsToRemove", "confirmations"))
_THOUGHT = re.compile(r"<(/?)(think|thinking|reasoning)>", re.IGNORECASE)
# A string that does not end goes to the end of the text, so that matching takes linear time.
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|,(?=\s*[}\]])', re.DOTALL)
_LONGEST = 400_000
_MOST_STARTS = 1_000
_RELATIONS = {re.sub(r"\W", "", each.value): each for each in Relation}

Object = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class ShownIds:
    """The ids that the model may use: of facts by the names it was shown, and of turns (T1 is the first)."""

    facts: Mapping[str, str]
    turns: tuple[str, ...]


def content_text(content: object) -> str:
    """Return the text of a message's content: a string, or a list of strings and text blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    blocks = (block.get("text", "") if isinstance(block, Mapping) else block for block in content)
    return "".join(block for block in blocks if isinstance(block, str))


def read_text(text: str, shown: ShownIds) -> Diff:
    """Return the update in a text. Raises MemoryFailed when there is none."""
    whole = text[-_LONGEST:]
    without = _without_thoughts(whole)
    for place in (without, whole, _without_trailing_commas(without), _without_trailing_commas(whole)):
        found = max(_updates(place), key=lambda each: len(_KEYS & each.keys()), default=None)
        if found is not None:
            return read_object(found, shown)
    raise MemoryFailed("The model's answer holds no update of a memory.")


def _without_thoughts(text: str) -> str:
    """Return the text without what stands between a thinking tag and its next end tag, if any."""
    tags = list(_THOUGHT.finditer(text))
    last_end = {tag[2].lower(): tag.start() for tag in tags if tag[1]}
    kept, at, thinking = list[str](), 0, ""
    for tag in tags:
        name = tag[2].lower()
        if thinking:
            if tag[1] and name == thinking:
                at, thinking = tag.end(), ""
        elif not tag[1] and last_end.get(name, -1) > tag.start():
            kept.append(text[at : tag.start()])
            thinking = name
    return "".join((*kept, text[at:]))


def _without_trailing_commas(text: str) -> str:
    """Return the text without commas before the end of an object or a list; those in strings stay."""
    begin = max(text.find("{"), 0)  # quotation marks of what stands before belong to no string
    return _STRING_OR_COMMA.sub(lambda found: "" if found[0] == "," else found[0], text[begin:])


def _updates(text: str) -> list[Object]:
    """Return all objects in a text that are updates, the last one first; strings may have raw line ends."""
    decoder, found, at = json.JSONDecoder(strict=False), list[Object](), text.find("{")
    for _ in range(_MOST_STARTS):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if is_update(value):
                found.append(value)
            else:
                end = at + 1
        at = text.find("{", end)
    return found[::-1]


def is_update(value: object) -> bool:
    """Return whether an object is a whole update rather than a part that looks like one."""
    if not isinstance(value, Mapping):
        return False
    keys = _KEYS & value.keys()
    return "newFacts" in keys or len(keys) > 1


def read_object(value: Object, shown: ShownIds) -> Diff:
    """Return the update in an object; items that cannot be read are dropped."""
    facts: list[ProposedFact] = []
    places: dict[int, int] = {}
    raw_facts = _items(value.get("newFacts"))
    for position, raw in enumerate(raw_facts):
        fact = _fact(raw, shown)
        if fact is not None:
            places[position] = len(facts)
            facts.append(fact)
    removals = (_removal(raw, places, shown) for raw in _items(value.get("factsToRemove")))
    confirmed = (_id(raw, shown) for raw in _items(value.get("confirmations")))
    return Diff(
        new_facts=tuple(facts),
        removals=tuple(removal for removal in removals if removal is not None),
        summaries=tuple(_summaries(value)),
        confirmations=tuple(Confirmation(each) for each in dict.fromkeys(confirmed) if each),
        unreadable=len(raw_facts) - len(facts),
    )


def _fact(raw: Json, shown: ShownIds) -> ProposedFact | None:
    if not isinstance(raw, dict) or _word(raw.get("scope")).lower() not in ("", "user"):
        return None
    content, confidence = _word(raw.get("content")), _confidence(raw.get("confidence"))
    if not content or confidence is None:
        return None
    return ProposedFact(
        content=content,
        category=_word(raw.get("category")).casefold() or Category.CONTEXT,
        confidence=confidence,
        source_error=_word(raw.get("sourceError")),
        keywords=tuple(word for each in _items(raw.get("keywords")) if (word := _word(each))),
        subject=_word(raw.get("subject")),
        valid_from=normalise_date(_word(raw.get("validFrom"))),
        until=normalise_date(_word(raw.get("until"))),
        judgements=tuple(_judgements(raw.get("similar"), shown)),
        turns=tuple(dict.fromkeys(_turns(raw.get("turns"), shown))),
    )


def _confidence(raw: Json) -> float | None:
    """Return a number, also from text or percent; half sure where it is missing, None for nonsense."""
    if raw is None:
        return 0.5
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        return None
    try:
        number = float(raw)
    except (ValueError, OverflowError):
        return None
    if not math.isfinite(number):
        return None
    return number / 100 if 1 < number <= 100 else number


def _judgements(raw: Json, shown: ShownIds) -> Iterator[Judgement]:
    for each in _items(raw):
        if not isinstance(each, dict):
            continue
        fact = _id(each.get("id"), shown)
        relation = _RELATIONS.get(re.sub(r"[\W_]", "", _word(each.get("relation")).lower()))
        if fact and relation:
            yield Judgement(fact, relation)


def _turns(raw: Json, shown: ShownIds) -> Iterator[str]:
    for each in _items(raw):
        digits = re.fullmatch(r"\s*[Tt]?(\d{1,6})\s*", str(each))
        if digits and 0 < int(digits[1]) <= len(shown.turns):
            yield shown.turns[int(digits[1]) - 1]


def _removal(raw: Json, places: Mapping[int, int], shown: ShownIds) -> Removal | None:
    """Return a removal with a reason that holds for the person; what they asked to forget needs neither."""
    fact = _id(raw, shown)
    if not fact or not isinstance(raw, dict):
        return None
    reason, forget = _word(raw.get("reason")), raw.get("forget") is True
    if not forget and not (reason and _word(raw.get("scope")).lower() == "user"):
        return None
    replacement, replaced_by = raw.get("replacementFactIndex"), None
    if replacement is not None:
        known = isinstance(replacement, int) and not isinstance(replacement, bool)
        replaced_by = places.get(int(str(replacement)), UNREADABLE) if known else UNREADABLE
    return Removal(fact, reason, replaced_by, forget)


def _summaries(value: Object) -> Iterator[SummaryChange]:
    for section in SUMMARY_SECTIONS:
        parts = value.get(section)
        for name, part in parts.items() if isinstance(parts, dict) else ():
            if isinstance(part, dict) and _yes(part.get("shouldUpdate")):
                text = part.get("summary")
                if isinstance(text, str):
                    yield SummaryChange(name, _word(text), _yes(part.get("shrinks")))


def _id(raw: Json, shown: ShownIds) -> str:
    """Return the id of the fact that an item is or names, when it was shown; else empty."""
    return shown.facts.get(_word(raw.get("id") if isinstance(raw, dict) else raw), "")


def _word(raw: Json) -> str:
    return unescaped(raw).strip() if isinstance(raw, str) else ""


def _yes(raw: Json) -> bool:
    return raw is True or (isinstance(raw, str) and raw.strip().lower() == "true")


def _items(raw: Json) -> list[Json]:
    return raw if isinstance(raw, list) else []
