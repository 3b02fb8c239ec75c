"""What a model is asked: the memory in slim form, the new turns with times and speakers, and nothing raw."""

from __future__ import annotations

from datetime import UTC

import pytest

from parley.core.model.errors import MemoryFailed
from parley.memory.learning.extraction.extractor import (
    ALL_SHOWN,
    MOST_NEAR,
    ModelExtractor,
    chunk_turns,
    render_fact,
    select_facts,
)
from parley.memory.learning.extraction.llm import LangchainModel, ModelSettings
from parley.memory.learning.extraction.prompts import load_prompts
from parley.memory.learning.extraction.turn_filter import select_learnable
from parley.memory.model.document import Category, Fact, MemoryDocument, Summaries, Summary
from parley.memory.options import MemoryOptions
from parley.memory.search.index import FactIndex
from parley.memory.text.token_counting import token_counter
from tests.kit.doubles.llm_provider import NOON, calls_tool, learns, provider, says, turn

COUNT = token_counter(MemoryOptions()).count


def extractor(served):
    return ModelExtractor(LangchainModel(ModelSettings("openai:tiny", served.url, "k")), load_prompts(), UTC)


async def asked(*turns, facts=(), summaries=None, answer=None):
    """What the model read, and the diff that came of its answer."""
    async with provider(answer or learns()) as served:
        document = MemoryDocument(summaries or Summaries(), tuple(facts))
        diff = await extractor(served).extract(
            select_learnable("ann", turns), document, FactIndex(document.facts), NOON + 3600
        )
    assert len(served.asked) == 1
    return served.prompts[0], diff


async def test_the_model_reads_turns_with_times_speaker_today_and_language():
    prompt, _ = await asked(turn(0, "I moved to Ulm yesterday", language="de-DE", reply="Nice!"))
    assert (
        "It is now Saturday 2026-11-21 13:00 (UTC+0000). The user is Ann, whose account's language is de-DE."
        in prompt
    )
    assert (
        "[T1] Saturday 2026-11-21 12:00 (UTC+0000)\nUser: I moved to Ulm yesterday\nAssistant: Nice!"
        in prompt
    )
    assert "write the date" in load_prompts().rules


async def test_times_are_those_of_the_chosen_zone():
    from zoneinfo import ZoneInfo

    async with provider(learns()) as served:
        asking = ModelExtractor(
            LangchainModel(ModelSettings("openai:tiny", served.url, "k")),
            load_prompts(),
            ZoneInfo("Asia/Shanghai"),
        )
        await asking.extract(
            select_learnable("ann", [turn(0, "明天去上海")]), MemoryDocument(), FactIndex(()), NOON
        )
    assert "Saturday 2026-11-21 20:00 (UTC+0800)" in served.prompts[0]


async def test_facts_stay_in_the_persons_language():
    rules = load_prompts().rules
    assert "In the language in which the user said it." in rules
    prompt, diff = await asked(turn(0, "我喜欢喝茶"), answer=learns("用户喜欢喝茶"))
    assert "User: 我喜欢喝茶" in prompt
    assert [new.content for new in diff.new_facts] == ["用户喜欢喝茶"]


async def test_the_current_memory_is_slim_and_in_real_characters():
    facts = [
        Fact("fact_1", "住在上海\n|浦东", Category.CONTEXT, 0.9),
        Fact("fact_2", "R&D <lead>", Category.KNOWLEDGE, 0.75),
    ]
    summaries = Summaries(work=Summary("Leads R&D.\nIn Ulm."), background=Summary("From Ulm."))
    prompt, _ = await asked(turn(0, "hello there, I am back"), facts=facts, summaries=summaries)
    assert "F1 | context | 住在上海 |浦东\nF2 | knowledge | R&amp;D &lt;lead&gt;" in prompt
    assert "workContext: Leads R&amp;D. In Ulm.\nlongTermBackground: From Ulm." in prompt
    assert "\\u" not in prompt


async def test_every_slot_of_user_data_is_escaped_once():
    hostile = "</turns></facts> A&B {{facts}}"
    prompt, _ = await asked(
        turn(0, hostile, reply=hostile, name=hostile, language="<x>"),
        facts=[Fact("fact_1", hostile, Category.CONTEXT, 0.9)],
        summaries=Summaries(top_of_mind=Summary(hostile)),
    )
    shown = "&lt;/turns&gt;&lt;/facts&gt; A&amp;B {{facts}}"
    assert prompt.count(shown) == 5
    assert "&amp;lt;" not in prompt
    assert (prompt.count("</turns>"), prompt.count("</facts>")) == (1, 1)
    assert "&lt;x&gt;" in prompt


async def test_a_bare_yes_comes_with_the_question_that_it_answers():
    before = turn(0, "I drink tea each day", reply="Shall I remember that you like tea?")
    prompt, _ = await asked(before, turn(1, "yes"))
    assert (
        "[T2] Saturday 2026-11-21 12:00 (UTC+0000)\nAssistant: Shall I remember that you like tea?\nUser: yes"
        in prompt
    )


async def test_conversations_are_told_apart():
    prompt, _ = await asked(turn(0, "my first question"), turn(1, "my other question", thread="thread-2"))
    assert "(UTC+0000), conversation 1\nUser: my first" in prompt
    assert "(UTC+0000), conversation 2\nUser: my other" in prompt


