"""LoCoMo's raw dialogues: `locomo10.json`, as its makers publish it (CC BY-NC 4.0: not part of Parley).

A list of `{"conversation": {"session_1": [{"speaker", "dia_id", "text", "blip_caption"?}],
"session_1_date_time": "1:56 pm on 8 May, 2023", ...}, "qa": [{"question", "answer"?, "evidence": ["D1:3"],
"category": 1 to 5}]}`. Adversarial questions (category 5), which have no answer, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.dialogues.shapes import AskedQuestion, LongDialogue, read_list, spoken_turn
from parley.memory.model.document import Fact

_KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
# Some entries hold several ids, or an id with a slip in it.
_TURN_ID = re.compile(r"D\d+:\d+")


def read_locomo(path: Path) -> list[LongDialogue]:
    """Return its conversations. Raises UnreadableFile."""
    return read_list(path, _dialogue)


def _dialogue(entry: Mapping[str, Any]) -> LongDialogue:
    turns = tuple(_turns(entry["conversation"]))
    known = {turn.id for turn in turns}
    questions = []
    for asked in entry["qa"]:
        named = {name for each in asked["evidence"] for name in _TURN_ID.findall(str(each))}
        if asked["category"] in _KINDS and named & known:
            kind = _KINDS[asked["category"]]
            evidence = frozenset(named & known)
            questions.append(AskedQuestion(asked["question"], kind, evidence, str(asked["answer"])))
    return LongDialogue(turns, tuple(questions))


def _turns(conversation: Mapping[str, Any]) -> Iterator[Fact]:
    for number in count(1):
        session = f"session_{number}"
        if f"{session}_date_time" not in conversation:
            return
        day = _day(conversation[f"{session}_date_time"])
        for said in conversation.get(session, ()):
            caption = said.get("blip_caption")
            text = f"{said['text']} (picture: {caption})" if caption else said["text"]
            turn = spoken_turn(said["dia_id"], session, day, said["speaker"], text)
            if turn:
                yield turn


def _day(written: str) -> str:
    """Return the ISO date of "1:56 pm on 8 May, 2023"."""
    day = datetime.strptime(written.rpartition(" on ")[2], "%d %B, %Y")  # noqa: DTZ007 - a day of nowhere
    return day.date().isoformat()
