"""Events as messages: every kind, mentions, topics, quotes, and rubbish."""

import asyncio
import json

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.channels.feishu.inbound.event_handler import parse_or_skip
from parley.channels.feishu.inbound.event_parser import parse_event, resolve_mentions
from parley.core.model.types import Json
from parley.simulator.feishu import FeishuSimulator, FeishuUpload
from tests.kit.machine import patience
from tests.kit.platforms.feishu_channel import (
    QUICK,
    KeepingInbox,
    Notes,
    World,
    listening,
    make_channel,
    snapshot,
)


async def heard(world, count=1):
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        return await inbox.first(count)


async def test_mentions_have_names_and_our_own_is_taken_out(world):
    bob = world.people.add_person("Bob Lee")
    chat = world.people.add_group("Team", [world.ann.open_id, bob.open_id])
    world.say("@Parley, ask @Bob Lee about @all of it", chat)
    world.say("@Parley", chat)
    world.say("@Bob Lee are you in?", chat)
    first, second, third = await heard(world, 3)
    assert (first.text, first.addressed, first.private) == ("ask @Bob Lee about @all of it", True, False)
    assert (second.text, second.addressed) == ("@Parley", True)
    assert (third.text, third.addressed) == ("@Bob Lee are you in?", False)


def test_ten_mentions_are_not_taken_for_one():
    mentions: Json = [
        {"key": f"@_user_{n}", "name": f"P{n}", "id": {"open_id": f"ou_{n}"}} for n in range(1, 12)
    ]
    text = " ".join(f"@_user_{n}" for n in range(1, 12))
    assert resolve_mentions(text, mentions, "ou_1")[0] == " ".join(f"@P{n}" for n in range(2, 12))


async def test_a_post_is_markdown_with_its_files(world):
    rows = [
        [{"tag": "text", "text": "see "}, {"tag": "a", "text": "this", "href": "https://x.y"}],
        [{"tag": "code_block", "language": "PYTHON", "text": "a = 1\n"}],
        [{"tag": "emotion", "emoji_type": "SMILE"}],
        [{"tag": "img", "image_key": "img_v3_1"}, {"tag": "media", "file_key": "file_1", "image_key": "i"}],
    ]
    number = world.people.write_post(world.ann.chat, world.ann.open_id, rows, "Title")
    (message,) = await heard(world)
    assert message.text == "Title\n\nsee [this](https://x.y)\n```python\na = 1\n```\n:SMILE:"
    assert [file.handle for file in message.attachments] == [
        f"image:{number}:img_v3_1",
        f"file:{number}:file_1",
    ]


async def test_a_link_to_a_document_stays_a_link(world):
    page, wiki = "https://acme.feishu.cn/docx/Doxc123", "https://acme.feishu.cn/wiki/Wiki456?sheet=a"
    world.say(f"sum up {page}, please")
    row: Json = [{"tag": "text", "text": "and "}, {"tag": "a", "text": "Plan", "href": wiki}]
    world.people.write_post(world.ann.chat, world.ann.open_id, [row])
    first, second = await heard(world, 2)
    assert (first.text, second.text) == (f"sum up {page}, please", f"and [Plan]({wiki})")
    assert world.count("get", "list") == 0


@pytest.mark.parametrize(
    ("kind", "name", "seen"),
    [
        ("file", "report.pdf", ("file", "report.pdf", "application/pdf")),
        ("image", "x.png", ("image", "image.jpg", "image/jpeg")),
        ("audio", "x", ("audio", "voice.ogg", "audio/ogg")),
        ("media", "clip.mp4", ("video", "clip.mp4", "video/mp4")),
    ],
)
async def test_files_of_every_kind_are_attachments(world, kind, name, seen):
    world.people.send_file(world.ann.chat, world.ann.open_id, FeishuUpload(name, b"content", kind))
    (message,) = await heard(world)
    (file,) = message.attachments
    assert (file.kind, file.name, file.mime) == seen
    assert file.voice is (kind == "audio")
    assert await world.channel.fetch(file, world.folder / "in", 100) == 7


