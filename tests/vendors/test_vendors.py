"""The simulators are as the vendors' own Node SDKs, unchanged, expect the platforms to be."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests.vendors.node_bot import running
from tests.vendors.platform_people import Side, side

pytestmark = pytest.mark.vendors

PLATFORMS = ("slack", "telegram", "feishu", "dingtalk")
_SENT = ("greeting.pdf", b"written by a bot in Node\n")


@pytest.fixture(params=PLATFORMS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def person(name: str) -> Iterator[Side]:
    with side(name) as made:
        yield made


async def _until(person: Side, true: Callable[[], object]) -> None:
    await asyncio.to_thread(person.wait, true)


def _has_answers(person: Side, count: int) -> bool:
    return len(person.answers()) == count


def _has_answered(person: Side, text: str) -> bool:
    return text in person.answers()


async def test_what_a_person_says_is_heard_acknowledged_and_answered(name: str, person: Side) -> None:
    async with running(name, person.settings) as bot:
        await bot.tells("connected")
        await _until(person, person.there)
        said = ("hello", "你好 👩‍👩‍👧", "a < b & c")
        for number, text in enumerate(said, 1):
            person.say(text)
            await _until(person, partial(_has_answers, person, number))
        await _until(person, lambda: person.unconfirmed() == 0)
    assert person.answers() == [f"you said {text}" for text in said]


async def test_files_go_both_ways_byte_for_byte(name: str, person: Side) -> None:
    content = random.Random(name).randbytes(70_000)
    async with running(name, person.settings) as bot:
        await bot.tells("connected")
        await _until(person, person.there)
        person.send("noise.bin", content)
        got = await bot.tells("file")
        person.say("file please")
        await _until(person, lambda: person.files() == [_SENT])
    assert got["name"] == "noise.bin"
    assert got["digest"] == hashlib.sha256(content).hexdigest()


async def test_an_answer_grows_the_platforms_own_way(name: str, person: Side) -> None:
    async with running(name, person.settings) as bot:
        await bot.tells("connected")
        await _until(person, person.there)
        person.say("stream please")
        await _until(person, lambda: person.answers() == ["word by word"])
        await _until(person, lambda: person.unconfirmed() == 0)
        assert not [each for each in bot.told if each["event"] == "broken"]


async def test_it_is_back_after_the_server_dropped_it_and_nothing_is_lost_or_doubled(
    name: str, person: Side
) -> None:
    async with running(name, person.settings) as bot:
        await bot.tells("connected")
        await _until(person, person.there)
        for number in (1, 2):
            person.drop()
            if not person.hands_back:
                await _until(person, person.there)
            person.say(f"after drop {number}")
            await _until(person, partial(_has_answered, person, f"you said after drop {number}"))
            # Its acknowledgement comes on its own way, and must not be what is dropped next.
            await _until(person, lambda: person.unconfirmed() == 0)
    assert person.answers() == ["you said after drop 1", "you said after drop 2"]


async def test_a_refused_credential_is_seen(name: str, person: Side) -> None:
    async with running(name, {**person.settings, **person.wrong}) as bot:
        refused = await bot.tells("refused")
    assert person.refusal in refused["error"]
    assert not person.there()
