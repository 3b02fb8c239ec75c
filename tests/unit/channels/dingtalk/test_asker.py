"""What reaches who asked: mentions, reactions, quotes of our answers, guests, and an unpublished app."""

import asyncio
import logging
from dataclasses import replace

import pytest

from parley.app.supervision.channel_names import named_message
from parley.channels.dingtalk.user_lookup import EXTERNAL_ID_PREFIX
from parley.core.model.types import ReplyTarget
from tests.kit.platforms.dingtalk_channel import KeepingInbox, Notes, listening, snapshot
from tests.kit.platforms.heard_calls import hearing_calls
from tests.kit.waiting import until


def target_of(message, turn="turn-1") -> ReplyTarget:
    return ReplyTarget(turn, message.conversation, message.id, message.sender, message.private)


async def test_a_plain_answer_in_a_group_mentions_who_asked_once(world):
    inbox, group = KeepingInbox(), world.people.add_group("Team", [world.alice.id])
    async with listening(world.channel, inbox):
        world.people.say(group, world.alice.id, "@Parley hello")
        (message,) = await inbox.first()
        reply = world.channel.open_reply(target_of(message), Notes())
        await reply.finish(snapshot("word " * 4000, final=True))
    first, *rest = [each for each in world.people.messages(group) if each.from_robot]
    assert first.mentions == (world.alice.id,)
    assert rest
    assert not any(each.mentions for each in rest)


async def test_a_card_in_a_group_mentions_who_asked(world):
    channel, inbox = world.carded(), KeepingInbox()
    group = world.people.add_group("Team", [world.alice.id])
    async with listening(channel, inbox):
        world.people.say(group, world.alice.id, "@Parley hello")
        (message,) = await inbox.first()
        await channel.open_reply(target_of(message), Notes()).finish(snapshot("hi", final=True))
    (card,) = [each for each in world.people.messages(group) if each.from_robot]
    assert card.mentions == (world.alice.id,)


@pytest.mark.parametrize("carded", [True, False])
async def test_who_presses_a_suggestion_is_mentioned_and_not_who_wrote(world, carded):
    channel, inbox = world.carded() if carded else world.channel, KeepingInbox()
    bob = world.people.add_person("Bob")
    group = world.people.add_group("Team", [world.alice.id, bob.id])
    async with listening(channel, inbox):
        world.people.say(group, world.alice.id, "@Parley hello")
        (message,) = await inbox.first()
        pressed = replace(target_of(message), asker=replace(message.sender, id=bob.id, name="Bob"))
        await channel.open_reply(pressed, Notes()).finish(snapshot("hi", final=True))
        guest = replace(pressed, turn_id="turn-2", asker=replace(pressed.asker, id=f"{EXTERNAL_ID_PREFIX}x"))
        await channel.open_reply(guest, Notes()).finish(replace(snapshot("hi", final=True), turn_id="turn-2"))
    answers = [each for each in world.people.messages(group) if each.from_robot]
    assert [each.mentions for each in answers] == [(bob.id,), ()]


async def test_an_answer_goes_without_a_mention_where_the_asker_is_not_known_or_that_is_refused(world):
    inbox, group = KeepingInbox(), world.people.add_group("Team", [world.alice.id])
    await world.channel.open_reply(world.target(group), Notes()).finish(snapshot("one", final=True))
    async with listening(world.channel, inbox):
        world.people.say(group, world.alice.id, "@Parley hello")
        (message,) = await inbox.first()
        world.sim.faults.fail_next("sendBySession", 400)
        reply = world.channel.open_reply(target_of(message), Notes())
        await reply.finish(snapshot("two", final=True))
    assert world.answers(group) == ("one", "two")


async def test_a_reaction_stands_until_the_plain_answer_is_there(world):
    inbox, channel = KeepingInbox(), world.channel
    with hearing_calls() as heard:
        async with listening(channel, inbox):
            number = world.say("hello")
            (message,) = await inbox.first()
            reply = channel.open_reply(target_of(message), Notes())
            await reply.show(snapshot(""))
            await world.until(lambda: world.people.messages(world.alice.id)[0].reactions == ("🤔思考中",))
            await reply.finish(snapshot("hi", final=True))
            await world.until(lambda: world.people.messages(world.alice.id)[0].reactions == ())
            # It is taken away in the background.
            await until(lambda: "/v1.0/robot/emotion/recall" in heard.answered, "the reaction is taken away")
    assert world.people.messages(world.alice.id)[0].id == number
    assert world.answers() == ("hi",)


async def test_where_cards_grow_or_receipts_are_off_nothing_is_reacted_to(world):
    for channel in (world.carded(), world.another_channel(receipt="off")):
        inbox = KeepingInbox()
        async with listening(channel, inbox):
            world.say("hello")
            (message,) = await inbox.first()
            reply = channel.open_reply(target_of(message, message.id), Notes())
            await reply.show(snapshot(""))
            await reply.finish(snapshot("hi", final=True))
    assert world.sim.calls("react") == ()


