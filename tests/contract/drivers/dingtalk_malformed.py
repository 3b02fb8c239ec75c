"""What DingTalk should never push, and a little that it might."""

from __future__ import annotations

import json

from parley.simulator.dingtalk.events.payloads import CARD_TOPIC
from parley.simulator.kit.json_values import Json

# What a person's client could cause, and a decoder may stumble over.
STRANGE: tuple[dict[str, Json], ...] = (
    {},
    {"msgId": None, "text": {"content": "no id"}},
    {"msgId": 7, "text": {"content": "a number for an id"}},
    {"text": None},
    {"text": ["a", "list"]},
    {"text": {"content": 17}},
    {"text": {"content": "no sender"}, "senderStaffId": None},
    {"text": {"content": "no chat"}, "conversationType": 2},
    {"text": {"content": "odd chat"}, "conversationType": {"a": 1}, "conversationId": ["x"], "msgId": None},
    {"text": {"content": ""}, "createAt": -(10**30)},
    {"msgtype": "picture"},
    {"msgtype": "picture", "content": {"downloadCode": 5}},
    {"msgtype": "richText", "content": {"richText": "a text"}},
    {"msgtype": "richText", "content": {"richText": [None, 3, {"text": None}]}},
    {"msgtype": "file", "content": "a text"},
    {"msgtype": "audio", "content": {"recognition": 4}},
    {"msgtype": "unknownMsgType", "content": {"unknownMsgType": "?"}},
    {"msgtype": None},
    {"text": {"content": "", "isReplyMsg": True, "repliedMsg": "?"}},
    {"sessionWebhookExpiredTime": "soon"},
    {"hostingContext": {}},
    {"atUsers": [None]},
)
RUBBISH: tuple[Json, ...] = ({}, [], None, 3, "text", "{", [[[{}]]], {"never_heard_of": {"a": [{}] * 50}})
FRAMES = (
    "no json",
    "[]",
    "null",
    '{"type":"CALLBACK"}',
    '{"type":"CALLBACK","headers":null,"data":"{}"}',
    '{"type":"CALLBACK","headers":{"time":"late"},"data":"{}"}',
    '{"type":"SYSTEM","headers":{"topic":"never heard of"},"data":"{"}',
    '{"type":"SYSTEM","headers":[]}',
    '{"type":"MOON"}',
    "[" * 5000,
)
_NOTHING = '{"cardPrivateData": {"params": {}}}'
_DATA: tuple[Json, ...] = (
    {},
    [],
    None,
    {"outTrackId": "somebody else's"},
    {"outTrackId": "parley-ask-gone-1-0"},
    {"outTrackId": ["parley-ask-gone-1-0"], "userId": 7},
    {"outTrackId": "parley-ask-gone-1-0", "userId": "staff1", "content": "no json"},
    {"outTrackId": "parley-ask-gone-1-0", "userId": "staff1", "content": "[" * 5000},
    {"outTrackId": "parley-ask-gone-1-0", "userId": "staff1", "content": '{"cardPrivateData": []}'},
    {"outTrackId": "parley-ask-gone-1-0", "userId": "x" * 999, "content": _NOTHING},
    {"outTrackId": "parley-ask-gone-1-0", "userId": "\0", "content": _NOTHING},
    {"outTrackId": "parley-ask-", "userId": "staff1", "spaceId": "cid1", "content": _NOTHING},
    {
        "outTrackId": "parley-ask-gone-1-0",
        "userId": "staff1",
        "spaceId": "cid1",
        "content": '{"cardPrivateData": {"params": {"option": ["a"], "private": true}}}',
    },
)
# Presses that no card of ours has, or that no platform should tell of.
PRESSES = tuple(
    json.dumps({"type": "CALLBACK", "headers": headers, "data": json.dumps(data)})
    for headers in ({"topic": CARD_TOPIC, "messageId": "strange"}, {"topic": CARD_TOPIC})
    for data in _DATA
)
