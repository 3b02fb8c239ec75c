"""Receipts: a reaction on the message while it is being answered, and never in the way."""

import pytest

from tests.kit.platforms.feishu_channel import KeepingInbox, Notes, listening, snapshot


def reactions(world, message):
    return next(each.reactions for each in world.people.messages(world.ann.chat) if each.id == message)


async def test_a_message_carries_a_pen_until_its_answer_is_there(world):
    question = world.say("hello")
    world.people.react(question, world.ann.open_id, "THUMBSUP")
    async with listening(world.channel, KeepingInbox()):
        reply = world.reply(Notes(), reply_to=question)
        await reply.show(snapshot("Hel"))
        await world.until(lambda: reactions(world, question) == ("THUMBSUP", "Typing"))
        await reply.finish(snapshot("Hello"))
        await world.until(lambda: reactions(world, question) == ("THUMBSUP",))
    assert world.answers() == ["Hello"]


async def test_the_reaction_of_an_earlier_process_is_found_and_taken_away(world):
    question, notes = world.say("hello"), Notes()
    async with listening(world.channel, KeepingInbox()):
        await world.reply(notes, reply_to=question).show(snapshot("Hel"))
        await world.until(lambda: reactions(world, question) == ("Typing",))
    world.people.react(question, world.ann.open_id, "Typing")
    channel = world.another_channel()
    async with listening(channel, KeepingInbox()):
        await world.reply(notes, channel, reply_to=question, handle=notes.last).finish(snapshot("Hello"))
        await world.until(lambda: world.count("reaction.remove"))
    assert reactions(world, question) == ("Typing",)
    assert world.answers() == ["Hello"]


@pytest.mark.parametrize("code", [99991672, 231001, 231002, 231003, 231015, 230110, 1])
async def test_what_feishu_refuses_of_it_is_in_nobodys_way(world, code):
    world.faults.refuse_next(["reaction.add", "reaction.list", "reaction.remove"], code, times=100)
    question = world.say("hello")
    async with listening(world.channel, KeepingInbox()):
        reply = world.reply(Notes(), reply_to=question)
        await reply.show(snapshot("Hel"))
        await world.until(lambda: world.count("reaction.add"))
        await reply.finish(snapshot("Hello"))
    assert world.answers() == ["Hello"]
    assert reactions(world, question) == ()


async def test_a_question_that_was_recalled_is_left_alone(world):
    question = world.say("hello")
    async with listening(world.channel, KeepingInbox()):
        reply = world.reply(Notes(), reply_to=question)
        await reply.show(snapshot("Hel"))
        await world.until(lambda: reactions(world, question) == ("Typing",))
        world.people.recall(question)
        await reply.finish(snapshot("Hello"))
        await world.until(lambda: world.count("reaction.remove"))
    assert [call.code for call in world.sim.calls("reaction.remove")] == [231003]


async def test_what_is_no_message_gets_none(world):
    async with listening(world.channel, KeepingInbox()):
        reply = world.reply(Notes(), reply_to="a-button-4")
        await reply.show(snapshot("Hel"))
        await reply.finish(snapshot("Hello"))
        question = world.say("hello")
        await world.reply(Notes(), reply_to=question).show(snapshot("Hel"))
        await world.until(lambda: reactions(world, question) == ("Typing",))
    assert world.count("reaction.add") == 1


async def test_with_the_setting_off_there_is_none_and_no_scope_is_wanted(world):
    world.sim.world.denied.add("im:message.reactions:write_only")
    assert "im:message.reactions:write_only" in str((await world.channel.preflight()).lacking)
    channel = world.another_channel(receipt="off")
    assert (await channel.preflight()).lacking == ()
    async with listening(channel, KeepingInbox()):
        reply = world.reply(Notes(), channel, reply_to=world.say("hello"))
        await reply.show(snapshot("Hel"))
        await reply.finish(snapshot("Hello"))
    assert not world.count("reaction.add", "reaction.remove", "reaction.list")


async def test_a_message_that_waits_carries_it_already(world):
    question = world.say("hello")
    async with listening(world.channel, KeepingInbox()):
        await world.reply(Notes(), reply_to=question).show_waiting(waits=True)
        await world.until(lambda: reactions(world, question) == ("Typing",))
        reply = world.reply(Notes(), reply_to=question)
        await reply.show(snapshot("Hel"))
        await reply.finish(snapshot("Hello"))
        await world.until(lambda: reactions(world, question) == ())
        await world.until(lambda: world.count("reaction.remove"))
    assert world.count("reaction.add") == world.count("reaction.remove") == 1