@pytest.mark.parametrize("name", ["dingtalk", "support"])
async def test_a_quote_of_our_own_card_brings_what_the_card_says(world, name):
    """The core opens replies in places of the channel's own name."""
    channel, inbox = world.carded(name=name), KeepingInbox()
    async with listening(channel, inbox):
        world.say("hello")
        message = named_message(name, (await inbox.first())[0])
        await channel.open_reply(target_of(message), Notes()).finish(snapshot("the answer", final=True))
        card = world.people.messages(world.alice.id)[-1]
        world.say("why?", reply_to=card.id)
        _, quote = await inbox.first(2)
    assert (quote.text, quote.quoted) == ("why?", "the answer")


async def test_a_quote_that_names_a_message_only_brings_what_somebody_wrote(world):
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        number = world.say("the plan is X")
        (first,) = await inbox.first()
        data = {
            "msgId": "q1",
            "msgtype": "text",
            "text": {"content": "and this?", "isReplyMsg": True},
            "originalMsgId": number,
            "conversationType": "1",
            "senderStaffId": first.sender.id,
            "createAt": 1,
        }
        world.people.inject(data)
        _, quote = await inbox.first(2)
    assert quote.quoted == "the plan is X"


async def test_a_guest_is_answered_in_private_by_the_address_of_their_message(world):
    guest = world.people.add_person("Gus", external=True)
    channel, inbox = world.another_channel(allowed_users=(guest.id,)), KeepingInbox()
    async with listening(channel, inbox):
        world.people.say(guest.id, guest.id, "hello")
        (message,) = await inbox.first()
        await channel.open_reply(target_of(message), Notes()).finish(snapshot("hi", final=True))
    assert world.answers(guest.id) == ("hi",)


async def test_an_unpublished_app_is_named_in_the_log_and_to_who_wrote(world, caplog):
    caplog.set_level(logging.INFO)
    world.people.publish(False)
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        world.say("hello?")
        world.say("hello??")
        await world.until(world.answers)
        await asyncio.sleep(0)
    assert inbox.messages == []
    (told,) = world.answers()
    assert "has no published version" in told
    assert "还没有发布版本" in told
    warnings = [line for line in caplog.messages if "version of the app is published" in line]
    assert len(warnings) == 1


async def test_a_connected_channel_says_that_its_app_is_unpublished_until_a_published_one_is_heard(world):
    world.people.publish(False)
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        assert world.channel.trouble == ""
        world.say("hello?")
        await until(lambda: "messages come without senderStaffId" in world.channel.trouble, "it is noticed")
        world.people.publish(True)
        world.say("hello!")
        await inbox.first()
        assert world.channel.trouble == ""


async def test_a_forwarded_address_that_is_not_dingtalks_is_never_called(world):
    origins = world.channel._replies.origins
    origins.remember(
        {"msgId": "m", "sessionWebhook": "https://evil.example/x", "sessionWebhookExpiredTime": 9e15}
    )
    assert origins.webhook("m") == ""
    kept = origins.get("m")
    assert kept is not None
    assert replace(kept, words="") == kept


async def test_a_message_that_waits_carries_a_reaction_until_its_card_is_there(world):
    inbox, channel = KeepingInbox(), world.carded()
    with hearing_calls() as heard:
        async with listening(channel, inbox):
            world.say("hello")
            (message,) = await inbox.first()
            waiting = channel.open_reply(target_of(message), Notes())
            await waiting.show_waiting(waits=True)
            await world.until(lambda: world.people.messages(world.alice.id)[0].reactions == ("🤔思考中",))
            reply = channel.open_reply(target_of(message), Notes())
            await reply.show(snapshot("so far"))
            await world.until(lambda: world.people.messages(world.alice.id)[0].reactions == ())
            await reply.show(snapshot("so far, and further"))
            await reply.finish(snapshot("all of it", final=True))
            await waiting.show_waiting(waits=False)
            await until(lambda: "/v1.0/robot/emotion/recall" in heard.answered, "the reaction is taken away")
    assert heard.answered.count("/v1.0/robot/emotion/recall") == 1


async def test_a_card_without_a_wait_needs_no_reaction(world):
    inbox, channel = KeepingInbox(), world.carded()
    with hearing_calls() as heard:
        async with listening(channel, inbox):
            world.say("hello")
            (message,) = await inbox.first()
            reply = channel.open_reply(target_of(message), Notes())
            await reply.show(snapshot("so far"))
            await reply.finish(snapshot("all of it", final=True))
    assert not [call for call in heard.answered if "emotion" in call]
