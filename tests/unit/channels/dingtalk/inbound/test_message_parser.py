"""What DingTalk pushes, as messages for the core."""

import copy
import json
import logging
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.channels.dingtalk.inbound.inbound_queue import parse_or_skip
from parley.channels.dingtalk.inbound.message_parser import ParseOptions, parse_message
from parley.core.model.attachments import AttachmentKind

# As DingTalk's documents and its SDK have them.
BASE = {
    "conversationId": "cidPrivate==",
    "atUsers": [{"dingtalkId": "$:LWCP_v1:$robot"}],
    "chatbotCorpId": "ding-a",
    "chatbotUserId": "$:LWCP_v1:$robot",
    "msgId": "msg0000==",
    "senderNick": "Ann",
    "isAdmin": True,
    "senderStaffId": "manager1",
    "sessionWebhookExpiredTime": 1642000000000,
    "createAt": 1641994500123,
    "senderCorpId": "ding-a",
    "conversationType": "1",
    "senderId": "$:LWCP_v1:$ann",
    "sessionWebhook": "https://oapi.dingtalk.com/robot/sendBySession?session=x",
    "robotCode": "ding-robot",
    "msgtype": "text",
    "text": {"content": " hello "},
}
GROUP = BASE | {"conversationType": "2", "conversationId": "cidGroup==", "isInAtList": True}


def body(kind, content):
    return {key: value for key, value in BASE.items() if key != "text"} | {
        "msgtype": kind,
        "content": content,
    }


PICTURE = body("picture", {"downloadCode": "dl1", "pictureDownloadCode": "p"})
RICH = body(
    "richText",
    {"richText": [{"text": "look: "}, {"downloadCode": "dl1", "type": "picture"}, {"text": "and"}]},
)
VOICE = body("audio", {"duration": 4000, "downloadCode": "dl1", "recognition": "what was said"})
SILENT = body("audio", {"duration": 4000, "downloadCode": "dl1"})
MUMBLED = body("audio", {"duration": 4000, "downloadCode": "dl1", "recognition": " \n"})
FILE = body("file", {"spaceId": "1", "fileName": "../a b.pdf", "downloadCode": "dl1", "fileId": "2"})
VIDEO = body("video", {"duration": 4, "downloadCode": "dl1", "videoType": "mp4"})
QUOTE = BASE | {
    "text": {
        "content": "and this?",
        "isReplyMsg": True,
        "repliedMsg": {"msgType": "text", "msgId": "m0", "content": {"text": "the answer"}},
    }
}
ALL = (BASE, GROUP, PICTURE, RICH, VOICE, FILE, VIDEO, QUOTE)


def heard(data, **manner):
    return parse_message(data, ParseOptions(**manner), 7.0)


def test_a_private_message_with_all_that_is_known_about_it():
    message = heard(BASE)
    assert (message.id, message.text, message.sent_at) == ("msg0000==", "hello", 1641994500.123)
    assert message.conversation.key == "dingtalk:manager1"
    assert (message.sender.id, message.sender.name, message.sender.workspace) == ("manager1", "Ann", "ding-a")
    assert message.private
    assert message.addressed


def test_a_group_is_one_conversation_or_one_for_each_person():
    assert heard(GROUP).conversation.key == "dingtalk:cidGroup=="
    assert heard(GROUP, per_user=True).conversation.key == "dingtalk:cidGroup==:manager1"
    assert heard(BASE, per_user=True).conversation.topic is None
    assert not heard(GROUP).private


def test_the_kind_of_a_conversation_may_be_a_number():
    assert heard(GROUP | {"conversationType": 2}).conversation.chat == "cidGroup=="


def test_only_what_mentions_us_is_addressed():
    assert heard(GROUP).addressed
    assert not heard(GROUP | {"isInAtList": False}).addressed


@pytest.mark.parametrize("name", ["msgId", "conversationId", "sender"])
def test_a_message_without_identity_is_no_message(name, caplog):
    without = dict(GROUP)
    for key in ("senderStaffId", "senderId") if name == "sender" else (name,):
        without[key] = ""
    with pytest.raises(ValueError, match=f"no {name}"):
        heard(without)
    assert parse_or_skip(without, ParseOptions()) is None
    assert f"no {name}" in caplog.text


