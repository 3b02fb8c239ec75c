"""From an update to a message: who, where, for whom, and what was said."""

import copy
import random
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from telegram import Update

from parley.channels.telegram.inbound.update_handler import parse_or_skip
from parley.channels.telegram.inbound.update_parser import TelegramBotIdentity, parse_update
from parley.core.model.address import User
from parley.core.model.attachments import AttachmentKind
from parley.core.model.options import ChannelOptions
from parley.core.model.types import InboundMessage, Json, SessionSettings
from parley.simulator.telegram import TelegramSimulator, TelegramUpload
from parley.simulator.telegram.model import MediaKind
from tests.kit.platforms.telegram_channel import KeepingInbox, Notes, listening, snapshot

PNG = b"\x89PNG\r\n" + b"x" * 100


@pytest.fixture
def group(world):
    world.people.set_privacy(False)
    return world.people.add_group("Team", [world.alice.id])


async def heard(world, count=1):
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        return await inbox.first(count)


@pytest.mark.parametrize(
    ("said", "text", "addressed"),
    [
        ("good morning all", "good morning all", False),
        ("@parley_bot what time is it?", "what time is it?", True),
        ("@Parley_Bot, please", "please", True),
        ("😀👨‍👩‍👧‍👦 hey @parley_bot 😀 go", "😀👨‍👩‍👧‍👦 hey 😀 go", True),
        ("ask @parley_bot", "ask", True),
        ("@parley_bot\nline one\n  line two", "line one\n  line two", True),
        ("@someone_else hello", "@someone_else hello", False),
        ("mail me at a@parley_bot.org", "mail me at a@parley_bot.org", False),
        ("/new", "/new", True),
        ("/new@parley_bot now", "/new now", True),
        ("@parley_bot /status", "/status", True),
        ("@parley_bot", "@parley_bot", True),
    ],
)
async def test_in_a_group_we_are_addressed_by_our_name_or_a_command(world, group, said, text, addressed):
    world.people.say(group, world.alice.id, said)
    (message,) = await heard(world)
    assert (message.text, message.addressed, message.private) == (text, addressed, False)
    assert message.conversation.key == f"telegram:{group}"


async def test_a_command_for_another_bot_is_not_for_us(world, group):
    world.people.say(group, world.alice.id, "/new@other_bot")
    world.people.say(group, world.alice.id, "next")
    assert (await heard(world))[0].text == "next"


async def test_a_reply_to_our_message_stays_in_the_conversation_and_is_addressed(world, group):
    reply = world.channel.open_reply(world.target(group), Notes())
    await reply.finish(snapshot("The answer is 42."))
    ours = world.people.messages(group)[-1].id
    world.people.say(group, world.alice.id, "why?", reply_to=ours)
    (message,) = await heard(world)
    assert (message.addressed, message.quoted) == (True, "The answer is 42.")
    assert message.conversation.topic is None


async def test_what_a_person_quoted_comes_along(world, group):
    first = world.people.say(group, world.alice.id, "a long story")
    world.people.say(group, world.alice.id, "@parley_bot sum up", reply_to=first)
    world.people.say(group, world.alice.id, "@parley_bot this?", reply_to=first, quote="story")
    world.people.say(group, world.alice.id, "@parley_bot", reply_to=first)
    messages = await heard(world, 4)
    assert [message.quoted for message in messages] == ["", "a long story", "story", "a long story"]
    assert messages[3].text == ""


async def test_topics_are_conversations_and_their_opening_is_no_reply(world):
    world.people.set_privacy(False)
    forum = world.people.add_group("Forum", [world.alice.id], forum=True)
    billing = world.people.add_topic(forum, "Billing", world.alice.id)
    world.people.say(forum, world.alice.id, "@parley_bot in billing", topic=billing)
    world.people.say(forum, world.alice.id, "@parley_bot in general")
    in_topic, in_general = await heard(world, 2)
    assert in_topic.conversation.topic == str(billing)
    assert in_topic.quoted == ""
    assert in_general.conversation.topic is None


