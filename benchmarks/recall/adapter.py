"""The recall bench of the project's makers, spoken to: its dicts become facts of ours.

The bench lies outside the project; it is run as `python run.py benchmarks.recall.adapter:make --factory`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from benchmarks.recall.rankers import Order, tfidf, tfidf_mix
from parley.memory.model.document import Category, Fact
from parley.memory.options import MemoryOptions, Ranking
from parley.memory.search.index import FactIndex
from parley.memory.search.ranking import rank_lazily

Row = Mapping[str, object]


class Ranker:
    """Facts of one person, ranked for a question or a conversation."""

    def __init__(self, rows: Sequence[Row], ranking: Ranking) -> None:
        self._facts = [_fact(row) for row in rows]
        self._index = FactIndex(self._facts)
        self._options = MemoryOptions(ranking=ranking)

    def rank(self, query: str | Sequence[str], budget: int) -> list[str]:
        """Ids of the best facts, best first: more than fit into the budget, at which the bench cuts."""
        order = rank_lazily(self._index, _messages(query), self._options)
        return [fact.id for fact in islice(order, budget // 4)]

    def add(self, row: Row) -> None:
        """Learn one more fact."""
        self._facts.append(_fact(row))
        self._index.update(self._facts)


class Baseline:
    """The same for what Parley is compared with."""

    def __init__(self, rows: Sequence[Row], over: Callable[[Sequence[Fact]], Order]) -> None:
        self._order = over([_fact(row) for row in rows])

    def rank(self, query: str | Sequence[str], budget: int) -> list[str]:
        """Ids of all facts, best first; the bench itself cuts at its budget."""
        return [fact.id for fact in self._order(_messages(query))]


def make(rows: Sequence[Row]) -> Ranker:
    """By relevance, as Parley does unless told otherwise."""
    return Ranker(rows, Ranking.RELEVANCE)


def weighted(rows: Sequence[Row]) -> Ranker:
    """By the documented mix of similarity and confidence."""
    return Ranker(rows, Ranking.WEIGHTED)


def confidence(rows: Sequence[Row]) -> Ranker:
    """In the classic order."""
    return Ranker(rows, Ranking.CONFIDENCE)


def plain_tfidf(rows: Sequence[Row]) -> Baseline:
    """By scikit-learn's TF-IDF."""
    return Baseline(rows, tfidf)


def mixed_tfidf(rows: Sequence[Row]) -> Baseline:
    """By scikit-learn's TF-IDF and confidence."""
    return Baseline(rows, tfidf_mix)


def _messages(query: str | Sequence[str]) -> Sequence[str]:
    return [query] if isinstance(query, str) else query


def _fact(row: Row) -> Fact:
    return Fact(
        id=str(row["id"]),
        content=str(row["content"]),
        category=Category(str(row["category"])),
        confidence=float(str(row["confidence"])),
        created_at=str(row["createdAt"]),
        source=str(row["source"]),
        subject=str(row["subject"]),
    )
