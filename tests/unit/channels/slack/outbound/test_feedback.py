"""Thumbs under answers: where they stand, and what a press of one says."""

import pytest

from parley.core.model.questions import FEEDBACK_QUESTION
from tests.kit.platforms.slack_channel import KeepingInbox, Notes, finish_until_done, listening, snapshot

UP, DOWN = "Good answer", "Bad answer"


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


@pytest.mark.parametrize(("setting", "rateable"), [("off", True), ("on", False)])
async def test_there_are_none_where_they_are_not_wanted(world, setting, rateable):
    thread = world.thread()
    reply = world.channel(feedback=setting).open_reply(world.target(thread), Notes())
    await reply.finish(snapshot("Hello!", final=True, rateable=rateable))
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
