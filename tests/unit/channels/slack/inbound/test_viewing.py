"""What people look at beside their DM with an agent, as it comes with their messages."""

import pytest

from parley.channels.slack.inbound.event_parser import MOST_VIEWED, parse_event
from parley.channels.slack.users import SlackBotIdentity

VIEWED = [
    {"type": "slack#/types/message_context", "value": {"channel_id": "C1", "message_ts": "1.5"}},
    {"type": "slack#/types/channel_id", "value": "C1", "team_id": "T1"},
    {"type": "slack#/types/canvas_id", "value": "F1"},
    {"type": "slack#/types/list_id", "value": "F2"},
]


def viewing(entities, chat="D1"):
    event = {"type": "message", "channel": chat, "user": "U1", "text": "what is this?", "ts": "1.5"}
    event |= {"app_context": {"entities": entities}}
    message = parse_event(event, SlackBotIdentity("U0BOT", "B0BOT", "T1", url="https://a.slack.com/"), {})
    assert message is not None
    return [(each.kind, each.id, each.link) for each in message.viewing]


def test_what_somebody_looks_at_comes_with_their_message():
    assert viewing(VIEWED) == [
        ("message", "C1:1.5", "https://a.slack.com/archives/C1/p15"),
        ("channel", "C1", "https://a.slack.com/archives/C1"),
        ("canvas", "F1", ""),
        ("list", "F2", ""),
    ]
    assert viewing(VIEWED, chat="C9") == []


@pytest.mark.parametrize(
    "odd",
    [
        None,
        "C1",
        {},
        [None, "x", {}, {"type": "slack#/types/channel_id"}, {"type": 1, "value": "C1"}],
        [{"type": "slack#/types/channel_id", "value": ["C1"]}, {"type": "slack#/types/new", "value": "x"}],
        [{"type": "slack#/types/message_context", "value": "1.5"}],
        [{"type": "slack#/types/message_context", "value": {"channel_id": "C1"}}],
    ],
)
def test_what_cannot_be_read_of_it_is_left_out(odd):
    assert viewing(odd) == []


def test_of_very_much_that_somebody_looks_at_the_first_is_told():
    found = viewing([{"type": "slack#/types/channel_id", "value": f"C{'1' * 500}\0"}] * 500)
    assert len(found) == MOST_VIEWED
    assert {len(each[1]) for each in found} == {100}
