"""How early the turns that answer a question come: by turn, by session, and within token budgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from statistics import mean

from benchmarks.dialogues.shapes import AskedQuestion, LongDialogue
from benchmarks.kit.progress import show_progress
from benchmarks.kit.tables import Table
from benchmarks.recall.evidence import BUDGETS
from benchmarks.recall.rankers import Maker, Order
from parley.memory.inject.lines import fact_line
from parley.memory.model.document import Fact
from parley.memory.options import MemoryOptions
from parley.memory.text.token_counting import Counter, token_counter

_LOADING = 30.0
_FIRST = (5, 10)
_FIRST_SESSIONS = (1, 5, 10)
_COMPARED = 2_000


@dataclass(frozen=True, slots=True)
class TurnsFound:
    """The results of one question: shares of its evidence in the first turns and sessions, and by budget."""

    kind: str
    turns: Mapping[int, float]
    sessions: Mapping[int, float]
    gain: float
    budgets: Mapping[int, float]


class Lines:
    """The lines of one dialogue's turns, as they would be injected, and what each costs."""

    def __init__(self, dialogue: LongDialogue, counter: Counter) -> None:
        self._costs = {turn.id: counter.count(fact_line(turn)) for turn in dialogue.turns}

    def within(self, ranked: Sequence[Fact], budget: int) -> list[Fact]:
        """Return the turns that fit, best first; one that does not fit is skipped."""
        taken = []
        for turn in ranked:
            if self._costs[turn.id] <= budget:
                budget -= self._costs[turn.id]
                taken.append(turn)
        return taken


def exact_counter() -> Counter:
    """Return the counter of the memory block, once it is exact."""
    counter = token_counter(MemoryOptions())
    counter.wait(_LOADING)
    return counter


def measure_dialogues(
    dialogues: Sequence[LongDialogue], makers: Mapping[str, Maker]
) -> dict[str, list[TurnsFound]]:
    """Return the results of every question with evidence, for every order."""
    counter = exact_counter()
    found: dict[str, list[TurnsFound]] = {name: [] for name in makers}
    for place, dialogue in enumerate(dialogues, 1):
        lines = Lines(dialogue, counter)
        for name, maker in makers.items():
            found[name] += _measured(dialogue, maker(dialogue.turns), lines)
        show_progress(place, len(dialogues), "dialogues")
    return found


def _measured(dialogue: LongDialogue, order: Order, lines: Lines) -> list[TurnsFound]:
    sessions = {turn.id: turn.source for turn in dialogue.turns}
    return [
        _result(asked, order([asked.text]), sessions, lines) for asked in dialogue.questions if asked.evidence
    ]


def _result(
    asked: AskedQuestion, ranked: Sequence[Fact], sessions: Mapping[str, str], lines: Lines
) -> TurnsFound:
    ids = [turn.id for turn in ranked]
    # A session stands where its best turn does.
    order = list(dict.fromkeys(turn.source for turn in ranked))
    answering = frozenset(sessions[name] for name in asked.evidence)
    return TurnsFound(
        asked.kind,
        {first: _share(ids[:first], asked.evidence) for first in _FIRST},
        {first: _share(order[:first], answering) for first in _FIRST_SESSIONS},
        _gain(ids[:10], asked.evidence),
        {
            budget: _share([turn.id for turn in lines.within(ranked, budget)], asked.evidence)
            for budget in BUDGETS
        },
    )


def _share(found: Sequence[str], wanted: frozenset[str]) -> float:
    return len(wanted.intersection(found)) / len(wanted)


def _gain(first: Sequence[str], wanted: frozenset[str]) -> float:
    found = sum(1 / log2(place + 2) for place, name in enumerate(first) if name in wanted)
    return found / sum(1 / log2(place + 2) for place in range(min(10, len(wanted))))


def retrieval_tables(results: Mapping[str, Sequence[TurnsFound]]) -> tuple[Table, Table, Table]:
    """Return the tables by turn and session, by budget, and by kind of question."""
    many = len(next(iter(results.values())))
    return _ranks(results, many), _curve(results, many), _kinds(results)


def _ranks(results: Mapping[str, Sequence[TurnsFound]], many: int) -> Table:
    rows = []
    for name, found in results.items():
        turns = [f"{mean(one.turns[first] for one in found):.3f}" for first in _FIRST]
        sessions = [f"{mean(one.sessions[first] for one in found):.3f}" for first in _FIRST_SESSIONS]
        rows.append((name, *turns, f"{mean(one.gain for one in found):.3f}", *sessions))
    return Table(
        "dialogues-ranks",
        f"Recall of the evidence, {many} questions",
        (
            "order",
            *(f"turn R@{first}" for first in _FIRST),
            "turn nDCG@10",
            *(f"session R@{first}" for first in _FIRST_SESSIONS),
        ),
        tuple(rows),
        "A session stands where its best turn does.",
    )


def _curve(results: Mapping[str, Sequence[TurnsFound]], many: int) -> Table:
    return Table(
        "dialogues-budgets",
        f"Evidence within a token budget, {many} questions",
        ("order", *(f"{budget:,} tokens" for budget in BUDGETS)),
        tuple(
            (name, *(f"{mean(one.budgets[budget] for one in found):.3f}" for budget in BUDGETS))
            for name, found in results.items()
        ),
        "Turns as the dated lines of the memory block; one that does not fit is skipped.",
    )


def _kinds(results: Mapping[str, Sequence[TurnsFound]]) -> Table:
    kinds = sorted({one.kind for found in results.values() for one in found})
    rows = []
    for name, found in results.items():
        own = [[one for one in found if one.kind == kind] for kind in kinds]
        rows.append((name, *(f"{mean(one.budgets[_COMPARED] for one in each):.3f}" for each in own)))
    return Table(
        "dialogues-kinds",
        f"Evidence within {_COMPARED:,} tokens, by kind of question",
        ("order", *kinds),
        tuple(rows),
    )