@pytest.mark.parametrize(
    ("kind", "content", "text"),
    [
        ("sticker", {"file_key": "f"}, "[sticker]"),
        ("merge_forward", {"content": "Merged and Forwarded Message"}, "[forwarded conversation"),
        ("location", {"name": "Café", "longitude": "1.5", "latitude": "2"}, "📍 Café, 2, 1.5"),
        ("interactive", {"title": "T", "elements": [[{"tag": "text", "text": "words"}]]}, "T\nwords"),
        ("vote", {"topic": "?"}, "[poll]"),
    ],
)
async def test_what_is_no_text_is_said_in_words(world, kind, content, text):
    world.people.send_raw(world.ann.chat, world.ann.open_id, kind, content)
    (message,) = await heard(world)
    assert message.text.startswith(text)


async def test_a_topic_is_a_conversation_and_its_opening_is_quoted_once(world):
    chat = world.group()
    opening = world.say("the budget", chat)
    for text in ("@Parley what about it?", "@Parley and now?"):
        world.say(text, chat, reply_to=opening, in_thread=True)
    messages = await heard(world, 3)
    thread = world.people.messages(chat)[0].thread
    assert [message.conversation.topic for message in messages] == [None, thread, thread]
    assert [message.quoted for message in messages] == ["", "the budget", ""]


async def test_in_a_topic_group_every_message_opens_a_topic(world):
    chat = world.group(kind="topic_group")
    world.say("@Parley hello", chat)
    (message,) = await heard(world)
    assert message.conversation.topic == world.people.messages(chat)[0].thread


async def test_a_file_that_is_answered_comes_along(world):
    chat = world.group()
    file = world.people.send_file(chat, world.ann.open_id, FeishuUpload("plan.txt", b"the plan"))
    world.say("@Parley what is in it?", chat, reply_to=file)
    _, message = await heard(world, 2)
    (attached,) = message.attachments
    assert await world.channel.fetch(attached, world.folder / "in", 100) == 8


async def test_a_card_of_ours_from_another_process_is_quoted_in_full(world):
    chat = world.group()
    card = {"schema": "2.0", "body": {"elements": [{"tag": "markdown", "content": "my answer"}]}}
    with world.sim.world.changed:
        place = world.sim.world.chats[chat]
        ours = world.sim.world.post(place, world.sim.world.bot, "interactive", card)
    world.say("why?", chat, reply_to=ours.id)
    (message,) = await heard(world)
    assert (message.quoted, message.addressed) == ("my answer", True)


async def test_an_unknown_quote_makes_unaddressed_talk_come_again(world):
    chat = world.group()
    opening = world.say("@Parley begin", chat)
    world.faults.refuse_next(["get"], 1500, "busy", 502, times=2)
    world.say("perhaps for the bot", chat, reply_to=opening)
    _, message = await heard(world, 2)
    assert (message.quoted, message.addressed) == ("begin", False)


async def test_what_may_not_be_looked_up_is_left_out(world):
    world.sim.world.denied |= {"contact:user.base:readonly", "im:message:readonly"}
    opening = world.say("one")
    world.say("two", reply_to=opening)
    first, second = await heard(world, 2)
    assert (first.sender.name, second.text) == ("", "two")
    assert second.quoted.startswith(
        "[it could not be opened: the bot's app lacks the scope im:message:readonly"
    )


@pytest.mark.parametrize("scope", ["contact:contact.base:readonly", "contact:user.base:readonly"])
async def test_names_take_the_scope_of_the_call_and_that_of_the_field(world, scope):
    world.sim.world.denied.add(scope)
    world.say("one")
    assert [each.sender.name for each in await heard(world, 1)] == [""]


async def test_a_reply_to_what_was_said_before_a_restart_needs_no_mention(world):
    chat = world.group()
    question = world.say("@Parley begin", chat)
    await world.reply(Notes(), chat=chat, reply_to=question).finish(snapshot("done", final=True))
    world.say("go on", chat, reply_to=world.seen(chat)[0].id)
    inbox = KeepingInbox()
    async with listening(world.another_channel(), inbox):
        _, message = await inbox.first(2)
    assert (message.text, message.addressed) == ("go on", True)


