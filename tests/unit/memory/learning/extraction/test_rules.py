"""Without a model, memory learns by simple rules: the loop can be seen working offline."""

from __future__ import annotations

import pytest

from parley.memory.learning.extraction.rules import RuleExtractor, split_statements
from parley.memory.learning.extraction.turn_filter import select_learnable
from parley.memory.model.document import Fact, MemoryDocument
from parley.memory.search.index import FactIndex
from tests.kit.doubles.llm_provider import NOON, turn


async def read(*said, facts=()):
    turns = [each if not isinstance(each, str) else turn(number, each) for number, each in enumerate(said)]
    document = MemoryDocument(facts=tuple(facts))
    return await RuleExtractor().extract(
        select_learnable("ann", turns), document, FactIndex(document.facts), NOON
    )


SAID = {
    "Hi, my name is Anna and I live in St. Louis.": ["User's name is Anna", "User lives in St. Louis"],
    "I really like green tea, but I hate coffee!": ["User likes green tea", "User does not like coffee"],
    "Do I like tea? I prefer short answers": ["User prefers short answers"],
    "Please remember that my sister is called Ruth.": ["User asked to remember: my sister is called Ruth"],
    "I'm allergic to peanuts": ["User is allergic to peanuts"],
    "你好，我叫李雷，我住在上海。我喜欢喝茶！": ["用户叫李雷", "用户住在上海", "用户喜欢喝茶"],
    "我不喜欢香菜": ["用户不喜欢香菜"],
    "我在华为工作": ["用户在华为工作"],
    "请记住：五月四日是我妈妈的生日": ["用户要求记住：五月四日是我妈妈的生日"],
    "我想学吉他": ["用户想学吉他"],
    "Keep in mind that the office closes at six": ["User asked to remember: the office closes at six"],
    "Could you bear in mind that Bob is vegan?": ["User asked to remember: Bob is vegan"],
    "Please note that my desk is on floor 3.": ["User asked to remember: my desk is on floor 3"],
    "Don't forget: the freeze is in May": ["User asked to remember: the freeze is in May"],
    "记住公司六点关门": ["用户要求记住：公司六点关门"],
    "能不能帮我记一下会议在三点吗？": ["用户要求记住：会议在三点"],
    "請記住，公司六點關門": ["用户要求记住：公司六點關門"],
    "别忘了服务器在柏林": ["用户要求记住：服务器在柏林"],
    "请记得我不吃辣": ["用户要求记住：我不吃辣"],
}
UNSAID = [
    "What is my name?", "I'm not sure what to eat", "I am going to lunch", "He said my name is mud",
    "If I live in Ulm, which office is mine?", "I like it", "I like how you did that", "我喜欢这个",
    "Do you remember that film?", "Can you note it?", "Don't forget to smile", "记得小时候很穷",
    "你记得我吗？", "我叫什么？", "Please redo the table", "write: I live in a tree?",
]  # fmt: skip


@pytest.mark.parametrize("said", SAID)
async def test_plain_statements_are_learned_in_their_language(said):
    diff = await read(said)
    assert [new.content for new in diff.new_facts] == SAID[said]
    assert {new.turns for new in diff.new_facts} == {("turn-0",)}
    assert all(new.confidence >= 0.7 for new in diff.new_facts)


@pytest.mark.parametrize("said", UNSAID)
async def test_questions_and_weak_words_teach_nothing(said):
    assert (await read(said)).new_facts == ()


@pytest.mark.parametrize("said", ["No, I meant Tuesday.", "不对，我说的是北京", "That's wrong, use it."])
async def test_a_correction_is_noticed_but_rules_learn_nothing_from_it(said):
    assert RuleExtractor().corrects(said)
    assert (await read(said)).new_facts == ()


async def test_nothing_is_replaced_on_a_rule_alone():
    facts = [Fact("fact_1", "User lives in Ulm"), Fact("fact_3", "用户住在苏州")]
    diff = await read("I moved to Bonn", facts=facts)
    assert diff.removals == ()
    assert [new.content for new in diff.new_facts] == ["User lives in Bonn"]
    assert diff.new_facts[0].judgements == ()


@pytest.mark.parametrize("said", ["Please forget that I like tea", "Forget about tea.", "请忘记喝茶"])
async def test_what_is_to_be_forgotten_goes_and_nothing_is_learned_of_it(said):
    facts = [
        Fact("fact_1", "User likes tea"),
        Fact("fact_2", "User likes jam"),
        Fact("fact_3", "用户喜欢喝茶"),
    ]
    diff = await read(said, facts=facts)
    assert [(each.id, each.forget) for each in diff.removals] == [
        ("fact_3" if "茶" in said else "fact_1", True)
    ]
    assert diff.new_facts == ()


def test_sentences_end_where_people_end_them():
    assert list(split_statements("Mr. Smith came. So? I left! 好的。走吧？行")) == [
        "Mr. Smith came",
        "I left",
        "好的",
        "行",
    ]
