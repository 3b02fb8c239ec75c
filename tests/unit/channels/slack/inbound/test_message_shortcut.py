"""The shortcut "Ask about this": a form, a question in the message's thread, the message as quoted words."""

import json

import pytest

from parley.channels.slack.inbound.message_shortcut import AskedMessage
from parley.channels.slack.manifest import ASK_SHORTCUT
from tests.kit.platforms.slack_channel import KeepingInbox, listening

FIELD = "Your question"


async def asked(world, chat: str, ts: str, question: str, inbox=None):
    inbox = inbox or KeepingInbox()
    async with listening(world.channel(), inbox):
        world.people.use_shortcut(chat, world.alice.id, ts, ASK_SHORTCUT)
        await world.until(lambda: world.people.modal(world.alice.id))
        world.people.submit(world.alice.id, **{FIELD: question})
        await world.until(lambda: world.people.modal(world.alice.id) is None)
    return inbox.messages


async def test_the_question_stands_in_the_messages_thread_and_has_its_words(world):
    bob = world.people.add_person("Bob")
    chat = world.people.add_channel("team", [world.alice.id, bob.id])
    ts = world.past(chat, bob.id, "the build is red & slow")
    (message,) = await asked(world, chat, ts, "why <!channel>?")
    assert (message.text, message.quoted) == ("why <!channel>?", "Bob: the build is red & slow")
    assert (message.conversation.chat, message.conversation.topic) == (chat, ts)
    assert (message.addressed, message.private, message.chat_kind) == (True, False, "channel")
    (shown,) = (each for each in world.people.messages(chat, ts) if each.from_bot)
    assert message.id == f"{chat}:{shown.ts}"
    assert shown.text.startswith("Alice asks about this message:")


async def test_where_the_app_is_not_it_answers_in_the_dm(world):
    chat = world.people.add_channel("team", [world.alice.id])
    ts = world.past(chat, world.alice.id, "the plan")
    world.people.close(chat, "not_in_channel")
    (message,) = await asked(world, chat, ts, "is it good?")
    (shown,) = (each for each in world.people.messages(world.alice.dm) if each.from_bot)
    assert (message.conversation.chat, message.conversation.topic) == (world.alice.dm, shown.ts)
    assert message.private
    assert message.quoted == "Alice: the plan"
    assert "the plan" in shown.text


async def test_a_question_that_cannot_be_shown_stays_in_the_form(world):
    chat = world.people.add_channel("team", [world.alice.id])
    ts, inbox = world.past(chat, world.alice.id, "the plan"), KeepingInbox()
    async with listening(world.channel(), inbox):
        world.people.use_shortcut(chat, world.alice.id, ts, ASK_SHORTCUT)
        await world.until(lambda: world.people.modal(world.alice.id))
        world.sim.faults.fail_next("chat.postMessage", "", status=502, times=1)
        world.people.submit(world.alice.id, **{FIELD: "why?"})
        await world.until(lambda: world.people.modal(world.alice.id).errors)
        assert inbox.messages == []
        world.people.submit(world.alice.id, **{FIELD: "why?"})
        assert (await inbox.first())[0].text == "why?"


async def test_a_guest_is_not_heard(world):
    gus, inbox = world.people.add_person("Gus", guest="one"), KeepingInbox()
    chat = world.people.add_channel("team", [gus.id])
    ts = world.past(chat, gus.id, "the plan")
    async with listening(world.channel(), inbox):
        world.people.use_shortcut(chat, gus.id, ts, ASK_SHORTCUT)
        await world.until(lambda: world.people.modal(gus.id))
        world.people.submit(gus.id, **{FIELD: "why?"})
        await world.until(lambda: world.people.modal(gus.id) is None)
    assert inbox.messages == []


@pytest.mark.parametrize("change", [{"message": None}, {"user": 5}, {"trigger_id": ""}, {"channel": {}}])
@pytest.mark.strange
async def test_a_shortcut_that_says_too_little_is_skipped(world, change):
    payload: dict[str, object] = {"type": "message_action", "callback_id": ASK_SHORTCUT, "trigger_id": "1.2"}
    payload |= {"user": {"id": world.alice.id}, "channel": {"id": "C1"}, "message": {"ts": "1.5"}}
    inbox = KeepingInbox()
    async with listening(world.channel(), inbox):
        world.people.inject(payload | change, "interactive")
        world.people.say(world.alice.dm, world.alice.id, "and now")
        assert (await inbox.first())[0].text == "and now"


def test_whatever_a_message_says_its_form_can_carry_it():
    hostile = AskedMessage("C1", "1.5", "\u4e2d" * 100, '\u4e2d"\\' * 1000)
    assert len(hostile.dump()) <= 3_000
    assert AskedMessage.load(hostile.dump()).author == hostile.author
    assert len(AskedMessage("C1", "1.5", "\u4e2d" * 10_000, "words").dump()) <= 3_000
    with pytest.raises(ValueError, match="values"):
        AskedMessage.load(json.dumps(["C1"]))