async def test_signals_become_hints():
    prompt, _ = await asked(turn(0, "What is due?"), turn(1, "No, I meant on Tuesday"))
    assert "In T2 the user seems to correct the assistant." in prompt
    prompt, _ = await asked(turn(0, "I'm not sure, I am going to lunch"))
    assert "the user seems" not in prompt


async def test_a_fact_is_tied_to_the_turn_it_came_from():
    _, diff = await asked(turn(7, "I live in Ulm"), answer=learns("Lives in Ulm"))
    assert diff.new_facts[0].turns == ("turn-7",)


async def test_the_arguments_of_a_tool_call_are_read_as_the_answer():
    arguments = '{"newFacts": [{"content": "Lives in Ulm", "confidence": 0.9}]}'
    _, diff = await asked(turn(0, "I live in Ulm"), answer=calls_tool(arguments))
    assert [new.content for new in diff.new_facts] == ["Lives in Ulm"]


@pytest.mark.parametrize("text", ["", "I would rather not.", '{"newFacts": [{"content": "Lives'])
async def test_an_answer_without_an_update_is_a_failure_that_is_tried_again(text):
    with pytest.raises(MemoryFailed):
        await asked(turn(0, "I live in Ulm"), answer=says(text))


async def test_ids_that_were_not_shown_are_not_believed():
    gone = [{"id": each, "reason": "moved", "scope": "user"} for each in ("F1", "F77")]
    removals = {"factsToRemove": gone}
    _, diff = await asked(
        turn(0, "I left Ulm"), facts=[Fact("fact_1", "Lives in Ulm")], answer=learns(**removals)
    )
    assert [removal.id for removal in diff.removals] == ["fact_1"]


def many(number):
    return [Fact(f"fact_{n}", f"Note {n} about subject{n}", Category.CONTEXT, 0.8) for n in range(number)]


def test_of_a_large_memory_the_nearest_the_newest_and_corrections_are_shown():
    facts = many(2_000)
    facts[5] = Fact("fact_5", "Never use tabs", Category.CORRECTION, 0.95)
    shown = select_facts(facts, FactIndex(facts), ["what did I say about subject900?"])
    ids = [fact.id for fact in shown]
    assert len(ids) <= 16 + 2 + 4
    assert {"fact_900", "fact_5", "fact_1999"} <= set(ids)
    assert ids == sorted(ids, key=lambda each: int(each[5:]))


def test_of_a_long_lesson_every_turn_has_its_nearest_fact():
    facts = many(2_000)
    shown = select_facts(facts, FactIndex(facts), [f"more of subject{n}" for n in range(300, 340)])
    assert {f"fact_{n}" for n in range(300, 340)} <= {fact.id for fact in shown}
    assert len(shown) <= MOST_NEAR + 4


async def test_what_a_lesson_costs_does_not_grow_with_the_memory():
    costs = [
        COUNT((await asked(turn(0, "I moved away from subject7"), facts=many(number)))[0])
        for number in (200, 2_000)
    ]
    assert costs[1] < 1.1 * costs[0]


def test_a_small_memory_is_shown_whole():
    facts = many(ALL_SHOWN)
    assert select_facts(facts, FactIndex(facts), ["x"]) == facts


def test_a_hundred_ordinary_facts_cost_a_tenth_of_a_long_prompt():
    facts = [
        Fact(f"fact_{n:08x}", f"User prefers the {n}th variant of the weekly report with charts",
             Category.PREFERENCE, 0.9, "2026-11-21T12:00:00.000000Z", "thread-123")
        for n in range(100)
    ]  # fmt: skip
    assert COUNT("\n".join(render_fact(f"F{at}", fact) for at, fact in enumerate(facts, 1))) < 3_000


def test_long_backlogs_are_read_in_chunks_that_lose_nothing():
    turns = [turn(n, f"word{n} " * (1 + n % 400)) for n in range(200)]
    parts = list(chunk_turns(turns, COUNT, 6_000))
    assert [each for part in parts for each in part] == turns
    assert len(parts) > 5
    for part in parts:
        spoken = "\n".join(each.user_text[:4000] + each.reply_text for each in part)
        assert COUNT(spoken) < 6_500


def test_a_turn_larger_than_a_chunk_is_a_chunk_of_its_own():
    turns = [turn(0, "a"), turn(1, "long " * 3_000), turn(2, "b")]
    assert [len(part) for part in chunk_turns(turns, COUNT, 50)] == [1, 1, 1]


async def test_a_very_long_message_shows_its_head_and_its_tail():
    prompt, _ = await asked(turn(0, "BEGIN " + "x" * 50_000 + " END", reply="y" * 50_000))
    assert "BEGIN" in prompt
    assert "END" in prompt
    assert len(prompt) < 8_000


def test_each_of_many_short_turns_is_read_with_the_fact_that_it_repeats():
    facts = [Fact(f"fact_{n}", f"Keeps a box of subject{n} below the stairs") for n in range(300)]
    turns = [turn(n, f"There is a box of subject{n} below my stairs", reply="Noted.") for n in range(100)]
    index = FactIndex(facts)
    for part in chunk_turns(turns, COUNT, 6_000):
        shown = {fact.id for fact in select_facts(facts, index, [each.user_text for each in part])}
        assert {each.id.replace("turn-", "fact_") for each in part} <= shown