async def test_an_album_is_one_group_with_its_caption(world):
    files = [
        TelegramUpload("a.png", PNG, "image/png", "photo"),
        TelegramUpload("b.png", PNG, "image/png", "photo"),
    ]
    world.people.send_album(world.alice.id, world.alice.id, files, "my cats")
    first, second = await heard(world, 2)
    assert first.group == second.group != ""
    assert (first.text, second.text) == ("my cats", "")
    assert [m.attachments[0].kind for m in (first, second)] == [AttachmentKind.IMAGE] * 2


@pytest.mark.parametrize(
    ("upload", "kind", "name", "mime"),
    [
        (TelegramUpload("cat.png", PNG, "image/png", "photo"), AttachmentKind.IMAGE, "photo_", "image/jpeg"),
        (
            TelegramUpload("../a/r.pdf", b"pdf", "application/pdf"),
            AttachmentKind.FILE,
            "r.pdf",
            "application/pdf",
        ),
        (TelegramUpload("cat.png", PNG, "image/png"), AttachmentKind.IMAGE, "cat.png", "image/png"),
        (TelegramUpload("v", b"ogg", "audio/ogg", "voice"), AttachmentKind.AUDIO, "voice.ogg", "audio/ogg"),
        (TelegramUpload("s.mp3", b"mp3", "audio/mpeg", "audio"), AttachmentKind.AUDIO, "s.mp3", "audio/mpeg"),
        (TelegramUpload("f.mp4", b"mp4", "video/mp4", "video"), AttachmentKind.VIDEO, "f.mp4", "video/mp4"),
        (
            TelegramUpload("n", b"mp4", "video/mp4", "video_note"),
            AttachmentKind.VIDEO,
            "video.mp4",
            "video/mp4",
        ),
        (
            TelegramUpload("g.mp4", b"mp4", "video/mp4", "animation"),
            AttachmentKind.VIDEO,
            "g.mp4",
            "video/mp4",
        ),
    ],
)
async def test_files_come_with_their_kind_name_and_size(world, upload, kind, name, mime):
    world.people.send_file(world.alice.id, world.alice.id, upload, "look")
    (message,) = await heard(world)
    (attachment,) = message.attachments
    assert message.text == "look"
    assert (attachment.kind, attachment.mime, attachment.size) == (kind, mime, len(upload.content))
    assert attachment.name.startswith(name)


async def test_a_sticker_is_its_emoji(world):
    world.people.send_file(
        world.alice.id, world.alice.id, TelegramUpload("s", b"webp", "image/webp", "sticker")
    )
    assert (await heard(world))[0].text == "👍"


async def test_a_poll_is_its_question_and_its_options(world):
    sender = {"id": world.alice.id, "is_bot": False, "first_name": "Alice"}
    chat = {"id": world.alice.id, "type": "private", "first_name": "Alice"}
    options = [{"persistent_id": n, "text": n, "voter_count": 0} for n in ("Pizza", "Pasta")]
    poll = {
        "id": "1",
        "question": "Lunch?",
        "options": options,
        "total_voter_count": 0,
        "is_closed": False,
        "is_anonymous": True,
        "type": "regular",
        "allows_multiple_answers": False,
        "allows_revoting": True,
        "members_only": False,
    }
    world.people.inject({"message": {"message_id": 9, "date": 1, "chat": chat, "from": sender, "poll": poll}})
    assert (await heard(world))[0].text == "📊 Lunch?\n- Pizza\n- Pasta"


