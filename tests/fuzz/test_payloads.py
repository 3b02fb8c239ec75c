"""What platforms send is a message, a press, nothing for us, or skipped with one line in the log."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.channels.dingtalk.inbound.card_callbacks import parse_card_callback as dingtalk_press
from parley.channels.feishu.inbound import message_content
from parley.channels.feishu.inbound.card_actions import parse_card_action as feishu_press
from parley.channels.feishu.inbound.event_parser import resolve_mentions
from parley.channels.feishu.inbound.forwarded_conversation import conversation_text
from parley.channels.feishu.inbound.listed_message import parse_listed
from parley.channels.kit.fields import MALFORMED
from parley.channels.kit.files import safe_name
from parley.channels.slack import formatting as slack
from parley.channels.slack.file_objects import attachments_of
from parley.channels.slack.inbound.interactions import parse_block_action
from parley.channels.slack.inbound.message_words import app_words, forwarded_files, forwarded_words
from parley.core.model.codec import decode, encode
from parley.core.model.types import InboundMessage
from tests.fuzz.strategies import bent, fuzzed, texts, values
from tests.mutation.event_reading import outcome
from tests.mutation.vendor_examples import CHANNELS, examples

pytestmark = [pytest.mark.fuzz, pytest.mark.timeout(3_000)]

SLACK_PRESS = {
    "type": "block_actions",
    "user": {"id": "U1"},
    "container": {"channel_id": "C1", "message_ts": "1.2", "thread_ts": "1.1"},
    "message": {"thread_ts": "1.1"},
    "trigger_id": "t",
    "actions": [{"action_id": "parley_answer:1", "action_ts": "3.4", "value": '["q", "approve"]'}],
}
FEISHU_PRESS = {
    "schema": "2.0",
    "header": {"event_type": "card.action.trigger", "event_id": "e", "tenant_key": "t"},
    "event": {
        "operator": {"open_id": "ou_1", "tenant_key": "t"},
        "context": {"open_chat_id": "oc_1"},
        "action": {"value": {"q": "q", "o": "o", "p": True}, "form_value": {"input": "x"}},
    },
}
DINGTALK_PRESS = {
    "outTrackId": "parley-ask-q-0",
    "userId": "u",
    "spaceId": "s",
    "corpId": "c",
    "content": '{"cardPrivateData": {"params": {"option": "approve", "private": "yes"}}}',
}
SLACK_SAID = {
    "ts": "1.2",
    "user": "U1",
    "text": "hi <@U2>",
    "files": [{"id": "F1", "name": "a"}],
    "blocks": [
        {"type": "header", "text": {"type": "plain_text", "text": "x"}},
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "x"}]},
        {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]},
        {
            "type": "rich_text",
            "elements": [{"type": "rich_text_list", "elements": [{"type": "user", "user_id": "U"}]}],
        },
    ],
    "attachments": [
        {"title": "t", "title_link": "https://x.y", "fields": [{"title": "a", "value": "b"}]},
        {"is_share": True, "author_name": "A", "files": [], "message_blocks": [{"message": {"blocks": []}}]},
    ],
}
FEISHU_SAID = {
    "message_id": "om_1",
    "msg_type": "text",
    "create_time": "1700000000000",
    "deleted": False,
    "sender": {"id": "ou_1", "sender_type": "user", "tenant_key": "t", "sender_name": "Ann"},
    "body": {"content": '{"text": "hi @_user_1"}'},
    "mentions": [{"key": "@_user_1", "id": "ou_2", "name": "Bob"}],
    "upper_message_id": "om_0",
}


@pytest.mark.parametrize("channel", CHANNELS)
@fuzzed()
@given(data=st.data())
def test_a_changed_event_is_read_or_left(channel, data):
    outcome(channel, data.draw(bent(examples(channel))))


@pytest.mark.parametrize(
    ("read", "press", "declared"),
    [
        (parse_block_action, SLACK_PRESS, MALFORMED),
        (lambda event: feishu_press(json.dumps(event).encode()), FEISHU_PRESS, MALFORMED),
        (lambda event: dingtalk_press("1", event), DINGTALK_PRESS, MALFORMED),
    ],
    ids=["slack", "feishu", "dingtalk"],
)
@fuzzed()
@given(data=st.data())
def test_a_changed_press_is_read_or_rubbish(read, press, declared, data):
    assert read(press) is not None
    with suppress(*declared):
        found = read(data.draw(bent([press])))
        if found is not None:
            encode(found)


@fuzzed()
@given(
    st.sampled_from(("text", "post", "interactive", "image", "file", "audio", "x")),
    st.dictionaries(texts, values),
)
def test_any_content_of_feishu_is_read(kind, found):
    with suppress(*MALFORMED):
        message_content.parse_content(kind, found, "om_1")


@fuzzed()
@given(data=st.data())
def test_an_earlier_message_of_slack_has_words_whatever_it_is(data):
    said = data.draw(bent([SLACK_SAID]))
    if isinstance(said, dict):
        for read in (app_words, forwarded_words):
            slack.readable_text(read(said), "U1", {})
        attachments_of(forwarded_files(said))


@fuzzed()
@given(data=st.data())
def test_an_earlier_message_of_feishu_is_read_or_rubbish(data):
    said = data.draw(bent([FEISHU_SAID]))
    with suppress(*MALFORMED):
        found = parse_listed(said, "ou_me")
        if found is not None:
            conversation_text(found.within, [found], {})


@fuzzed()
@given(texts, texts)
def test_any_words_are_read(text, name):
    slack.readable_text(text, "U1", {name: text})
    slack.mentions(text)
    resolve_mentions(text, [{"key": name, "id": {"open_id": "me"}, "name": text}], "me")
    found = safe_name(text)
    assert found
    assert "/" not in found
    assert "\0" not in found
    assert len(found.encode()) < 256


@fuzzed()
@given(values | texts)
def test_what_the_store_holds_is_a_message_or_named_as_none(value):
    with suppress(ValueError):
        decode(InboundMessage, value if isinstance(value, str) else json.dumps(value))