def test_people_of_other_organisations_are_heard_only_when_listed(caplog):
    caplog.set_level(logging.INFO)
    guest = GROUP | {"senderStaffId": "", "senderCorpId": "ding-b"}
    assert parse_or_skip(guest, ParseOptions(guests=frozenset({"*"}))) is None
    message = heard(guest, guests=frozenset({"$:LWCP_v1:$ann"}))
    assert message.sender.id == "$:LWCP_v1:$ann"


def test_our_name_is_taken_out_where_dingtalk_left_it():
    def said(text, **manner):
        return heard(GROUP | {"text": {"content": text}}, **manner).text

    assert said("@Parley  /new") == "/new"
    assert said("ask @Parley and @Parleyman", bot_name="Parley") == "ask and @Parleyman"
    assert said("@bob is away") == "@bob is away"


def test_a_picture_is_a_file_with_its_robot_and_code():
    (file,) = heard(PICTURE).attachments
    assert (file.kind, file.handle, file.size) == (AttachmentKind.IMAGE, "ding-robot:dl1", 0)


def test_rich_text_is_words_and_pictures():
    message = heard(RICH)
    assert message.text == "look: and"
    assert [file.name for file in message.attachments] == ["picture_1.jpg"]


@pytest.mark.parametrize(("told", "words"), [(VOICE, "what was said"), (SILENT, ""), (MUMBLED, "")])
def test_a_voice_message_is_spoken_and_has_the_words_that_dingtalk_understood(told, words):
    message = heard(told)
    (file,) = message.attachments
    assert (message.text, file.kind, file.handle) == ("", AttachmentKind.AUDIO, "ding-robot:dl1")
    assert (file.voice, file.transcript) == (True, words)


def test_words_that_were_understood_are_there_also_without_the_sound():
    assert heard(body("audio", {"recognition": "what was said"})).text == "what was said"


@pytest.mark.parametrize(("told", "words", "files"), [(VOICE, "what was said", 0), (SILENT, "", 1)])
def test_what_a_quoted_voice_message_says_nobody_says_now(told, words, files):
    replied = {"msgType": "audio", "msgId": "m0", "content": told["content"]}
    message = heard(BASE | {"text": {"content": "and?", "isReplyMsg": True, "repliedMsg": replied}})
    assert (message.text, message.quoted) == ("and?", words)
    assert [file.voice for file in message.attachments] == [False] * files


def test_files_and_videos_have_safe_names():
    assert [file.name for file in heard(FILE).attachments] == ["a b.pdf"]
    assert heard(FILE).attachments[0].mime == "application/pdf"
    assert heard(VIDEO).attachments[0].kind is AttachmentKind.VIDEO


QUOTED = [
    ("text", {"text": "the answer"}),
    ("text", {"content": "the answer"}),
    ("richText", {"richText": [{"msgType": "text", "content": "the answer"}]}),
    ("interactiveCard", {"cardId": "x", "body": {"nodes": [{"type": "markdown", "text": "the answer"}]}}),
    ("unknownMsgType", "the answer"),
]


@pytest.mark.parametrize(("kind", "content"), QUOTED)
def test_a_quote_is_given_whatever_was_quoted(kind, content):
    replied = {"msgType": kind, "msgId": "m0", "content": content}
    message = heard(BASE | {"text": {"content": "and?", "isReplyMsg": True, "repliedMsg": replied}})
    assert (message.text, message.quoted) == ("and?", "the answer")


def test_a_quoted_file_comes_with_the_question():
    replied = {"msgType": "file", "content": {"downloadCode": "dl9", "fileName": "a.csv"}}
    message = heard(BASE | {"text": {"content": "sum it up", "repliedMsg": replied}})
    assert [(file.name, file.handle) for file in message.attachments] == [("a.csv", "ding-robot:dl9")]
    assert message.quoted == ""