async def test_a_sticker_without_an_emoji_is_not_silence(world):
    bare = {"file_id": "s", "file_unique_id": "u", "type": "regular", "width": 9, "height": 9}
    chat = {"id": world.alice.id, "type": "private", "first_name": "Alice"}
    sender = {"id": world.alice.id, "is_bot": False, "first_name": "Alice"}
    sticker = bare | {"is_animated": True, "is_video": False}
    world.people.inject(
        {"message": {"message_id": 9, "date": 1, "chat": chat, "from": sender, "sticker": sticker}}
    )
    assert (await heard(world))[0].text == "[sticker]"


async def test_the_stop_button_of_a_draft_says_stop_in_its_conversation(world):
    await world.channel.open_reply(world.target(), Notes()).show(snapshot("writing"))
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        await world.until(lambda: world.sim.is_polled)
        world.people.stop(world.alice.id)
        (message,) = await inbox.first()
    assert (message.text, message.addressed, message.private) == ("/stop", True, True)
    assert message.conversation.key == f"telegram:{world.alice.id}"
    assert message.sender.id == str(world.alice.id)
    assert message.sent_at > 0


async def test_an_edit_says_which_message_it_changes(world):
    number = world.say("first")
    world.people.edit(world.alice.id, number, "again")
    world.people.edit(world.alice.id, number, "and again")
    first, *changed = await heard(world, 3)
    assert [each.edits for each in changed] == [first.id] * 2
    assert len({first.id, *(each.id for each in changed)}) == 3
    assert [each.text for each in changed] == ["again", "and again"]
    assert all(each.conversation == first.conversation for each in changed)
    assert all(each.sent_at >= first.sent_at for each in changed)


async def test_an_edit_in_a_topic_of_a_group_is_ours_where_it_calls_us(world):
    world.people.set_privacy(False)
    forum = world.people.add_group("Forum", [world.alice.id], forum=True)
    topic = world.people.add_topic(forum, "T", world.alice.id)
    number = world.people.say(forum, world.alice.id, "@parley_bot tow", topic=topic)
    world.people.edit(forum, number, "@parley_bot two")
    world.people.edit(forum, number, "two")
    first, second, third = await heard(world, 3)
    assert first.conversation == second.conversation == third.conversation
    assert [each.addressed for each in (first, second, third)] == [True, True, False]
    assert [each.text for each in (second, third)] == ["two", "two"]


async def test_a_place_that_moves_says_nothing_new(world):
    chat = {"id": world.alice.id, "type": "private", "first_name": "Alice"}
    human = {"id": world.alice.id, "is_bot": False, "first_name": "A"}
    place = {"latitude": 1.5, "longitude": 2.5, "live_period": 60}
    base = {"message_id": 77, "from": human, "date": 1, "chat": chat, "location": place}
    world.people.inject({"message": base})
    world.people.inject({"edited_message": base | {"edit_date": 5}})
    world.say("last")
    assert [message.edits for message in await heard(world, 2)] == ["", ""]


async def test_bots_channels_and_service_messages_are_left_alone(world):
    world.say("first")
    chat = {"id": world.alice.id, "type": "private", "first_name": "Alice"}
    human = {"id": 5, "is_bot": False, "first_name": "A"}
    bot = {"id": 6, "is_bot": True, "first_name": "B"}
    base = {"date": 1, "chat": chat, "text": "x"}
    world.people.inject({"message": {"message_id": 901, "from": bot, **base}})
    world.people.inject({"message": {"message_id": 902, **base}})
    joined = {"message_id": 903, "from": human, "date": 1, "chat": chat, "new_chat_members": [bot]}
    world.people.inject({"message": joined})
    world.people.inject({"message": {"message_id": 904, "from": human, "is_automatic_forward": True, **base}})
    channel = {"id": -1, "type": "channel", "title": "News"}
    world.people.inject({"channel_post": {"message_id": 905, "date": 1, "chat": channel, "text": "x"}})
    world.say("last")
    assert [message.text for message in await heard(world, 2)] == ["first", "last"]


