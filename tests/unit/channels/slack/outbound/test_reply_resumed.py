"""An answer that was growing when its process died, and grows on in another."""

from dataclasses import replace

import pytest

from tests.kit.platforms.slack_channel import Clock, Notes, snapshot


@pytest.mark.parametrize("noted", [True, False], ids=["noted", "on its way"])
async def test_after_a_crash_an_answer_that_grows_on_is_still_one_message(world, noted):
    thread, notes, clock = world.thread(), Notes(), Clock()
    # A machine that has been up for long: the process that begins now knows nothing of the message's age.
    clock.now = 1e6
    target = world.target(thread)
    await world.channel(clock=clock).open_reply(target, notes).show(snapshot("The first words"))
    handle = notes.last if noted else notes.all[0]
    reply = world.channel(clock=clock).open_reply(replace(target, handle=handle), Notes())
    await reply.show(snapshot("The first words and"))
    await reply.show(snapshot("The first words and some"))
    await reply.finish(snapshot("The first words and some more.", final=True))
    assert world.ours(thread) == ["The first words and some more."]