async def test_who_replies_to_what_a_program_posted_as_the_app_is_answered(world):
    chat, app = world.group(), {"app_id": world.sim.world.app_id, "app_secret": world.sim.world.secret}
    async with httpx.AsyncClient(base_url=f"{world.sim.url}/open-apis", trust_env=False) as program:
        token = (await program.post("/auth/v3/tenant_access_token/internal", json=app)).json()
        post = {"receive_id": chat, "msg_type": "text", "content": '{"text": "The build failed."}'}
        bearer = {"authorization": f"Bearer {token['tenant_access_token']}"}
        where = "/im/v1/messages?receive_id_type=chat_id"
        posted = (await program.post(where, json=post, headers=bearer)).json()["data"]["message_id"]
    world.say("why?", chat, reply_to=posted)
    (message,) = await heard(world, 1)
    assert (message.text, message.addressed, message.quoted) == ("why?", True, "The build failed.")


async def test_slow_lookups_do_not_hold_a_message_up(world):
    world.faults.slow_next(["user", "get"], 30, times=2)
    opening = world.say("one")
    world.say("two", reply_to=opening)
    async with asyncio.timeout(patience(10)):
        assert [message.text for message in await heard(world, 2)] == ["one", "two"]


async def test_people_of_other_tenants_may_not_talk_unless_named(tmp_path):
    with FeishuSimulator(timing=QUICK) as sim:
        eve, guest = sim.people.add_person("Eve", "elsewhere"), sim.people.add_person("Guest", "elsewhere")
        channel = make_channel(sim, tmp_path, allowed_users=["*", guest.open_id])
        world = World(sim, guest, channel, tmp_path)
        sim.people.say(eve.chat, eve.open_id, "let me in")
        world.say("I am invited")
        (message,) = await heard(world)
        await world.until(lambda: sim.people.unacknowledged() == 0)
    assert message.text == "I am invited"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_ROW = [{"tag": "at", "user_id": "@_user_1"}, {"tag": "img", "image_key": "k"}]
_EVENT = {
    "schema": "2.0",
    "header": {"event_id": "e", "event_type": "im.message.receive_v1", "tenant_key": "t"},
    "event": {
        "sender": {"sender_id": {"open_id": "ou_1"}, "sender_type": "user", "tenant_key": "t"},
        "message": {
            "message_id": "om_1",
            "root_id": "om_0",
            "parent_id": "om_0",
            "thread_id": "omt_1",
            "create_time": "1722238025751",
            "chat_id": "oc_1",
            "chat_type": "group",
            "message_type": "post",
            "content": json.dumps({"title": "t", "content": [_ROW]}),
            "mentions": [{"key": "@_user_1", "id": {"open_id": "ou_bot"}, "name": "Parley"}],
        },
    },
}
_KINDS = ("text", "post", "image", "file", "audio", "media", "sticker", "interactive", "location", "system")


def _paths(value, path=()):
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _paths(inner, (*path, key))


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(list(_paths(_EVENT))[1:]), values, values, st.sampled_from(_KINDS))
def test_whatever_stands_anywhere_in_an_event_it_is_read_or_skipped(path, value, content, kind):
    event = json.loads(json.dumps(_EVENT))
    event["event"]["message"] |= {"content": json.dumps(content), "message_type": kind}
    inner = event
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    found = parse_or_skip(json.dumps(event).encode(), "ou_bot")
    if found is not None:
        found.text.encode()
        assert found.id
        assert found.conversation.key


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_skipped(payload):
    assert parse_or_skip(payload, "ou_bot") is None


def test_the_sound_event_is_read():
    found = parse_event(json.dumps(_EVENT).encode(), "ou_bot")
    assert found is not None
    assert (found.addressed, found.text, found.conversation.key) == (True, "t", "feishu:oc_1:omt_1")
