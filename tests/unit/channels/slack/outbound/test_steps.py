"""Steps as task cards: among the text, or together under a title."""

import pytest

from parley.core.model.errors import RateLimited
from parley.core.model.types import Step, StepStatus
from tests.kit.platforms.slack_channel import Notes, snapshot

SEARCH = Step("1", "search", StepStatus.RUNNING)
READ = Step("2", "read " + "字" * 200, StepStatus.RUNNING)


@pytest.mark.parametrize("mode", ["timeline", "plan"])
async def test_steps_are_shown_as_the_setting_says(world, mode):
    thread = world.thread()
    await world.channel(steps=mode).open_reply(world.target(thread), Notes()).show(snapshot("Hel"))
    (call,) = world.sim.calls("chat.startStream")
    assert call.params.get("task_display_mode") == (None if mode == "timeline" else mode)


def titles(world):
    chunks = [chunk for call in world.sim.calls() for chunk in call.params.get("chunks") or ()]
    return [chunk["title"] for chunk in chunks if chunk["type"] == "plan_update"]


async def test_a_plan_has_the_latest_step_as_its_title_and_in_the_end_their_number(world):
    thread = world.thread()
    reply = world.channel(steps="plan").open_reply(world.target(thread), Notes())
    await reply.show(snapshot("", steps=(SEARCH,)))
    await reply.show(snapshot("Hel", steps=(SEARCH,)))
    await reply.show(snapshot("Hel", steps=(SEARCH, READ)))
    await reply.finish(snapshot("Hello!", steps=(SEARCH, READ), final=True))
    first, second, last = titles(world)
    assert (first, last) == ("search", "Steps: 2")
    assert second.startswith("read 字")
    assert len(second.encode()) <= 250
    message = world.people.messages(*thread)[-1]
    assert (message.text, ("Steps: 2", "plan") in message.tasks) == ("Hello!", True)


async def test_what_was_refused_is_told_again_with_its_title(world):
    thread = world.thread()
    reply = world.channel(steps="plan").open_reply(world.target(thread), Notes())
    await reply.show(snapshot("Hel", steps=(SEARCH,)))
    world.sim.faults.fail_next("chat.stopStream", "ratelimited", status=429)
    final = snapshot("Hello!", steps=(SEARCH,), final=True)
    with pytest.raises(RateLimited):
        await reply.finish(final)
    await reply.finish(final)
    assert ("Steps: 1", "plan") in world.people.messages(*thread)[-1].tasks


@pytest.mark.parametrize(("mode", "steps"), [("timeline", (SEARCH,)), ("plan", ())])
async def test_without_cards_in_a_plan_there_is_no_title(world, mode, steps):
    reply = world.channel(steps=mode).open_reply(world.target(world.thread()), Notes())
    await reply.show(snapshot("Hel", steps=steps))
    await reply.finish(snapshot("Hello!", steps=steps, final=True))
    assert titles(world) == []


async def test_tasks_to_come_are_pending_cards_and_no_title_of_a_plan(world):
    thread = world.thread()
    reply = world.channel(steps="plan").open_reply(world.target(thread), Notes())
    later = Step("todo:1", "rest", StepStatus.PENDING)
    await reply.show(snapshot("Hel", steps=(SEARCH, later)))
    assert titles(world) == ["search"]
    assert ("rest", "pending") in world.people.messages(*thread)[-1].tasks
    await reply.finish(snapshot("Hello!", steps=(SEARCH, later), final=True))
    assert ("rest", "pending") in world.people.messages(*thread)[-1].tasks