def test_what_holds_nothing_is_nothing():
    assert heard(BASE | {"text": {"content": "  "}}) is None


def test_a_kind_that_nobody_knows_is_named_instead_of_dropped():
    assert heard(body("unknownMsgType", {"unknownMsgType": "?"})).text == "[unsupported]"
    assert heard(body("location", {"x": 1})).text == "[location]"
    assert heard(body("a b<c>", {})).text == "[unsupported]"
    assert heard(body("picture", {})).text == "[picture]"
    assert heard(body("richText", {"richText": [{"type": "spaceship"}]})).text == "[richText]"


def test_markdown_and_names_in_rich_text_are_read():
    assert heard(body("markdown", {"title": "t", "text": "# hello"})).text == "# hello"
    parts = [
        {"type": "at", "atName": "Parley", "atUserId": "$:LWCP_v1:$robot"},
        {"text": "ask "},
        {"type": "at", "atName": "Bob", "atUserId": "u2"},
        {"text": "about it"},
    ]
    assert heard(body("richText", {"richText": parts})).text == "ask @Bob about it"


@pytest.mark.parametrize("as_text", [False, True])
def test_a_forwarded_chat_is_read(as_text):
    entries = [
        {"senderNick": "Ann", "content": "when?", "msgType": "text"},
        {"senderName": "Bob", "content": {"text": "on Friday"}},
        {"sender": "Cleo", "msgType": "picture"},
    ]
    told = json.dumps(entries) if as_text else entries
    message = heard(body("chatRecord", {"title": "Team", "summary": "[...]", "chatRecord": told}))
    assert message.quoted == "Team\nAnn: when?\nBob: on Friday\nCleo: [picture]"
    assert message.text == ""
    only = heard(body("chatRecord", {"summary": "Ann: when?", "chatRecord": "[]"}))
    assert only.quoted == "Ann: when?"
    assert heard(body("chatRecord", {"summary": "[]"})).text == "[chatRecord]"


def test_a_shared_document_is_read():
    url = "dingtalk://dingtalkclient/page/link?route=previewDentry&type=file&spaceId=1&fileId=2"
    message = heard(body("interactiveCard", {"title": "Plan", "biz_custom_action_url": url}))
    assert message.quoted == f"Plan\n{url}"
    assert (
        heard(body("interactiveCard", {"biz_custom_action_url": "javascript:x"})).text == "[interactiveCard]"
    )


def test_pictures_in_a_quoted_rich_text_come_along():
    rich = {
        "richText": [{"msgType": "text", "content": "see "}, {"msgType": "picture", "downloadCode": "dl7"}]
    }
    replied = {"msgType": "richText", "msgId": "m0", "content": rich}
    message = heard(BASE | {"text": {"content": "and?", "isReplyMsg": True, "repliedMsg": replied}})
    assert message.quoted == "see"
    assert [file.handle for file in message.attachments] == ["ding-robot:dl7"]


def test_a_senseless_time_is_now():
    assert heard(BASE | {"createAt": "never"}).sent_at == 7.0
    assert heard(BASE | {"createAt": "1641994500123"}).sent_at == 1641994500.123


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def places(value, path=()):
    yield path
    for key, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from places(inner, (*path, key))


PLACES = [(number, path) for number, example in enumerate(ALL) for path in places(example) if path]


@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PLACES), JSON), min_size=1, max_size=3))
def test_a_payload_changed_anywhere_is_read_or_skipped(changes):
    number = changes[0][0][0]
    data = copy.deepcopy(ALL[number])
    for (which, path), value in changes:
        # A place may be gone with an earlier change.
        with suppress(LookupError, TypeError):
            if which == number:
                change(data, path, value)
    message = parse_or_skip(data, ParseOptions())
    if message is not None:
        assert message.id
        assert message.conversation.chat
        f"{message.text}{message.quoted}{message.sender.name}{message.id}".encode()


def change(data, path, value):
    for key in path[:-1]:
        if not isinstance(data, dict | list):
            return
        data = data[key]
    if isinstance(data, dict | list):
        data[path[-1]] = value
