"""What people write, as the core hears it."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.channels.slack.inbound.event_parser import bot_of, event_in, parse_event, user_ids_in
from parley.channels.slack.users import SlackBotIdentity, SlackUser
from parley.core.model.address import User
from parley.simulator.slack import SlackUpload
from tests.kit.platforms.slack_channel import KeepingInbox, listening

ME = SlackBotIdentity("U0BOT", "B0BOT", "T1")
PEOPLE = {"U1": SlackUser("Ann", "de-DE"), "U2": SlackUser("Bob")}
# As in Slack's own documentation of the `message` and `app_mention` events, with files.
EXAMPLE: dict[str, Any] = {
    "token": "x",
    "team_id": "T1",
    "api_app_id": "A1",
    "event": {
        "type": "message",
        "channel": "C1",
        "channel_type": "channel",
        "user": "U1",
        "text": "<@U0BOT>, ask <@U2> &amp; &lt;them&gt;",
        "ts": "1355517523.000005",
        "event_ts": "1355517523.000005",
        "team": "T1",
        "files": [
            {
                "id": "F1",
                "name": "a.png",
                "mimetype": "image/png",
                "size": 7,
                "url_private_download": "https://files.slack.com/files-pri/T1-F1/download/a.png",
            }
        ],
    },
    "type": "event_callback",
    "event_id": "Ev1",
    "event_time": 1355517523,
    "authorizations": [{"team_id": "T1", "user_id": "U0BOT", "is_bot": True}],
}


def heard(**changes):
    """The message that the example is with these changes of its event."""
    body = copy.deepcopy(EXAMPLE)
    for key, value in changes.items():
        if value is None:
            body["event"].pop(key, None)
        else:
            body["event"][key] = value
    event = event_in(body, ME)
    return None if event is None else parse_event(event, ME, PEOPLE)


def test_a_mention_opens_a_topic_in_its_thread():
    message = heard()
    assert message.id == "C1:1355517523.000005"
    assert message.conversation.key == "slack:C1:1355517523.000005"
    assert message.text == "ask @Bob & <them>"
    assert (message.sender.name, message.sender.language) == ("Ann", "de-DE")
    assert message.addressed
    assert not message.private
    assert message.sent_at == 1355517523.000005
    assert [(file.name, file.size) for file in message.attachments] == [("a.png", 7)]


def test_later_messages_of_a_thread_are_its_topic():
    message = heard(text="go on", thread_ts="1355517000.000001")
    assert message.conversation.topic == "1355517000.000001"
    assert not message.addressed


def test_message_and_mention_of_one_post_are_the_same():
    assert heard(type="app_mention", channel_type=None) == heard()


def test_a_dm_is_one_conversation_and_its_threads_are_topics():
    assert heard(channel="D1", channel_type="im").conversation.key == "slack:D1"
    assert heard(channel="D1", thread_ts="1.5").conversation.key == "slack:D1:1.5"
    assert heard(channel="D1", text="hi").addressed


@pytest.mark.parametrize(
    "changes",
    [
        {"bot_id": "B2"},
        {"user": "U0BOT"},
        {"user": "USLACKBOT"},
        {"subtype": "message_changed"},
        {"subtype": "message_deleted"},
        {"subtype": "channel_join"},
        {"subtype": "bot_message"},
        {"edited": {"user": "U1", "ts": "1.0"}},
        {"hidden": True},
        {"team": "T2"},
        {"user_team": "T2"},
        {"source_team": "T2"},
        {"type": "reaction_added"},
        {"text": "", "files": None},
    ],
)
def test_what_is_not_for_us(changes):
    assert heard(**changes) is None


CHANGED = {"text": "<@U0BOT>", "user": "U2", "ts": "1.5", "edited": {"user": "U2", "ts": "2.0"}}


def edited(before, now, **changes):
    """The message that an edit of the example is, from one text to another."""
    said = {key: value for key, value in EXAMPLE["event"].items() if key not in ("files", "channel")}
    event = {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "channel": "C1",
        "ts": "1355517600.000009",
        "event_ts": "1355517600.000009",
        "message": said | {"text": now, "edited": {"user": "U1", "ts": "1355517600.000000"}},
        "previous_message": said | {"text": before},
    }
    found = event_in(EXAMPLE | {"event": event | changes}, ME)
    return None if found is None else parse_event(found, ME, PEOPLE)


def test_an_edit_that_calls_us_is_the_message_said_then():
    message = edited("what now?", "<@U0BOT> what now?")
    assert (message.id, message.conversation) == (heard().id, heard().conversation)
    assert (message.text, message.addressed, message.sent_at) == ("what now?", True, 1355517600.000009)


@pytest.mark.parametrize(
    ("before", "now", "addressed"),
    [
        ("what now?", "what then?", False),
        ("<@U0BOT> what now?", "<@U0BOT> what then?", True),
        ("<@U0BOT> what now?", "what then?", False),
    ],
)
def test_any_other_edit_says_which_message_it_changes(before, now, addressed):
    message, original = edited(before, now), heard()
    assert message.edits == original.id
    assert message.id == f"{original.id}:edit:1355517600.000009"
    assert (message.conversation, message.sender) == (original.conversation, original.sender)
    assert (message.text, message.addressed) == (now.removeprefix("<@U0BOT> "), addressed)
    assert message.sent_at == 1355517600.000009


def test_in_a_dm_every_edit_is_one():
    message = edited("what now?", "<@U0BOT> what now?", channel="D1")
    assert message.edits == f"D1:{EXAMPLE['event']['ts']}"
    assert message.addressed


@pytest.mark.parametrize(
    ("before", "now", "changes"),
    [
        ("", "<@U0BOT>", {"message": {"text": "<@U0BOT>", "user": "U2", "ts": "1.5"}}),
        ("", "<@U0BOT>", {"previous_message": None}),
        ("", "<@U0BOT>", {"message": "a text"}),
        ("", "<@U0BOT>", {"message": CHANGED | {"bot_id": "B2"}}),
        ("", "<@U0BOT>", {"message": CHANGED | {"team": "T2"}}),
        ("", "<@U0BOT>", {"message": CHANGED | {"user": "U0BOT"}}),
    ],
)
def test_what_its_writer_did_not_change_or_nobody_of_ours_wrote_is_not_heard(before, now, changes):
    assert edited(before, now, **changes) is None


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast", "me_message"])
def test_subtypes_that_are_messages(subtype):
    assert heard(subtype=subtype) is not None


def test_the_organisation_of_our_workspace_is_home():
    grid = SlackBotIdentity("U0BOT", "B0BOT", "T1", "E1")
    sibling = copy.deepcopy(EXAMPLE) | {"enterprise_id": "E1"}
    sibling["event"]["team"] = "T7"
    assert event_in(sibling, grid) is not None
    assert event_in(sibling | {"is_ext_shared_channel": True}, grid) is None


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("<@U0BOT> /new", "/new"),
        ("<@U0BOT>: hi", "hi"),
        ("what now, <@U0BOT>?", "what now, ?"),
        ("/whoami<@U0BOT>", "/whoami"),
        ("<https://x.org/?a=1&amp;b=2>", "https://x.org/?a=1&b=2"),
        ("<https://x.org|the docs>", "[the docs](https://x.org)"),
        ("<http://x.org|x.org>", "http://x.org"),
        ("<mailto:a@b.c|a@b.c>", "a@b.c"),
        ("<#C1|general> <!here> <!subteam^S1|@ops>", "#general @here @ops"),
        ("<!date^1392734382^{date}|Feb 18> <@U9|zoe> <@U8>", "Feb 18 @zoe @U8"),
        ("&amp;lt; a &lt; b", "&lt; a < b"),
    ],
)
def test_references_are_read_as_words(written, read_as):
    assert heard(text=written, files=None).text == read_as


SHARE: dict[str, Any] = {
    "is_share": True,
    "is_msg_unfurl": True,
    "author_name": "Carol",
    "text": "ask <@U2>\nBob: yes",
    "files": [{"id": "F2", "name": "b.txt", "mimetype": "text/plain", "size": 1}],
}


def test_forwarded_messages_are_quoted_with_their_files():
    alone = heard(channel="D1", text="", files=None, attachments=[SHARE])
    assert (alone.text, alone.quoted) == ("[forwarded message]", "Carol: ask @Bob\n  Bob: yes")
    assert [file.name for file in alone.attachments] == ["b.txt"]
    commented = heard(attachments=[SHARE, {"from_url": "https://x.y", "text": "a preview"}])
    assert (commented.text, commented.quoted) == ("ask @Bob & <them>", alone.quoted)
    assert [file.name for file in commented.attachments] == ["a.png", "b.txt"]


@pytest.mark.parametrize(
    ("url", "who"),
    [
        (
            "https://sim.slack.com/archives/C1/p1?a=1&amp;b=2",
            "[Carol](https://sim.slack.com/archives/C1/p1?a=1&b=2)",
        ),
        ("http://sim.slack.com/x", "Carol"),
        ("javascript:alert(1)", "Carol"),
        ("https://a.b/<@U2>", "Carol"),
        ("https://a.b/" + "x" * 600, "Carol"),
        (5, "Carol"),
    ],
)
def test_a_forwarded_message_is_quoted_with_a_link_to_its_source(url, who):
    shared = SHARE | {"from_url": url, "text": "yes"}
    assert heard(channel="D1", text="", files=None, attachments=[shared]).quoted == f"{who}: yes"


CLIP = {"id": "F3", "name": "clip.m4a", "mimetype": "audio/mp4", "size": 9, "subtype": "slack_audio"}


@pytest.mark.parametrize(
    ("transcription", "said"),
    [
        (
            {"status": "complete", "preview": {"content": "call Bob &amp; me", "has_more": False}},
            "call Bob & me",
        ),
        ({"status": "complete", "preview": {"content": "and then ", "has_more": True}}, "and then…"),
        ({"status": "processing"}, ""),
        ({"status": "failed", "preview": {"content": "hm"}}, ""),
        ({"status": "complete", "preview": "x"}, ""),
        (None, ""),
    ],
)
def test_a_voice_clip_comes_with_what_slack_heard_in_it(transcription, said):
    message = heard(channel="D1", text="", files=[CLIP | {"transcription": transcription}])
    (clip,) = message.attachments
    assert (clip.kind, clip.voice, clip.transcript) == ("audio", True, said)


def test_an_audio_file_that_is_no_clip_is_no_voice():
    (song,) = heard(channel="D1", text="", files=[CLIP | {"subtype": ""}]).attachments
    assert (song.kind, song.voice) == ("audio", False)


def test_our_name_alone_is_something():
    assert heard(text="<@U0BOT>", files=None).text == "@you"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
_KEYS = st.sampled_from([*EXAMPLE["event"], "thread_ts", "subtype", "bot_id", "user_team"])


@settings(max_examples=400, deadline=None)
@given(
    st.dictionaries(_KEYS, _JSON, max_size=4), st.dictionaries(st.sampled_from([*EXAMPLE]), _JSON, max_size=2)
)
def test_a_mutated_payload_is_a_sound_message_or_none(in_event, in_body):
    body = copy.deepcopy(EXAMPLE)
    body["event"].update(in_event)
    body.update(in_body)
    try:
        event = event_in(body, ME)
        message = (
            None
            if event is None
            else parse_event(event, ME, {each: SlackUser("P") for each in user_ids_in(event)})
        )
    except (TypeError, ValueError):
        return
    if message is not None:
        for text in (message.id, message.text, message.sender.id, message.conversation.key):
            text.encode()
            assert "\0" not in text


async def test_mutated_payloads_over_the_wire_do_not_end_listening(world):
    inbox = KeepingInbox()
    values: tuple[object, ...] = (None, 5, [], {}, "x", [[]], {"a": None}, -1.5, True, "\ud800")
    mutants = [{"event": {**EXAMPLE["event"], key: value}} for key in EXAMPLE["event"] for value in values]
    async with listening(world.channel(), inbox) as task:
        for mutant in mutants:
            world.people.inject(EXAMPLE | mutant | {"team_id": "T0SIM"})
        await world.until(lambda: world.people.unacknowledged() == 0)
        world.people.say(world.alice.dm, world.alice.id, "still there?")
        await inbox.first()
        assert not task.done()


async def test_names_come_from_slack_and_are_asked_for_once(world):
    inbox = KeepingInbox()
    bob = world.people.add_person("Bob", handle="bob")
    async with listening(world.channel(), inbox):
        for _ in range(3):
            world.people.say(world.alice.dm, world.alice.id, "ask @bob")
        assert {message.text for message in await inbox.first(3)} == {"ask @Bob"}
    assert inbox.messages[0].sender.name == "Alice"
    assert sorted(call.params["user"] for call in world.sim.calls("users.info")) == [world.alice.id, bob.id]


async def test_without_names_messages_are_heard_all_the_same(world):
    inbox = KeepingInbox()
    world.sim.faults.fail_next("users.info", "", status=500, times=9)
    async with listening(world.channel(allowed_users=[world.alice.id]), inbox):
        world.people.say(world.alice.dm, world.alice.id, "hello")
        assert (await inbox.first())[0].sender.name == ""


async def test_a_clip_that_slack_has_listened_to_comes_with_its_words_and_its_sound(world, tmp_path):
    channel, inbox = world.channel(), KeepingInbox()
    async with listening(channel, inbox):
        world.people.speak(world.alice.dm, world.alice.id, b"sound", heard="call Bob & me")
        ((clip,),) = [each.attachments for each in await inbox.first()]
        assert (clip.voice, clip.transcript) == (True, "call Bob & me")
        await channel.fetch(clip, tmp_path / "clip", 1000)
    assert (tmp_path / "clip").read_bytes() == b"sound"


async def test_a_mention_with_files_comes_with_both_and_as_one_id(world):
    chat, inbox = world.people.add_channel("team", [world.alice.id]), KeepingInbox()
    async with listening(world.channel(), inbox):
        world.people.send_files(
            chat, world.alice.id, [SlackUpload("a.txt", b"a"), SlackUpload("b.txt", b"b")], "@parley read"
        )
        first, second = await inbox.first(2)
    assert first == second
    assert [file.name for file in first.attachments] == ["a.txt", "b.txt"]


async def test_a_mention_put_in_later_is_heard_once_and_edits_of_it_are_edits(world):
    chat, inbox = world.people.add_channel("team", [world.alice.id]), KeepingInbox()
    async with listening(world.channel(), inbox):
        ts = world.people.say(chat, world.alice.id, "what now?")
        world.people.edit(chat, ts, "@parley what now?")
        world.people.edit(chat, ts, "@parley what now, please?")
        world.people.say(chat, world.alice.id, "the end")
        first, second, third, _ = await inbox.first(4)
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert first.id == second.id == third.edits
    assert [message.text for message in inbox.messages] == [
        "what now?",
        "what now?",
        "what now, please?",
        "the end",
    ]
    assert [message.addressed for message in inbox.messages] == [False, True, True, False]


async def test_edits_are_heard_but_not_deletions_and_other_workspaces(world):
    inbox = KeepingInbox()
    eve = world.people.add_person("Eve", team="T0OTHER")
    async with listening(world.channel(), inbox):
        ts = world.people.say(world.alice.dm, world.alice.id, "first")
        world.people.edit(world.alice.dm, ts, "changed")
        world.people.delete(world.alice.dm, ts)
        world.people.say(eve.dm, eve.id, "from elsewhere")
        world.people.say(world.alice.dm, world.alice.id, "second")
        first, changed, _ = await inbox.first(3)
    assert [message.text for message in inbox.messages] == ["first", "changed", "second"]
    assert (first.edits, changed.edits) == ("", first.id)


@pytest.mark.parametrize(
    ("changes", "link"),
    [
        ({}, "https://acme.slack.com/archives/C1/p1355517523000005"),
        (
            {"thread_ts": "1355517500.000001"},
            "https://acme.slack.com/archives/C1/p1355517523000005?thread_ts=1355517500.000001&cid=C1",
        ),
        ({"channel": "C/1?x=#"}, "https://acme.slack.com/archives/C%2F1%3Fx%3D%23/p1355517523000005"),
    ],
)
def test_a_message_has_an_address(changes, link):
    event = {**EXAMPLE["event"], **changes}
    me = SlackBotIdentity("U0BOT", "B0BOT", "T1", url="https://acme.slack.com/")
    known, unknown = (parse_event(event, app, PEOPLE) for app in (me, ME))
    assert known is not None
    assert unknown is not None
    assert (known.link, unknown.link) == (link, "")


@pytest.mark.parametrize(
    ("kind", "chat", "told"), [("channel", "C1", "channel"), ("mpim", "C2", ""), ("im", "D1", "")]
)
def test_a_channel_is_told_from_a_group(kind, chat, told):
    assert heard(channel_type=kind, channel=chat).chat_kind == told


ALERT = {
    "user": None,
    "text": "",
    "files": None,
    "subtype": "bot_message",
    "bot_id": "B7",
    "app_id": "A7",
    "username": "Pager",
    "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "*sev1* &amp; rising"}}],
    "attachments": [{"title": "Disk", "text": "98 %", "fields": [{"title": "host", "value": "db1"}]}],
}


def heard_of_bot(**changes):
    """The message of an alerting app, heard where its place lets it in."""
    body = copy.deepcopy(EXAMPLE)
    body["event"] = {k: v for k, v in (body["event"] | ALERT | changes).items() if v is not None}
    event = event_in(body, ME, hears_bot=lambda event: bot_of(event).bot == "A7")
    return None if event is None else parse_event(event, ME, PEOPLE)


def test_a_bot_that_is_let_in_says_its_blocks_and_attachments_in_a_thread_of_its_own():
    message = heard_of_bot()
    assert message.text == "*sev1* & rising\nDisk\n98 %\nhost: db1"
    assert message.sender == User("slack", "B7", "Pager", bot="A7")
    assert message.conversation.topic == "1355517523.000005"
    assert not message.addressed
    assert heard_of_bot(thread_ts="1.5").conversation.topic == "1.5"
    assert heard_of_bot(blocks=None, attachments=None, text="<@U0BOT> look").addressed


@pytest.mark.parametrize(
    "changes",
    [
        {"app_id": "A8"},
        {"bot_id": "B0BOT"},
        {"user": "U0BOT"},
        {"subtype": "message_changed", "message": {"bot_id": "B7"}},
        {"edited": {"user": "B7", "ts": "1.0"}},
        {"type": "app_mention"},
        {"hidden": True},
        {"team": "T2"},
    ],
)
def test_other_bots_ourselves_and_what_bots_change_are_not_heard(changes):
    assert heard_of_bot(**changes) is None
