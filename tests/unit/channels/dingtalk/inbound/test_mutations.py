"""Vendor examples changed at random, in numbers."""

import copy
import json
import logging
import random
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest

from parley.channels.dingtalk.inbound.inbound_queue import parse_or_skip
from parley.channels.dingtalk.inbound.message_parser import ParseOptions
from tests.kit.platforms.dingtalk_channel import KeepingInbox, listening
from tests.unit.channels.dingtalk.inbound.test_message_parser import ALL, change, places

VALUES: tuple[object, ...] = (
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    "",
    "x",
    "\ud83d",
    "a" * 5000,
    [],
    [None],
    {},
    {"a": {"b": []}},
    2,
)
PLACES = [[path for path in places(example) if path] for example in ALL]


def mutated(chance: random.Random) -> dict[str, Any]:
    number = chance.randrange(len(ALL))
    data = copy.deepcopy(ALL[number])
    for _ in range(chance.randint(1, 3)):
        # A place may be gone with an earlier change.
        with suppress(LookupError, TypeError):
            change(data, chance.choice(PLACES[number]), copy.deepcopy(chance.choice(VALUES)))
    return data


@pytest.mark.soak
@pytest.mark.timeout(300)
def test_a_hundred_thousand_changed_payloads_are_read_or_skipped(caplog):
    caplog.set_level(logging.CRITICAL)
    chance = random.Random(4)
    outcomes: Counter[str] = Counter()
    for _ in range(100_000):
        message = parse_or_skip(mutated(chance), ParseOptions())
        outcomes["skipped" if message is None else "read"] += 1
        if message is not None:
            json.dumps([message.id, message.conversation.key, message.text, message.quoted]).encode()
    print(outcomes)
    assert min(outcomes.values()) > 1000


@pytest.mark.soak
@pytest.mark.timeout(300)
async def test_listening_goes_on_through_thousands_of_changed_frames(world, caplog):
    caplog.set_level(logging.CRITICAL)
    chance, inbox = random.Random(5), KeepingInbox()
    async with listening(world.channel, inbox):
        for number in range(5_000):
            data = mutated(chance)
            raw = json.dumps({"type": "CALLBACK", "headers": {"topic": "x"}, "data": json.dumps(data)})
            cut = chance.randrange(len(raw)) if number % 3 == 0 else len(raw)
            world.people.inject(raw=raw[:cut] + raw[cut + 1 :])
        last = world.say("the last one")
        await world.until(lambda: world.people.heard(last))
    assert inbox.messages[-1].text == "the last one"
    assert len(world.sim.calls("open")) == 1
