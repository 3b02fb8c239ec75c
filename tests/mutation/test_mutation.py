"""The vendors' examples are read as they should be; changed at random they are heard or skipped, no more."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from tests.mutation.event_reading import Outcome, outcome
from tests.mutation.vendor_examples import CHANNELS, examples, mutated
from tests.mutation.wire_listening import listen

# In the order of the samples: heard, left alone or skipped, by the first letter. Slack's eighth is an edit
# that does not tell what was there before. Telegram's come twice: as printed in 2015, when a user was not yet
# said to be a bot or none, and completed; the first then has a chat without a type, the last a press without
# its chat.
_AS_PRINTED = {
    "slack": "hhhhhhhlllhlhh",
    "telegram": "s" * 13 + "shhhhhhhhhlls",
    "feishu": "hl" + "hhhhhhhhhhhhhhhllhhhhh",
    "dingtalk": "hhhhhhlh",
}


@pytest.mark.parametrize("channel", CHANNELS)
def test_the_vendors_examples_are_read_as_they_should_be(channel: str) -> None:
    found = "".join(outcome(channel, example).value[0] for example in examples(channel))
    assert found == _AS_PRINTED[channel]


@pytest.mark.parametrize("channel", CHANNELS)
def test_changed_at_random_they_are_heard_left_alone_or_skipped(channel: str) -> None:
    found, chance, known = Counter[Outcome](), random.Random(channel), examples(channel)
    for _ in range(2_000):
        found[outcome(channel, mutated(chance.choice(known), chance))] += 1
    assert min(found[each] for each in Outcome) > 20


@pytest.mark.parametrize("channel", CHANNELS)
async def test_a_channel_listens_on_whatever_its_platform_hands_over(channel: str, tmp_path: Path) -> None:
    ear = await listen(channel, 500, tmp_path)
    assert ear.heard > 20
    assert ear.connections == 1


@pytest.mark.parametrize("odd", ["\0", "\ud83d", "a\0b", "\udc00x"])
@pytest.mark.parametrize(
    ("channel", "number", "path"),
    [
        ("telegram", 22, ("message", "document", "file_id")),
        ("telegram", 22, ("message", "document", "mime_type")),
        ("dingtalk", 4, ("content", "downloadCode")),
        ("dingtalk", 0, ("senderCorpId",)),
        ("dingtalk", 0, ("msgId",)),
        ("dingtalk", 4, ("robotCode",)),
        ("feishu", 5, ("event", "message", "message_id")),
        ("feishu", 5, ("event", "message", "content", "file_key")),
    ],
)
def test_what_no_store_takes_never_gets_there(
    channel: str, number: int, path: tuple[str, ...], odd: str
) -> None:
    event = examples(channel)[number]
    holder, inside = event, path[:-1]
    for key in inside:
        holder = json.loads(holder[key]) if key == "content" and channel == "feishu" else holder[key]
    assert path[-1] in holder
    holder[path[-1]] = odd
    if channel == "feishu" and "content" in inside:
        event["event"]["message"]["content"] = json.dumps(holder)
    assert outcome(channel, event) in Outcome
