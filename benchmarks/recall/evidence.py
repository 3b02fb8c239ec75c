"""Share of the evidence that stands in the block really injected, over a curve of token budgets.

The file is yours (LoCoMo's licence does not allow us to ship it). It is JSON:
`{"users": [{"id", "facts": [[content, date, subject, session, confidence, tokens, evidence ids]],
"queries": [[text, category, evidence ids, relevant places, ...]]}]}`. What stands in `tokens` is not used:
the block itself is counted, with the date, the heading and the tags.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from statistics import mean

from benchmarks.kit.tables import Table
from benchmarks.recall.rankers import ALL_FACTS, Maker, by, rankers_of_all
from parley.memory.inject.block import build_block
from parley.memory.inject.line_cache import LineCache
from parley.memory.model.document import Category, Fact, MemoryDocument
from parley.memory.options import MemoryOptions, Ranking
from parley.memory.search.index import FactIndex
from parley.memory.text.token_counting import Counter, token_counter

BUDGETS = (100, 250, 500, 1_000, 2_000, 4_000, 8_000)
_COMPARED = 500
_TODAY = "2026-11-25"
_LEFT_OUT = "adversarial"
_LOADING = 30.0
_AS_GIVEN = "`ranking: relevance`, as the agent gets it"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the ids of the turns that answer it, and the facts learned from these."""

    text: str
    category: str
    evidence: frozenset[str]
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The facts of one person's conversations, the turns that each came from, and the questions."""

    facts: tuple[Fact, ...]
    sources: Mapping[str, frozenset[str]]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The results of one question: the share of its evidence for each budget, and nDCG@10."""

    category: str
    recall: Mapping[int, float]
    gain: float


class UnreadableFile(ValueError):
    """A file that does not have the shape that is documented above; the text says where."""


def read_dialogues(path: Path) -> list[Dialogue]:
    """Return what the file holds. Raises UnreadableFile, naming the user that cannot be read."""
    try:
        users = json.loads(path.read_text(encoding="utf-8"))["users"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnreadableFile(f"{path}: no JSON with a list `users`: {error!r}") from error
    found = []
    for place, user in enumerate(users):
        try:
            found.append(_dialogue(user))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise UnreadableFile(f"{path}: users[{place}] cannot be read: {error!r}") from error
    return found


def _dialogue(user: Mapping[str, list[list[object]]]) -> Dialogue:
    facts, sources = [], {}
    for place, (content, date, subject, session, confidence, _, ids) in enumerate(user["facts"]):
        fact = Fact(
            id=str(place),
            content=str(content),
            category=Category.KNOWLEDGE,
            confidence=float(str(confidence)),
            created_at=f"{date}T12:00:00Z",
            source=str(session),
            subject=str(subject),
        )
        facts.append(fact)
        sources[fact.id] = _names(ids)
    questions = (
        Question(str(text), str(category), _names(evidence), _names(relevant))
        for text, category, evidence, relevant, *_ in user["queries"]
    )
    return Dialogue(tuple(facts), sources, tuple(q for q in questions if q.category != _LEFT_OUT))


def _names(ids: object) -> frozenset[str]:
    if not isinstance(ids, list) or not ids:
        raise ValueError(f"{ids!r} is not a list of ids")
    return frozenset(map(str, ids))


def measure(
    dialogues: Sequence[Dialogue], maker: Maker, budgets: Sequence[int] = BUDGETS, *, gated: bool = False
) -> list[Found]:
    """Return the results of every question, with one index for each dialogue.

    With `gated`, a question that seems to concern nothing known gets the small block, as in Parley itself.
    """
    counter = token_counter(MemoryOptions())
    counter.wait(_LOADING)
    found = []
    for dialogue in dialogues:
        order, index = maker(dialogue.facts), FactIndex(dialogue.facts)
        blocks = _Blocks(dialogue, LineCache(), counter)
        for asked in dialogue.questions:
            ranked = order([asked.text])
            concerned = not gated or index.concerns([asked.text])
            recall = {budget: blocks.recall(asked, ranked, budget, concerned) for budget in budgets}
            gain = _gain([fact.id for fact in ranked[:10]], asked.relevant)
            found.append(Found(asked.category, recall, gain))
    return found


@dataclass(frozen=True, slots=True)
class _Blocks:
    """The blocks of one dialogue's facts."""

    dialogue: Dialogue
    lines: LineCache
    counter: Counter

    def recall(self, asked: Question, ranked: Sequence[Fact], budget: int, concerned: bool) -> float:
        """Return the share of the evidence that stands in the block of so many tokens."""
        block = build_block(
            MemoryDocument(facts=self.dialogue.facts),
            ranked,
            MemoryOptions(max_injection_tokens=budget),
            self.counter,
            private=True,
            today=_TODAY,
            lines=self.lines,
            concerned=concerned,
        )
        injected = set(block.splitlines(keepends=True))
        seen = {
            source
            for fact in self.dialogue.facts
            if fact.id in asked.relevant and self.lines.line(fact) in injected
            for source in self.dialogue.sources[fact.id]
        }
        return len(seen & asked.evidence) / len(asked.evidence)


def _gain(first: Sequence[str], relevant: frozenset[str]) -> float:
    found = sum(1 / log2(place + 2) for place, fact in enumerate(first) if fact in relevant)
    return found / sum(1 / log2(place + 2) for place in range(min(10, len(relevant))))


def evidence_tables(path: Path) -> tuple[Table, Table]:
    """Return the curve over budgets, and the categories of question, for every order."""
    dialogues = read_dialogues(path)
    results = {name: measure(dialogues, maker) for name, maker in rankers_of_all().items()}
    results[_AS_GIVEN] = measure(dialogues, by(Ranking.RELEVANCE, ALL_FACTS), gated=True)
    questions = len(next(iter(results.values())))
    return _curve(results, questions), _categories(results)


def _curve(results: Mapping[str, Sequence[Found]], questions: int) -> Table:
    return Table(
        "recall-budgets",
        f"Evidence in the injected block, of {questions} questions",
        ("order", *(f"{budget:,} tokens" for budget in BUDGETS), "nDCG@10"),
        tuple(
            (
                name,
                *(f"{mean(one.recall[budget] for one in found):.3f}" for budget in BUDGETS),
                f"{mean(one.gain for one in found):.3f}",
            )
            for name, found in results.items()
        ),
        "The budget is that of the whole block: dated lines, heading and tags. As the agent gets it: a "
        "question that seems to concern nothing known gets a small block.",
    )


def _categories(results: Mapping[str, Sequence[Found]]) -> Table:
    kinds = sorted({one.category for found in results.values() for one in found})
    rows = []
    for name, found in results.items():
        cells = []
        for kind in kinds:
            own = [one for one in found if one.category == kind]
            cells.append(f"{mean(o.recall[_COMPARED] for o in own):.3f} / {mean(o.gain for o in own):.3f}")
        rows.append((name, *cells))
    return Table(
        "recall-categories",
        f"Evidence within {_COMPARED} tokens / nDCG@10, by kind of question",
        ("order", *kinds),
        tuple(rows),
    )