def _samples():
    """Updates as the simulated platform makes them, one of each kind."""
    with TelegramSimulator() as sim:
        people, me = sim.people, sim.people.add_person("Alice")
        people.set_privacy(False)
        forum = people.add_group("F", [me.id], forum=True)
        topic = people.add_topic(forum, "T", me.id)
        first = people.say(forum, me.id, "@parley_bot /x@parley_bot https://a.b", topic=topic)
        people.say(forum, me.id, "hi", reply_to=first, topic=topic, quote="x")
        for kind in get_args(MediaKind):
            people.send_file(me.id, me.id, TelegramUpload("n", b"\x89PNG", "a/b", kind), "c @parley_bot")
        people.upgrade(people.add_group("G", [me.id], "group"))
        chat: Json = {"id": me.id, "type": "private", "first_name": "Alice"}
        stop = {"chat": chat, "draft_id": 7, "message_thread_id": 8}
        people.inject({"stopped_message_generation": stop})
        return copy.deepcopy(sim.world.waiting)


SAMPLES = _samples()
JUNK: list[object] = [
    None,
    True,
    -1,
    0,
    10**40,
    1.5,
    "",
    "\ud83d",
    "x" * 50,
    [],
    [None],
    [[]],
    {},
    {"id": 1},
    "private",
]


def _mutated(update, rng):
    """The update with up to four of its values, at any depth, replaced, dropped or doubled."""
    update = copy.deepcopy(update)
    for _ in range(rng.randint(1, 4)):
        holder = update
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(holder[key], dict | list) and rng.random() < 0.7:
                holder = holder[key]
                continue
            if rng.random() < 0.2:
                del holder[key]
            else:
                holder[key] = copy.deepcopy(rng.choice(JUNK))
            break
    return update


@given(st.sampled_from(SAMPLES), st.integers(0, 2**32))
@settings(max_examples=1500, deadline=None)
def test_no_mutated_update_raises_and_what_passes_can_be_stored(update, seed):
    message = parse_or_skip(
        _mutated(update, random.Random(seed)), TelegramBotIdentity(100200300, "parley_bot"), 1.0
    )
    if isinstance(message, InboundMessage):
        texts = (message.text, message.quoted, message.sender.name, *(a.name for a in message.attachments))
        assert all(text.encode() is not None for text in texts)


GROUP = {"id": -1001, "type": "supergroup", "title": "Ops"}
OTHER_BOT = {"id": 4711, "is_bot": True, "first_name": "Pager", "username": "pager_bot"}
NEWS = {"id": -1002, "type": "channel", "title": "News", "username": "our_news"}
SERVICE = {"id": 777000, "is_bot": False, "first_name": "Telegram"}


def spoken_by(bots, **parts):
    """What is heard of a message in a group where these bots are let in."""
    message = {"message_id": 9, "date": 1, "chat": GROUP, "text": "disk full", **parts}
    update = Update.de_json({"update_id": 1, "message": message}, None)
    options = ChannelOptions(SessionSettings("agent"), bots=frozenset(bots))
    return parse_update(update, TelegramBotIdentity(99, "parley_bot"), 1.0, options.at)


@pytest.mark.parametrize("name", ["4711", "@pager_bot", "*"])
def test_a_bot_of_the_list_is_heard(name):
    message = spoken_by([name], **{"from": OTHER_BOT})
    assert message.sender == User("telegram", "4711", "Pager", bot="@pager_bot")
    assert spoken_by(["4712", "pager_bot"], **{"from": OTHER_BOT}) is None
    assert spoken_by(["*", "99"], **{"from": OTHER_BOT | {"id": 99}}) is None


@pytest.mark.parametrize("name", ["-1002", "@our_news"])
def test_a_post_of_a_channel_of_the_list_is_heard_in_its_discussion_group(name):
    post = {"from": SERVICE, "sender_chat": NEWS, "is_automatic_forward": True}
    message = spoken_by([name], **post)
    assert message.sender == User("telegram", "-1002", "News", bot="@our_news")
    assert spoken_by([], **post) is None
