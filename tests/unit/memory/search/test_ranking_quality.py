"""The essentials of the recall benchmark, as floors: a change that makes search worse is seen."""

import pytest

from benchmarks.recall.dataset import gain, people, recall
from benchmarks.recall.rankers import by
from parley.memory.options import Ranking

# A little under what was measured when this was written: 0.73 and 0.86, 0.80 and 0.89.
FLOORS = {"English": (0.70, 0.77), "Chinese": (0.83, 0.86)}


def measured(person, ranking, *replies):
    order = by(ranking)(person.facts)
    orders = [(order([asked.text, *replies]), asked.answers) for asked in person.questions]
    gains = [gain(facts, answers) for facts, answers in orders]
    recalls = [recall(facts, answers, 5) for facts, answers in orders]
    return sum(gains) / len(gains), sum(recalls) / len(recalls)


@pytest.mark.parametrize("person", people(), ids=lambda person: person.language)
def test_questions_find_their_facts(person):
    gained, recalled = measured(person, Ranking.RELEVANCE)
    assert (gained, recalled) >= FLOORS[person.language]
    assert recalled >= FLOORS[person.language][1]


@pytest.mark.parametrize("person", people(), ids=lambda person: person.language)
def test_confidence_alone_finds_far_less(person):
    assert measured(person, Ranking.RELEVANCE)[0] > 2 * measured(person, Ranking.CONFIDENCE)[0]


@pytest.mark.parametrize("person", people(), ids=lambda person: person.language)
def test_a_short_reply_after_the_question_costs_little(person):
    alone, _ = measured(person, Ranking.RELEVANCE)
    replied, _ = measured(
        person, Ranking.RELEVANCE, "ok thanks!" if person.language == "English" else "好的，谢谢"
    )
    assert replied >= alone - 0.03
