"""Seeded faults: small changes of the product for the worse, each of which the ledger must see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from parley.memory import recall
from parley.memory.inject.block import build_block
from parley.memory.learning import pipeline, queue
from parley.memory.learning.apply_diff import apply_diff
from parley.memory.past_turns import service as past_turns
from parley.memory.tools import service as tools


def _tell_private_facts_in_groups() -> None:
    def build(*given: Any, **options: Any) -> str:  # noqa: ANN401 - as the original
        return build_block(*given, **{**options, "private": True})

    vars(recall)["build_block"] = build


def _give_tools_the_memory_of_whoever_came_first() -> None:
    read, first = tools.ScopedMemoryTools._scope, list[str]()

    async def scope(self: tools.ScopedMemoryTools, token: str) -> Any:  # noqa: ANN401 - as the original
        found = await read(self, token)
        if found is None:
            return None
        first.append(found[0].person)
        return replace(found[0], person=first[0]), found[1]

    tools.ScopedMemoryTools._scope = scope  # type: ignore[method-assign]


def _keep_past_conversations() -> None:
    async def erase(self: past_turns.PastTurnService, person: str) -> int:
        return 0

    past_turns.PastTurnService.erase = erase  # type: ignore[method-assign]


def _write_back_what_was_cleared() -> None:
    """Lessons know nothing of a clear: neither of its time, nor of the generation, nor that they are over."""
    begin = pipeline.LearningPipeline._begin

    async def begun(self: pipeline.LearningPipeline, person: str, assistant: str) -> Any:  # noqa: ANN401
        stored, _ = await begin(self, person, assistant)
        return stored, 0.0

    async def cancel(self: queue.LearningQueue, person: str) -> None:
        return None

    def applied(stored: Any, diff: Any, context: Any, *more: Any) -> Any:  # noqa: ANN401
        return apply_diff(stored, diff, replace(context, generation=stored.notes.generation), *more)

    pipeline.LearningPipeline._begin = begun  # type: ignore[method-assign]
    queue.LearningQueue.cancel = cancel  # type: ignore[method-assign,assignment]
    vars(pipeline)["apply_diff"] = applied


@dataclass(frozen=True)
class Fault:
    """What makes the product worse, what the ledger must say of it, and what it counts of its situation."""

    seed: Callable[[], None]
    said: str
    counted: str


FAULTS: Mapping[str, Fault] = {
    "private facts in groups": Fault(
        _tell_private_facts_in_groups, "which was said in private", "private_facts_offered_in_groups"
    ),
    "one memory for all": Fault(
        _give_tools_the_memory_of_whoever_came_first,
        "which person ",
        "questions_beside_known_words_of_others",
    ),
    "past conversations stay": Fault(_keep_past_conversations, "is still stored", "past_words_at_an_erasure"),
    "lessons after a clear": Fault(
        _write_back_what_was_cleared, "is still stored", "lessons_under_way_at_an_erasure"
    ),
}
