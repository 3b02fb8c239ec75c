"""Answers in chats that the bot is no member of: one message that is there at once, and grows."""

from dataclasses import replace

import pytest

from parley.channels.telegram.inbound.update_parser import GUEST
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import DeliveryRejected
from parley.core.model.questions import Option, Question
from parley.core.model.types import Step, StepStatus
from tests.kit.platforms.telegram_channel import KeepingInbox, Notes, listening, snapshot


@pytest.fixture
def elsewhere(world):
    chat = world.people.add_group("Elsewhere", [world.alice.id])
    world.people.remove_bot(chat)
    return chat


def called(world, elsewhere, handle=""):
    query = world.people.call_as_guest(elsewhere, world.alice.id, "@parley_bot what is up?")
    return replace(world.target(elsewhere, handle=handle), reply_to=f"{GUEST}:{query}")


async def test_who_calls_the_bot_is_heard_in_a_conversation_of_its_own(world, elsewhere):
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        # Two people's private chat may have the number of one of the bot's own.
        for chat in (elsewhere, world.alice.id):
            world.people.call_as_guest(chat, world.alice.id, "@parley_bot what is up?")
        first, second = await inbox.first(2)
    for message, chat in ((first, elsewhere), (second, world.alice.id)):
        assert (message.text, message.addressed, message.private) == ("what is up?", True, False)
        assert (message.conversation.chat, message.conversation.topic) == (str(chat), GUEST)
    assert first.id != second.id


async def test_the_answer_is_one_message_that_is_there_at_once_and_grows(world, elsewhere):
    notes = Notes()
    target = called(world, elsewhere)
    reply = world.channel.open_reply(target, notes)
    await reply.show(snapshot(""))
    assert world.answers(elsewhere) == ("Is answering …",)
    await reply.show(snapshot("Not", steps=(Step("1", "look", StepStatus.RUNNING),)))
    await reply.show(snapshot("Not **much**"))
    assert world.answers(elsewhere) == ("Not much",)
    again = world.channel.open_reply(replace(target, handle=notes.last), Notes())
    receipt = await again.finish(snapshot("Not **much** here.", final=True))
    assert world.answers(elsewhere) == ("Not much here.",)
    assert len(receipt.message_ids) == 1
    assert not receipt.doubtful


async def test_what_has_no_room_is_said(world, elsewhere):
    files = (StoredFile(AttachmentKind.FILE, "a.pdf", "application/pdf", 3, "/none"),)
    reply = world.channel.open_reply(called(world, elsewhere), Notes())
    await reply.finish(snapshot("**word** " * 2000, attachments=files, final=True))
    (answer,) = world.answers(elsewhere)
    assert answer.startswith("word word")
    assert "The rest has no room here." in answer
    assert answer.endswith("a.pdf")


async def test_a_question_is_asked_in_words_and_settled(world, elsewhere):
    notes, target = Notes(), called(world, elsewhere)
    question = Question("q", "", (Option("yes", "Yes"), Option("no", "No")))
    await world.channel.open_reply(target, notes).finish(snapshot("Shall I?", question=question))
    (asked,) = world.answers(elsewhere)
    assert asked.endswith("1. Yes\n2. No")
    await world.channel.open_reply(replace(target, handle=notes.last), Notes()).settle(snapshot("Yes."))
    assert world.answers(elsewhere) == ("Yes.",)


async def test_an_answer_that_comes_too_late_goes_to_the_private_chat(world, elsewhere):
    target = called(world, elsewhere)
    world.sim.world.query_life = -1
    notes = Notes()
    reply = world.channel.open_reply(target, notes)
    with pytest.raises(DeliveryRejected):
        await reply.show(snapshot(""))
    await reply.show(snapshot("Not much"))
    receipt = await reply.finish(snapshot("Not much here.", final=True))
    assert world.answers() == ("Not much here.",)
    assert world.answers(elsewhere) == ()
    assert receipt.message_ids[0].startswith(f"{world.alice.id}:")
    await world.channel.open_reply(replace(target, handle=notes.last), Notes()).finish(snapshot("again"))
    assert world.answers() == ("Not much here.",), "it is sent once"
