"""Document of one person's memory: six summaries and many facts; schema 1.0 of the reference system.

On disk it is the JSON that `memory/storage/document_format.py` reads and writes. Values here are checked
already: strings are never None, confidences are finite and within 0 and 1, contents are not blank.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from parley.core.ports.memory.port import NO_ORIGIN, FactOrigin

VERSION = "1.0"


class Category(StrEnum):
    """The usual categories of facts; an operator may name others (memory/model/vocabulary.py)."""

    PREFERENCE = "preference"
    KNOWLEDGE = "knowledge"
    CONTEXT = "context"
    BEHAVIOR = "behavior"
    GOAL = "goal"
    CORRECTION = "correction"
    INSTRUCTION = "instruction"
    """What the person wants of every answer in style, language and format (memory/text/instructions.py)."""


MOST_USES = 9
"""Uses of a fact that count: more tell nothing more."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One remembered statement, in the person's own language.

    `confidence` is 0 to 1. Times are ISO 8601 in UTC ending in Z. `source` is the LangGraph thread that
    it was learned on, or `manual`, `import`, `unknown`. `shared` says that it was said where others
    listen: all others are recalled in private only. `subject` is whom it is about when that is not the
    person; `keywords` are other words for it (synonyms, names in another language) that only search
    sees. `source_error` is the mistake that a correction corrects. `confirmed_at` is when it was last
    said again. `valid_from` is since when it holds, and `until` when it ceased to: a date, perhaps only
    a year or a month; a fact with `until` is past. `origin` is where it was said, `also_said` where it was
    said again. `reviewed_at` is when it was last judged whether it still holds (memory/upkeep). `accounts`
    are those of a linked person that it came from; "" among them, or none at all, stands for the account
    after which the person is named. A team's facts are of the accounts that said them. `uses` is how many
    answers used it, as far as counted (memory/upkeep/fact_uses.py).
    """

    id: str
    content: str
    category: str = Category.CONTEXT
    confidence: float = 0.5
    created_at: str = ""
    source: str = "unknown"
    source_error: str = ""
    shared: bool = False
    subject: str = ""
    keywords: tuple[str, ...] = ()
    confirmed_at: str = ""
    accounts: tuple[str, ...] = ()
    valid_from: str = ""
    until: str = ""
    origin: FactOrigin = NO_ORIGIN
    also_said: tuple[FactOrigin, ...] = ()
    reviewed_at: str = ""
    uses: int = 0

    @property
    def manual(self) -> bool:
        """Return whether the person wrote it themselves: never rewritten or evicted by a model."""
        return self.source == "manual"

    @property
    def last_said(self) -> str:
        """Return when it was last said, as far as is known."""
        return max(self.created_at, self.confirmed_at)


@dataclass(frozen=True, slots=True)
class Summary:
    """A few sentences, and when they were written ("" for never)."""

    text: str = ""
    updated_at: str = ""


@dataclass(frozen=True, slots=True)
class NamedSummary:
    """The summary of a topic of an operator's own."""

    name: str
    summary: Summary


@dataclass(frozen=True, slots=True)
class Summaries:
    """The six summaries of the schema, `user.workContext` ... `history.longTermBackground`, and `others`.

    `others` are those of an operator's own topics that have a text. Methods know all of them by
    their names in JSON.
    """

    work: Summary = Summary()
    personal: Summary = Summary()
    top_of_mind: Summary = Summary()
    recent: Summary = Summary()
    earlier: Summary = Summary()
    background: Summary = Summary()
    others: tuple[NamedSummary, ...] = ()

    def named(self) -> Iterator[tuple[str, Summary]]:
        """Yield all summaries with their names, the usual ones first, also those without a text."""
        for name, attribute in _ATTRIBUTES.items():
            yield name, getattr(self, attribute)
        yield from ((each.name, each.summary) for each in self.others)

    def get(self, name: str) -> Summary:
        """Return the summary of this name; an empty one where there is none."""
        return dict(self.named()).get(name, Summary())

    def changed(self, changes: Mapping[str, Summary]) -> Summaries:
        """Return the summaries with these in place of those of the same names."""
        usual: dict[str, Any] = {
            _ATTRIBUTES[name]: each for name, each in changes.items() if name in _ATTRIBUTES
        }
        new = {name: each for name, each in changes.items() if name not in _ATTRIBUTES}
        own = {each.name: each.summary for each in self.others} | new
        others = tuple(NamedSummary(name, each) for name, each in own.items() if each.text)
        return replace(self, **usual, others=others)


