"""Long conversations, turn by turn: `python -m benchmarks.dialogues locomo FILE`, or `longmemeval FILE`.

With --reader, a model answers the questions from what is found, and a judge compares the answers: both by
OpenAI's protocol at --url, with the key in OPENAI_API_KEY.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from benchmarks.dialogues.answers import ModelCallFailed, answer_table, chat_model, judge_answers
from benchmarks.dialogues.locomo import read_locomo
from benchmarks.dialogues.longmemeval import read_longmemeval
from benchmarks.dialogues.rankers import PARLEY, turn_rankers
from benchmarks.dialogues.retrieval import measure_dialogues, retrieval_tables
from benchmarks.dialogues.shapes import LongDialogue
from benchmarks.kit.tables import Table
from benchmarks.recall.evidence import UnreadableFile
from parley.core.model.errors import MemoryFailed

_READERS = {"locomo": read_locomo, "longmemeval": read_longmemeval}
_SEED = 7


def read_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return what the command line asks for. Exits with 2 where it is wrong."""
    parser = argparse.ArgumentParser("python -m benchmarks.dialogues", description=__doc__)
    parser.add_argument("shape", choices=_READERS, help="the data set that the file is of")
    parser.add_argument("file", type=Path)
    parser.add_argument("--limit", type=_count, metavar="N", help="so many questions, drawn at random")
    parser.add_argument("--seed", type=int, default=_SEED, help="of the draw and of the models (%(default)s)")
    parser.add_argument("--embedding", action="store_true", help="also with the local sentence model")
    parser.add_argument("--reader", metavar="MODEL", help="a model that answers the questions")
    parser.add_argument("--judge", metavar="MODEL", help="a model that judges (default: the reader)")
    parser.add_argument("--url", default="", help="address of the models' service (default: OpenAI's)")
    parser.add_argument("--budget", type=_count, default=2_000, help="tokens that are shown (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write tables and answers as JSON")
    return parser.parse_args(arguments)


def _count(written: str) -> int:
    number = int(written)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def draw(dialogues: Sequence[LongDialogue], many: int | None, seed: int) -> list[LongDialogue]:
    """Return the dialogues with so many of their questions, the same ones for the same seed."""
    asked = [(place, each) for place, dialogue in enumerate(dialogues) for each in dialogue.questions]
    kept = set(asked if many is None else Random(seed).sample(asked, min(many, len(asked))))
    drawn = [
        replace(dialogue, questions=tuple(each for each in dialogue.questions if (place, each) in kept))
        for place, dialogue in enumerate(dialogues)
    ]
    return [dialogue for dialogue in drawn if dialogue.questions]


def run(chosen: argparse.Namespace) -> Iterator[tuple[Table, object]]:
    """Yield each table, and what it was made of as far as that is worth keeping.

    Raises UnreadableFile, MemoryFailed and ModelCallFailed.
    """
    dialogues = draw(_READERS[chosen.shape](chosen.file), chosen.limit, chosen.seed)
    if chosen.reader:
        key = os.environ.get("OPENAI_API_KEY", "")
        reader, judge = (
            chat_model(name, chosen.url, key, chosen.seed)
            for name in (chosen.reader, chosen.judge or chosen.reader)
        )
        judged = judge_answers(dialogues, turn_rankers()[PARLEY], chosen.budget, reader, judge)
        answers = [
            {"question": one.question.text, "right": one.question.answer, "given": one.given,
             "verdict": one.verdict.value}
            for one in judged
        ]  # fmt: skip
        yield answer_table(judged, chosen.budget), answers
        return
    if not any(asked.evidence for dialogue in dialogues for asked in dialogue.questions):
        raise UnreadableFile(f"{chosen.file}: no question has turns that answer it")
    with TemporaryDirectory() as folder:
        found = measure_dialogues(dialogues, turn_rankers(Path(folder) if chosen.embedding else None))
    yield from ((table, None) for table in retrieval_tables(found))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    chosen = read_arguments(arguments)
    kept = []
    try:
        for table, details in run(chosen):
            sys.stdout.write(table.plain() + "\n\n")
            kept.append({**asdict(table), **({"details": details} if details else {})})
    except (UnreadableFile, MemoryFailed, ModelCallFailed) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if chosen.json:
        chosen.json.write_text(json.dumps(kept, indent=1, ensure_ascii=False), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
