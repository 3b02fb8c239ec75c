"""Thumbs under answers: where they stand, and what a press of one says."""

import pytest

from parley.core.model.feedback import FEEDBACK_QUESTION
from parley.core.texts import Sentence, say
from tests.kit.platforms.slack_channel import KeepingInbox, Notes, finish_until_done, listening, snapshot

UP, DOWN = "Good answer", "Bad answer"
NOTED = say("en", Sentence.FEEDBACK_NOTED)


@pytest.mark.parametrize("in_thread", [True, False])
@pytest.mark.parametrize("shown", [("Hel", "Hello"), ("Hello!",), ()])
async def test_thumbs_stand_under_the_last_message_of_an_answer(world, in_thread, shown):
    thread = world.thread() if in_thread else None
    reply = world.channel(feedback="on").open_reply(world.target(thread), Notes())
    for text in shown:
        await reply.show(snapshot(text))
    await reply.finish(snapshot("Hello!", final=True, rateable=True))
    message = world.people.messages((thread or (world.alice.dm,))[0])[-1]
    assert (message.text, message.buttons, message.streaming) == ("Hello!", (UP, DOWN), False)


async def test_there_are_none_where_they_are_not_wanted(world):
    thread = world.thread()
    reply = world.channel(feedback="on").open_reply(world.target(thread), Notes())
    await reply.finish(snapshot("Hello!", final=True, rateable=False))
    assert world.people.messages(*thread)[-1].buttons == ()


@pytest.mark.parametrize("method", ["chat.stopStream", "chat.postMessage", "chat.update"])
async def test_where_slack_refuses_them_the_answer_stands_without(world, method):
    thread = world.thread() if method == "chat.stopStream" else None
    reply = world.channel(feedback="on").open_reply(world.target(thread), Notes())
    if method != "chat.postMessage":
        await reply.show(snapshot("Hel"))
    world.sim.faults.fail_next(method, "invalid_blocks")
    await finish_until_done(reply, snapshot("Hello!", final=True, rateable=True))
    assert world.ours(thread) == ["Hello!"]


async def test_a_press_names_the_turn_and_the_choice(world):
    thread, channel, inbox = world.thread(), world.channel(feedback="on"), KeepingInbox()
    async with listening(channel, inbox):
        reply = channel.open_reply(world.target(thread), Notes())
        await reply.show(snapshot("Hel"))
        await reply.finish(snapshot("Hello!", final=True, rateable=True))
        ts = world.people.messages(*thread)[-1].ts
        world.people.press(thread[0], world.alice.id, ts, DOWN)
        await world.until(lambda: inbox.clicks)
    (click,) = inbox.clicks
    assert (click.question, click.option, click.sender.id) == (
        f"{FEEDBACK_QUESTION}turn-1",
        "down",
        world.alice.id,
    )


async def test_a_bad_answer_opens_a_form_and_what_is_written_there_comes_with_the_choice(world):
    thread, channel, inbox = world.thread(), world.channel(feedback="on"), ThankfulInbox()
    alice, people = world.alice, world.people
    async with listening(channel, inbox):
        reply = channel.open_reply(world.target(thread), Notes())
        await reply.finish(snapshot("Hello!", final=True, rateable=True))
        ts = people.messages(*thread)[-1].ts
        people.press(thread[0], alice.id, ts, UP)
        await world.until(lambda: NOTED in people.told(thread[0], alice.id, thread[1]))
        assert people.modal(alice.id) is None
        people.press(thread[0], alice.id, ts, DOWN)
        await world.until(lambda: people.modal(alice.id))
        people.submit(alice.id, **{say("en", Sentence.FEEDBACK_WORDS): " the year is wrong "})
        await world.until(lambda: len(inbox.clicks) == 3)
        await world.until(lambda: people.modal(alice.id) is None)
    words = inbox.clicks[2]
    assert (words.question, words.option) == (inbox.clicks[1].question, "down")
    assert (words.text, words.sender.id) == ("the year is wrong", alice.id)
    assert words.conversation == inbox.clicks[1].conversation


async def test_who_is_refused_sees_no_form(world):
    thread, channel, inbox = world.thread(), world.channel(feedback="on"), ThankfulInbox()
    inbox.answer = "You may not."
    async with listening(channel, inbox):
        reply = channel.open_reply(world.target(thread), Notes())
        await reply.finish(snapshot("Hello!", final=True, rateable=True))
        world.people.press(thread[0], world.alice.id, world.people.messages(*thread)[-1].ts, DOWN)
        await world.until(lambda: "You may not." in world.people.told(thread[0], world.alice.id, thread[1]))
    assert world.people.modal(world.alice.id) is None


class ThankfulInbox(KeepingInbox):
    """Thanks whoever presses."""

    answer = NOTED

    async def decide(self, click):
        await super().decide(click)
        return self.answer
