"""The ways of ordering facts that are compared; TF-IDF needs scikit-learn (`recall` dependency group)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import islice

from parley.memory.model.document import Fact
from parley.memory.options import MemoryOptions, Ranking
from parley.memory.search.index import FactIndex
from parley.memory.search.ranking import iter_ranked

Order = Callable[[Sequence[str]], Sequence[Fact]]
"""Messages, oldest first, to the 300 best facts, best first."""

_SHOWN = 300
_SIMILARITY, _CONFIDENCE = 0.6, 0.4


def by(ranking: Ranking) -> Callable[[Sequence[Fact]], Order]:
    """What Parley does for this setting of `memory.ranking`."""
    options = MemoryOptions(ranking=ranking)

    def over(facts: Sequence[Fact]) -> Order:
        index = FactIndex(facts)
        return lambda messages: list(islice(iter_ranked(index, messages, options), _SHOWN))

    return over


def tfidf(facts: Sequence[Fact]) -> Order:
    """Cosine of scikit-learn's TF-IDF as it comes, all messages as one text."""
    return _tfidf(facts, 1.0, 0.0)


def tfidf_mix(facts: Sequence[Fact]) -> Order:
    """0.6 of that cosine and 0.4 of the confidence."""
    return _tfidf(facts, _SIMILARITY, _CONFIDENCE)


def rankers() -> Mapping[str, Callable[[Sequence[Fact]], Order]]:
    """Every ranker that can run here, by name."""
    own: dict[str, Callable[[Sequence[Fact]], Order]] = {
        "`ranking: confidence`": by(Ranking.CONFIDENCE),
        "`ranking: weighted`": by(Ranking.WEIGHTED),
        "`ranking: relevance`": by(Ranking.RELEVANCE),
    }
    if find_spec("sklearn") is None:
        return own
    return {"TF-IDF": tfidf, "0.6 TF-IDF + 0.4 confidence": tfidf_mix, **own}


def _tfidf(facts: Sequence[Fact], similarity: float, confidence: float) -> Order:
    words = import_module("sklearn.feature_extraction.text").TfidfVectorizer()
    matrix = words.fit_transform([fact.content for fact in facts])
    sure = import_module("numpy").array([fact.confidence for fact in facts])

    def order(messages: Sequence[str]) -> list[Fact]:
        asked = words.transform([" ".join(messages)])
        scores = similarity * (matrix @ asked.T).toarray().ravel() + confidence * sure
        return [facts[place] for place in (-scores).argsort(kind="stable")[:_SHOWN]]

    return order