# Sections and keys of the usual summaries in JSON, with their attribute of `Summaries`.
SUMMARY_SECTIONS: Mapping[str, Mapping[str, str]] = {
    "user": {"workContext": "work", "personalContext": "personal", "topOfMind": "top_of_mind"},
    "history": {"recentMonths": "recent", "earlierContext": "earlier", "longTermBackground": "background"},
}
_ATTRIBUTES = {key: name for names in SUMMARY_SECTIONS.values() for key, name in names.items()}


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """Everything that is remembered of one person; `facts` in the order in which they were learned."""

    summaries: Summaries = Summaries()
    facts: tuple[Fact, ...] = ()
    updated_at: str = ""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A forgotten fact: extraction must not learn it again from what was said before `at`.

    `digest` is of the normalised content of the fact that is gone, so that forgetting leaves no copy.
    `sketch` holds numbers of its words that many other words share: enough to recognise the same in other
    words (`memory/edits/tombstones.py`).
    """

    digest: str
    at: str
    sketch: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceOrigin:
    """Sentences of summaries, by digest, that an account of a linked person brought with it."""

    account: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeptOut:
    """How much was kept out of a memory: secrets masked, orders to the assistant that became quotations, and
    statements dropped because the turn that they cite does not make them.
    """

    secrets: int = 0
    orders: int = 0
    unsaid: int = 0

    def __add__(self, other: KeptOut) -> KeptOut:
        return KeptOut(self.secrets + other.secrets, self.orders + other.orders, self.unsaid + other.unsaid)


NOTHING_KEPT_OUT = KeptOut()


@dataclass(frozen=True, slots=True)
class Notes:
    """Internal state of a memory, kept beside the document and not shown to its person.

    `generation` rises with every clear, so that lessons begun before are dropped. `off`
    says that the person wants nothing learned and nothing recalled. `watermarks` names, for each thread,
    the last turn that was learned from. `past` holds the last five documents, newest first, for undo.
    `last_id` is the last fact id that was given: each follows from the one before, so that none comes twice.
    `came` tells which account of a linked person its summaries came from. `forgot` says that the change
    before those in `past` was a forgetting, which nothing takes back.
    """

    generation: int = 0
    off: bool = False
    tombstones: tuple[Tombstone, ...] = ()
    watermarks: dict[str, str] = field(default_factory=dict)
    past: tuple[MemoryDocument, ...] = ()
    last_id: str = ""
    came: tuple[SentenceOrigin, ...] = ()
    forgot: bool = False
    kept_out: KeptOut = NOTHING_KEPT_OUT


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """A memory as it was read; saving needs the same revision.

    `damaged` names what holds the document that could not be read, for as long as it is there.
    """

    document: MemoryDocument = MemoryDocument()
    notes: Notes = Notes()
    revision: str = ""
    damaged: str = ""


UNSURE = 0.5


def clamp_confidence(value: object) -> float:
    """Return a confidence within 0 and 1; whatever is not a finite number counts as 0.5."""
    if isinstance(value, str):
        value = _number(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return UNSURE
    try:
        number = float(value)
    except OverflowError:
        return UNSURE
    return min(1.0, max(0.0, number)) if math.isfinite(number) else UNSURE


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def clear(stored: StoredMemory) -> StoredMemory:
    """Return an empty memory with nothing to undo, into which no lesson in progress is saved.

    The switch and the watermarks stay: turns learned from are not read again.
    """
    old = stored.notes
    notes = Notes(old.generation + 1, old.off, watermarks=old.watermarks, last_id=old.last_id)
    return replace(stored, document=MemoryDocument(), notes=notes)


def combine_documents(documents: Sequence[MemoryDocument]) -> MemoryDocument:
    """Return several memories of one person as one: all facts, and the first text of each summary."""
    summaries: dict[str, Summary] = {}
    for name, each in (pair for document in documents for pair in document.summaries.named()):
        if name not in summaries or (each.text and not summaries[name].text):
            summaries[name] = each
    return MemoryDocument(
        summaries=Summaries().changed(summaries),
        facts=tuple(fact for document in documents for fact in document.facts),
        updated_at=max((document.updated_at for document in documents), default=""),
    )
