"""A fact that was told and used comes before an equal one that never was; counting it writes once a day."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parley.core.ports.memory.port import RecallQuery
from parley.memory.edits.eviction import evict
from parley.memory.edits.fact_merge import merge_facts
from parley.memory.inject.block import by_confidence
from parley.memory.inject.lines import fact_line
from parley.memory.model.document import MOST_USES, MemoryDocument
from parley.memory.options import Staleness
from parley.memory.search.index import FactIndex
from parley.memory.storage.document_format import document_json, read_document
from parley.memory.told_lines import line_digest
from parley.memory.upkeep.fact_uses import FactUses, add_uses, used_lines
from tests.kit.doubles.llm_provider import turn
from tests.kit.samples.memories import fact, stored
from tests.unit.memory.upkeep.test_upkeep_service import remembering

NUTS, DOG = fact(1, "User is allergic to peanuts", 0.8), fact(2, "User has a dog called Rex", 0.8)
LINES = [fact_line(NUTS).rstrip(), fact_line(DOG).rstrip()]


@pytest.mark.parametrize(
    ("said", "reply", "used"),
    [
        ("What may I cook?", "Noodles without peanuts, as you are allergic to them", [LINES[0]]),
        ("I am allergic to peanuts", "So no peanuts, as you are allergic", []),  # their own words
        ("What may I cook?", "Noodles", []),
        ("And then?", "Take your dog Rex; and eat no peanuts, being allergic", LINES),
        ("What may I cook?", "", []),
    ],
)
def test_what_an_answer_has_of_a_told_line_beyond_what_was_said_is_its_use(said, reply, used):
    assert used_lines(LINES, said, reply) == [line_digest(line) for line in used]


def test_of_equal_facts_the_used_one_comes_first_stays_longest_and_a_surer_one_before_it():
    used, sure = replace(NUTS, uses=1), fact(3, "User likes tea", 0.9)
    facts = (used, DOG, sure)
    assert [each.id for each in FactIndex(facts).by_confidence()] == [sure.id, used.id, DOG.id]
    assert by_confidence((DOG, used, sure)) == [sure, used, DOG]
    assert evict(facts, 2) == (used, sure)
    assert merge_facts(DOG, replace(DOG, id="fact_9", uses=4)).uses == 4


def test_uses_are_bounded_and_kept_in_the_file():
    counted = FactUses()
    for _ in range(50):
        counted.count("ann", [line_digest(LINES[0])])
    counted.count("ann", (f"digest {number}" for number in range(5_000)))
    taken = counted.take("ann")
    assert len(taken) <= 300
    assert counted.take("ann") == {}
    memory = add_uses(stored(NUTS, DOG), taken, fact_line)
    assert [each.uses for each in memory.document.facts] == [MOST_USES, 0]
    assert add_uses(memory, taken, fact_line) is memory
    assert read_document(document_json(memory.document)).document.facts == memory.document.facts
    for wrong in ("-1", "true", '"x"', "1e9", "99"):
        text = document_json(memory.document).replace(f'"uses": {MOST_USES}', f'"uses": {wrong}')
        assert read_document(text).document.facts[0].uses in (0, MOST_USES)


async def test_a_day_of_turns_writes_uses_once(tmp_path):
    async with remembering(tmp_path, NUTS, DOG, staleness=Staleness.OFF) as (service, calendar):

        async def uses():
            return [each.uses for each in (await service.admin.repository.facts("ann"))]

        async def talk(number):
            said = turn(number, "What may I cook?", reply="No peanuts: you are allergic", at=calendar())
            await service.recall(RecallQuery("ann", "agent", said.thread, (said.user_text,), True))
            await service.upkeep.learn("ann", "", [said])

        await talk(1)
        assert await uses() == [1, 0]
        for number in range(2, 8):
            await talk(number)
        assert await uses() == [1, 0]  # counted, and not written
        calendar.day += 1.5
        await talk(8)
        assert await uses() == [8, 0]
        told = await service.recall(RecallQuery("ann", "agent", "other", ("hi",), True))
        assert told.index("peanuts") < told.index("Rex")
        await service.clear("ann")
        await service.admin.repository.change(
            "ann", "", lambda empty: (replace(empty, document=MemoryDocument(facts=(NUTS,))), None)
        )
        calendar.day += 2
        await service.upkeep.look_after("ann")
        assert await uses() == [0]
