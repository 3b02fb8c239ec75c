"""Which remembered facts come first, and what it costs: `python -m benchmarks.recall [--evidence FILE]`.

Nothing is needed but Parley; with scikit-learn (`recall` dependency group) TF-IDF stands beside it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean

from benchmarks.kit.tables import Table
from benchmarks.recall.dataset import Person, gain, people, recall
from benchmarks.recall.evidence import UnreadableFile, evidence_tables
from benchmarks.recall.rankers import Order, by, rankers, tfidf
from benchmarks.recall.speed import milliseconds, milliseconds_of_a_turn, remembered, to_learn_one
from parley.memory.options import Ranking
from parley.memory.search.index import FactIndex

_REPLIES = ("ok thanks!", "好的，谢谢")


def quality() -> Table:
    """Every ranker over every person."""
    everybody = people()
    languages = [person.language for person in everybody]
    rows = []
    for name, over in rankers().items():
        each = [_measured(person, over(person.facts), ()) for person in everybody]
        later = [_measured(person, over(person.facts), _REPLIES) for person in everybody]
        cells = [f"{first:.2f} / {five:.2f} / {gained:.2f}" for first, five, gained in each]
        rows.append((name, *cells, f"{mean(gained for _, _, gained in later):.2f}"))
    return Table(
        "recall",
        "Facts for a question",
        (
            "order",
            *(f"{language}: first / of 5 / nDCG@10" for language in languages),
            "after a reply: nDCG@10",
        ),
        tuple(rows),
        "First: the share of the answers that stand in front. Of 5: among the first five of thirty facts. "
        "After a reply: the question is followed by a short acknowledgement.",
    )


def _measured(person: Person, order: Order, replies: Sequence[str]) -> tuple[float, float, float]:
    ones, fives, gains = [], [], []
    for asked in person.questions:
        facts = order(
            [asked.text, *replies[:1]] if person.language == "English" else [asked.text, *replies[1:]]
        )
        ones.append(float(facts[0] in asked.answers))
        fives.append(recall(facts, asked.answers, 5))
        gains.append(gain(facts, asked.answers))
    return mean(ones), mean(fives), mean(gains)


def speed(sizes: Sequence[int] = (1_000, 10_000)) -> Table:
    """One question, and one more fact."""
    rows = []
    with_tfidf = "TF-IDF" in rankers()
    for many in sizes:
        facts = remembered(many)
        own = milliseconds(by(Ranking.RELEVANCE), facts)
        learn = to_learn_one(FactIndex(facts).update, facts)
        plain = milliseconds(tfidf, facts) if with_tfidf else 0.0
        beside = f"{plain:.2f} ms, {own / plain:.2f} times" if plain else "not installed"
        turn = milliseconds_of_a_turn(facts)
        rows.append((f"{many:,}", f"{own:.2f} ms", beside, f"{turn:.2f} ms", f"{learn:.2f} ms"))
    return Table(
        "recall-speed",
        "CPU of one question",
        ("facts", "relevance", "TF-IDF, and how many times as long as it", "a turn's block", "one more fact"),
        tuple(rows),
        "Median of 100 questions, one thread, the index being there: all facts in order, and a turn's block.",
    )


def run(evidence: Path | None) -> Iterator[Table]:
    """The tables of the user's own file, or else of Parley's own data."""
    if evidence:
        yield from evidence_tables(evidence)
        return
    yield quality()
    yield speed()


def read_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return what the command line asks for. Exits with 2 where it is wrong."""
    parser = argparse.ArgumentParser("python -m benchmarks.recall", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the tables as JSON")
    parser.add_argument("--evidence", type=Path, metavar="FILE", help="measure a data set of yours instead")
    return parser.parse_args(arguments)


def main() -> int:
    """Measure and print."""
    chosen = read_arguments()
    tables = []
    try:
        for table in run(chosen.evidence):
            tables.append(table)
            sys.stdout.write(table.plain() + "\n\n")
    except UnreadableFile as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(table) for table in tables], indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
