"""The changes of a memory that an extraction proposes; `memory/learning/apply_diff.py` decides on them.

Everything here is already checked for shape by whoever made it, and nothing for sense: a fact may be
blank or known, an id may be of nothing, a confidence may be anything but a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from parley.memory.model.document import Category

UNREADABLE = -1


class Relation(StrEnum):
    """How a new fact relates to a stored one that is similar."""

    SAME = "same"
    """It says the same: the stored one is confirmed, and nothing is added."""
    SUPERSEDES = "supersedes"
    """It is what is true now: the stored one is past when the new one is kept."""
    KEEP_BOTH = "keep both"
    """They are two things."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The relation of a new fact to the stored fact `id`."""

    id: str
    relation: Relation


@dataclass(frozen=True, slots=True)
class ProposedFact:
    """A fact to be learned.

    `confidence` is clamped to 0..1 later; not a number counts as 0.5. `judgements` are about stored
    facts that look like it. `valid_from` and `until` are dates or empty, as said. `turns` are the ids of
    the turns that it was learned from; empty means that nobody knows, and the most careful reading of
    all the turns counts.
    """

    content: str
    category: str = Category.CONTEXT
    confidence: float = 0.5
    source_error: str = ""
    keywords: tuple[str, ...] = ()
    subject: str = ""
    valid_from: str = ""
    until: str = ""
    judgements: tuple[Judgement, ...] = ()
    turns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Removal:
    """A stored fact to be removed.

    `replaced_by` is the index in `Diff.new_facts` of the fact that takes its place: it goes only when that
    one is kept. UNREADABLE says that there was to be one, and that it could not be read: the removal is
    refused. `forget` says that the person asked for it: it is not learned again, and summaries lose it too.
    """

    id: str
    reason: str = ""
    replaced_by: int | None = None
    forget: bool = False


@dataclass(frozen=True, slots=True)
class SummaryChange:
    """A new text for the summary `name` (by its name in JSON).

    One that is less than half as long as what is there is refused, unless `shrinks` says that it is meant.
    """

    name: str
    text: str
    shrinks: bool = False


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The stored fact `id` was said again."""

    id: str


@dataclass(frozen=True, slots=True)
class Diff:
    """One extraction's proposal.

    `unreadable` counts the facts of the answer that could not be read and so are not in `new_facts`. While
    there are any, a removal without a replacement is refused, as it may have been half of a replacement;
    what the person asked to forget goes all the same.
    """

    new_facts: tuple[ProposedFact, ...] = ()
    removals: tuple[Removal, ...] = ()
    summaries: tuple[SummaryChange, ...] = ()
    confirmations: tuple[Confirmation, ...] = ()
    unreadable: int = 0
