"""LongMemEval: `longmemeval_s.json` or another of its files, as its makers publish them (not part of Parley).

A list of `{"question_id", "question_type", "question", "answer", "question_date": "2023/05/30 (Tue) 23:40",
"haystack_dates": [date], "haystack_session_ids": [id], "haystack_sessions": [[{"role", "content",
"has_answer"?}]], "answer_session_ids": [id]}`. Each question has sessions of its own. As in the makers' own
measurements, retrieval leaves out the questions that nothing answers (`question_id` ends with `_abs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.dialogues.shapes import AskedQuestion, LongDialogue, read_list, spoken_turn
from parley.memory.model.document import Fact

_UNANSWERED = "_abs"
_WHO = {"user": "User", "assistant": "Assistant"}


def read_longmemeval(path: Path) -> list[LongDialogue]:
    """Return one dialogue for each question. Raises UnreadableFile."""
    return read_list(path, _dialogue)


def _dialogue(entry: Mapping[str, Any]) -> LongDialogue:
    evidence: set[str] = set()
    turns = tuple(_turns(entry, evidence))
    kind = "abstention" if entry["question_id"].endswith(_UNANSWERED) else entry["question_type"]
    known = frozenset() if kind == "abstention" else frozenset(evidence & {turn.id for turn in turns})
    day = _day(entry["question_date"])
    return LongDialogue(turns, (AskedQuestion(entry["question"], kind, known, str(entry["answer"]), day),))


def _turns(entry: Mapping[str, Any], evidence: set[str]) -> Iterator[Fact]:
    """Yield the turns, oldest session first, and note the ids of those with the answer."""
    sessions = zip(
        map(_day, entry["haystack_dates"]),
        entry["haystack_session_ids"],
        entry["haystack_sessions"],
        strict=True,
    )
    for day, session, said in sorted(sessions, key=lambda one: one[0]):
        for place, turn in enumerate(said):
            name = f"{session}#{place}"
            found = spoken_turn(name, session, day, _WHO[turn["role"]], turn["content"])
            if found:
                yield found
            if turn.get("has_answer"):
                evidence.add(name)


def _day(written: str) -> str:
    """Return the ISO date of "2023/05/30 (Tue) 23:40"."""
    day = datetime.strptime(written[:10], "%Y/%m/%d")  # noqa: DTZ007 - a day of nowhere
    return day.date().isoformat()
