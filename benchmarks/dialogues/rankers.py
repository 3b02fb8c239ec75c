"""The orders of turns that are compared; BM25 and TF-IDF are those of maintained libraries.

bm25s and scikit-learn are in the dependency group `recall`. The sentence model is installed as
docs/memory-injection.md says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from uuid import uuid4

from benchmarks.recall.rankers import ALL_FACTS, Maker, Order, by, rankers
from parley.memory.model.document import Fact
from parley.memory.options import MemoryOptions, Ranking
from parley.memory.search.index import FactIndex
from parley.memory.search.semantic.scoring import rank_blended

PARLEY = "Parley"


def turn_rankers(vectors: Path | None = None) -> Mapping[str, Maker]:
    """Return every order that can be made here; with a folder for vectors also that with the sentence model.

    Raises MemoryFailed where the model is not installed.
    """
    found: dict[str, Maker] = {}
    if find_spec("bm25s"):
        found["BM25 (bm25s)"] = _with_speaker(_bm25s)
    if find_spec("sklearn"):
        found["TF-IDF (scikit-learn)"] = _with_speaker(rankers(ALL_FACTS)["TF-IDF"])
    found[PARLEY] = by(Ranking.RELEVANCE, ALL_FACTS)
    if vectors is not None:
        found[f"{PARLEY} with the local model"] = _blended(vectors)
    return found


def _with_speaker(maker: Maker) -> Maker:
    """Return an order that reads who spoke as a part of the text, as it knows nothing else of a turn."""

    def over(facts: Sequence[Fact]) -> Order:
        given = {fact.id: fact for fact in facts}
        order = maker([replace(fact, content=f"{fact.subject}: {fact.content}") for fact in facts])
        return lambda messages: [given[fact.id] for fact in order(messages)]

    return over


def _bm25s(facts: Sequence[Fact]) -> Order:
    """Return the order of bm25s as it comes, without English stop words."""
    library = import_module("bm25s")

    def words(texts: Sequence[str]) -> list[list[str]]:
        found: list[list[str]] = library.tokenize(list(texts), return_ids=False, show_progress=False)
        return found

    index = library.BM25()
    index.index(words([fact.content for fact in facts]), show_progress=False)

    def order(messages: Sequence[str]) -> list[Fact]:
        (asked,) = words([" ".join(messages)])
        scores = index.get_scores(asked)
        return [facts[place] for place in (-scores).argsort(kind="stable")]

    return order


def _blended(folder: Path) -> Maker:
    """Return the order by words and the sentence model; vectors are kept in the folder."""
    # Imported late: numpy is in an extra.
    from parley.memory.search.semantic.embedders import LocalEmbedder
    from parley.memory.search.semantic.embeddings import EmbeddingIndex
    from parley.memory.search.semantic.packaged_model import packaged_model

    model, options = LocalEmbedder(packaged_model()), MemoryOptions(ranking=Ranking.RELEVANCE)

    def over(facts: Sequence[Fact]) -> Order:
        index = FactIndex(facts)
        scorer = EmbeddingIndex(model, folder).scorer_for(uuid4().hex)
        scorer.sync(facts)
        return lambda messages: list(rank_blended(index, facts, messages, options, scorer))

    return over
