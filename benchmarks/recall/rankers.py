"""The ways of ordering facts that are compared; TF-IDF needs scikit-learn (`recall` dependency group)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from math import log

from parley.memory.model.document import Fact
from parley.memory.options import MemoryOptions, Ranking
from parley.memory.search.index import FactIndex
from parley.memory.search.ranking import rank_lazily

Order = Callable[[Sequence[str]], Sequence[Fact]]
"""Messages, oldest first, to the best facts, best first."""
Maker = Callable[[Sequence[Fact]], Order]
"""The facts of one memory to their order."""

_SHOWN = 300
ALL_FACTS = 1_000_000
"""More facts than anybody has: the whole order."""
_WORD = re.compile(r"\w+")
_K1, _B = 1.2, 0.75
_COMPARED = (Ranking.CONFIDENCE, Ranking.WEIGHTED, Ranking.RELEVANCE)
_SIMILARITY, _CONFIDENCE = 0.6, 0.4


def by(ranking: Ranking, shown: int = _SHOWN) -> Maker:
    """What Parley does for this setting of `memory.ranking`."""
    options = MemoryOptions(ranking=ranking)

    def over(facts: Sequence[Fact]) -> Order:
        index = FactIndex(facts)
        return lambda messages: list(islice(rank_lazily(index, messages, options), shown))

    return over


def tfidf(facts: Sequence[Fact]) -> Order:
    """Cosine of scikit-learn's TF-IDF as it comes, all messages as one text."""
    return _tfidf(facts, 1.0, 0.0)


def tfidf_mix(facts: Sequence[Fact]) -> Order:
    """0.6 of that cosine and 0.4 of the confidence."""
    return _tfidf(facts, _SIMILARITY, _CONFIDENCE)


def rankers(shown: int = _SHOWN) -> Mapping[str, Maker]:
    """Every ranker that can run here, by name."""
    own = {f"`ranking: {ranking.value}`": by(ranking, shown) for ranking in _COMPARED}
    if find_spec("sklearn") is None:
        return own
    return {
        "TF-IDF": lambda facts: _tfidf(facts, 1.0, 0.0, shown),
        "0.6 TF-IDF + 0.4 confidence": lambda facts: _tfidf(facts, _SIMILARITY, _CONFIDENCE, shown),
        **own,
    }


def rankers_of_all() -> Mapping[str, Maker]:
    """Every ranker that can run here and the classic formula, each with all facts and not the best only."""
    return {"BM25 (k1 1.2, b 0.75, whole words)": bm25, **rankers(ALL_FACTS)}


def bm25(facts: Sequence[Fact]) -> Order:
    """BM25 as it is taught: words as they are written, no stems, no stop words, no dates."""
    texts = [Counter(_WORD.findall(fact.content.casefold())) for fact in facts]
    usual = sum(map(Counter.total, texts)) / max(1, len(texts))
    known = Counter(word for text in texts for word in text)
    rarity = {word: log(1 + (len(texts) - many + 0.5) / (many + 0.5)) for word, many in known.items()}

    def score(text: Counter[str], asked: Sequence[str]) -> float:
        length = _K1 * (1 - _B + _B * text.total() / usual)
        return sum(
            rarity[word] * text[word] * (_K1 + 1) / (text[word] + length) for word in asked if text[word]
        )

    def order(messages: Sequence[str]) -> list[Fact]:
        asked = _WORD.findall(" ".join(messages).casefold())
        scores = [score(text, asked) for text in texts]
        places = sorted(range(len(facts)), key=lambda place: -scores[place])
        return [facts[place] for place in places]

    return order


def _tfidf(facts: Sequence[Fact], similarity: float, confidence: float, shown: int = _SHOWN) -> Order:
    words = import_module("sklearn.feature_extraction.text").TfidfVectorizer()
    matrix = words.fit_transform([fact.content for fact in facts])
    sure = import_module("numpy").array([fact.confidence for fact in facts])

    def order(messages: Sequence[str]) -> list[Fact]:
        asked = words.transform([" ".join(messages)])
        scores = similarity * (matrix @ asked.T).toarray().ravel() + confidence * sure
        return [facts[place] for place in (-scores).argsort(kind="stable")[:shown]]

    return order
