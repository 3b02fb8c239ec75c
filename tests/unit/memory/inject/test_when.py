"""Fifty questions about "when": the block has the date, within a fifth of the usual budget."""

from __future__ import annotations

import re

import pytest

from parley.memory.inject.block import build_block
from parley.memory.model.document import Fact, MemoryDocument
from parley.memory.options import InjectionFormat, MemoryOptions
from parley.memory.search.index import FactIndex
from parley.memory.search.ranking import rank
from parley.memory.text.token_counting import CharacterCounter

# A life: when it was said, what, since when, until when.
LIFE = """\
2021-03-14|User adopted a dog named Biscuit||
2021-06-02|User lives in Rome|2018|2023-02-01
2021-06-02|User works at Acme as a cook|2019-05|2023-01-15
2021-09-20|User started to learn Spanish||
2021-11-05|User broke their left arm while skiing||
2022-01-08|User's sister Kim had a baby||
2022-02-17|User bought a red bicycle||
2022-04-23|User ran a marathon in Vienna||
2022-07-30|User got married to Alex||
2022-08-11|User spent the honeymoon in Iceland||
2022-10-01|User plays the cello|2022-09|2024-03-10
2022-12-19|User passed the driving test||
2023-02-03|User lives in Oslo|2023-02|
2023-02-20|User works at Nordlys as a baker|2023-02-13|
2023-03-28|User planted tomatoes on the balcony||
2023-05-06|User's father had heart surgery||
2023-06-15|User joined a choir||
2023-08-09|User lost the house keys||
2023-09-01|User is vegetarian|2023-09|
2023-10-22|User saw the northern lights in Tromsø||
2023-12-24|User cooked duck for the whole family||
2024-01-30|User adopted a cat named Mochi||
2024-03-12|User plays the piano|2024-03|
2024-04-18|User visited Kyoto during cherry blossom||
2024-06-27|User's passport expires on 2029-08-14||
2024-07-04|User quit smoking||
2024-09-16|User's daughter Lena was born||
2024-11-11|User bought an electric car||
2025-01-05|User signed up for a pottery course||
2025-02-14|User dropped the phone into the fjord||
2025-03-03|用户开始学书法||
2025-03-19|用户在上海参加了会议||
2025-04-07|用户对花生过敏住院了||
2025-05-21|用户买了新相机||
2025-06-10|Nutzer hat den Keller renoviert||
2025-06-25|Nutzer war beim Zahnarzt||
2025-08-02|User's dog Biscuit had an operation||
2025-09-09|User gave a talk about sourdough||
2025-10-13|User sold the red bicycle||
2025-11-01|User started therapy for the knee||
"""
QUESTIONS = """\
When did I adopt my dog?|2021-03-14
Since when have I had Biscuit?|2021-03-14
When did I begin to learn Spanish?|2021-09-20
When did I break my arm?|2021-11-05
In which year did I go skiing and get hurt?|2021-11-05
When did Kim have her baby?|2022-01-08
When did I buy the bicycle?|2022-02-17
When did I run the marathon?|2022-04-23
What date was the marathon in Vienna?|2022-04-23
When did I marry Alex?|2022-07-30
When was our honeymoon?|2022-08-11
When were we in Iceland?|2022-08-11
When did I pass my driving test?|2022-12-19
When did I move to Oslo?|2023-02
Since when do I live in Oslo?|2023-02
How long did I live in Rome?|2018 to 2023-02-01
Until when did I live in Rome before?|2023-02-01
Where did I live before Oslo, and until when?|2023-02-01
When did I stop working at Acme?|2023-01-15
Since when did I work at Acme?|2019-05
When did I start at Nordlys?|2023-02-13
How long have I been a baker?|2023-02-13
When did I plant tomatoes?|2023-03-28
When was my father's surgery?|2023-05-06
When did I join the choir?|2023-06-15
When did I lose my keys?|2023-08-09
Since when am I vegetarian?|2023-09
When did I see the northern lights?|2023-10-22
When was I in Tromsø?|2023-10-22
When did I cook duck?|2023-12-24
When did I adopt the cat?|2024-01-30
How long have we had Mochi?|2024-01-30
When did I stop playing the cello?|2024-03-10
Since when do I play the piano?|2024-03
What instrument did I play before, and when?|2022-09 to 2024-03-10
When did I visit Kyoto?|2024-04-18
When does my passport expire?|2029-08-14
When did I quit smoking?|2024-07-04
When was Lena born?|2024-09-16
How old is my daughter?|2024-09-16
When did I buy the electric car?|2024-11-11
When did I sign up for pottery?|2025-01-05
When did my phone fall into the fjord?|2025-02-14
我什么时候开始学书法的？|2025-03-03
我哪天在上海开会？|2025-03-19
我什么时候因为花生过敏住院？|2025-04-07
我几月买的相机？|2025-05-21
Wann habe ich den Keller renoviert?|2025-06-10
When did Biscuit have the operation?|2025-08-02
When did I sell my bicycle?|2025-10-13
"""


def life():
    for number, line in enumerate(LIFE.splitlines()):
        said, content, since, until = line.split("|")
        at = f"{said}T12:00:00.000000Z"
        yield Fact(f"fact_{number}", content, confidence=0.9, created_at=at, valid_from=since, until=until)


FACTS = tuple(life())
INDEX = FactIndex(FACTS)


def block(question: str, form: InjectionFormat) -> str:
    options = MemoryOptions(max_injection_tokens=400, injection_format=form)
    ranked = rank(INDEX, [question], options)
    return build_block(
        MemoryDocument(facts=FACTS), ranked, options, CharacterCounter(), private=True, today="2026-11-25"
    )


@pytest.mark.parametrize("line", QUESTIONS.splitlines())
def test_the_block_says_when(line):
    question, *dates = line.split("|")
    first = re.sub(r"^.*?:\n", "", block(question, InjectionFormat.DATED)).splitlines()[:6]
    assert all(any(date in each for each in first) for date in dates), first
    classic = block(question, InjectionFormat.CLASSIC)
    told = [date for date in dates if date in classic]
    assert told == [date for date in dates if any(date in fact.content for fact in FACTS)]


def test_there_are_fifty():
    assert len(QUESTIONS.splitlines()) == 50
