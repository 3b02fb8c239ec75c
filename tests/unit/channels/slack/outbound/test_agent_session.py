"""The stop button of a thread: there while we are at work, gone afterwards, and as good as /stop."""

import asyncio
import gc
from dataclasses import replace

import pytest

from parley.channels.slack.channel import SlackChannel
from parley.channels.slack.outbound.reply import SlackReplyTiming
from parley.core.model.errors import ChannelUnavailable
from parley.core.ports.lease import LeaseToken, holding_lease
from tests.kit.machine import patience
from tests.kit.platforms.slack_channel import (
    Clock,
    KeepingInbox,
    Notes,
    finish_until_done,
    listening,
    snapshot,
)

STATUS = "assistant.threads.setStatus"


async def test_it_is_there_while_an_answer_grows_and_gone_with_it(world):
    chat, root = thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    assert world.people.session(chat, root) == ""
    await reply.show(snapshot(""))
    assert world.people.session(chat, root) == "processing"
    await reply.show(snapshot("half"))
    await reply.show(snapshot("half of it"))
    assert world.people.session(chat, root) == "processing"
    await reply.finish(snapshot("half of it and the rest"))
    assert world.people.session(chat, root) == "active"
    # The last message takes the button with it: one call, not two.
    assert len(world.sim.calls("agents.sessions.setStatus")) == 1


@pytest.mark.parametrize("fails", [(), ("agents.sessions.rename",)])
async def test_the_conversation_is_called_what_the_agent_calls_it(world, fails):
    chat, root = thread = world.thread()
    for method in fails:
        world.sim.faults.fail_next(method, "not_authorized")
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot("half"))
    await reply.finish(replace(snapshot("whole"), final=True, title="A plan for <!channel>"))
    assert world.people.title(chat, root) == "A plan for !channel"
    assert len(world.sim.calls("assistant.threads.setTitle")) == len(fails)


async def test_it_goes_also_where_answers_cannot_grow(world):
    chat, root = thread = world.thread()
    world.sim.faults.fail_next("chat.startStream", "not_allowed", times=9)
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot("half"))
    assert world.people.session(chat, root) == "processing"
    await reply.finish(snapshot("whole"))
    assert (world.people.session(chat, root), world.ours(thread)) == ("active", ["whole"])


async def test_it_goes_also_when_slack_ended_the_growing_message(world):
    chat, root = thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot("half"))
    world.people.stop(chat, world.alice.id, root)
    # Slack leaves that to us.
    assert world.people.session(chat, root) == "processing"
    await reply.finish(snapshot("half. Stopped."))
    assert (world.people.session(chat, root), world.ours(thread)) == ("active", ["half. Stopped."])


@pytest.mark.parametrize("error", ["unknown_method", "missing_scope", "ratelimited"])
async def test_an_app_that_may_not_have_one_answers_all_the_same(world, error):
    thread = world.thread()
    status = 429 if error == "ratelimited" else 200
    world.sim.faults.fail_next("agents.sessions.setStatus", error, status=status, times=99)
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot("half"))
    await reply.finish(snapshot("whole"))
    assert world.ours(thread) == ["whole"]
    assert len(world.sim.calls("agents.sessions.setStatus")) == 1


async def test_after_a_lost_answer_it_is_taken_away_in_any_case(world):
    chat, root = thread = world.thread()
    world.sim.faults.reset_next("agents.sessions.setStatus", "after")
    reply = world.channel().open_reply(world.target(thread), Notes())
    with pytest.raises(ChannelUnavailable):
        await reply.show(snapshot("half"))
    assert world.people.session(chat, root) == "processing"
    await finish_until_done(reply, snapshot("whole"))
    assert world.people.session(chat, root) == "active"


async def test_a_plain_chat_has_none(world):
    reply = world.channel().open_reply(world.target(), Notes())
    await reply.show(snapshot("half"))
    await reply.finish(snapshot("whole"))
    assert world.sim.calls("agents.sessions.setStatus") == ()


async def test_pressed_it_is_a_stop_of_its_conversation_and_leaves_no_message(world):
    chat, root = thread = world.thread()
    channel, inbox = world.channel(), KeepingInbox()
    async with listening(channel, inbox):
        await inbox.first(2)
        await channel.open_reply(world.target(thread), Notes()).show(snapshot("half"))
        world.people.stop(chat, world.alice.id, root)
        await inbox.first(3)
        await world.until(lambda: world.people.unacknowledged() == 0)
        world.people.redeliver()
        *_, stop, again = await inbox.first(4)
        assert stop == again
        assert (stop.text, stop.addressed, stop.private) == ("/stop", True, False)
        assert (stop.conversation.chat, stop.conversation.topic) == thread
        assert stop.sender.name == "Alice"
        reply = channel.open_reply(replace(world.target(thread), reply_to=stop.id), Notes())
        await reply.finish(snapshot("Stopped."))
    assert world.ours(thread) == ["half"]
    assert world.people.session(chat, root) == "active"


async def test_without_the_button_nobody_can_press_it(world):
    chat, root = world.thread()
    with pytest.raises(LookupError):
        world.people.stop(chat, world.alice.id, root)


@pytest.mark.parametrize("missing", ["channel", "thread_ts", "user", "event_ts"])
async def test_a_press_that_says_too_little_is_skipped(world, missing):
    inbox = KeepingInbox()
    stopped = {"channel": "C1", "thread_ts": "1.5", "user": world.alice.id, "event_ts": "2.5"}
    async with listening(world.channel(), inbox):
        world.people.inject_event({"type": "agent_session_stopped"} | stopped | {missing: None})
        world.people.say(world.alice.dm, world.alice.id, "and now")
        assert (await inbox.first())[0].text == "and now"


async def test_a_status_line_is_renewed_before_slack_takes_it_away_and_goes_with_the_answer(world):
    chat, root = thread = world.thread()
    channel = SlackChannel(world.config(), rhythm=SlackReplyTiming(renew=0.02))
    reply = channel.open_reply(world.target(thread), Notes())
    await reply.show(snapshot(""))
    await reply.show(snapshot(""))
    await world.until(lambda: len(world.sim.calls(STATUS)) >= 4)
    assert world.people.status(chat, root) == "is thinking…"
    assert len(world.sim.calls(STATUS)[0].params["loading_messages"]) == 3
    await reply.show(snapshot("half"))
    assert world.people.status(chat, root) == ""
    count = len(world.sim.calls(STATUS))
    await reply.finish(snapshot("whole"))
    assert len(world.sim.calls(STATUS)) == count


async def test_a_reply_that_was_given_up_does_not_renew_its_line(world):
    thread = world.thread()
    channel = SlackChannel(world.config(), rhythm=SlackReplyTiming(renew=0.02))
    reply = channel.open_reply(world.target(thread), Notes())
    await reply.show(snapshot(""))
    (renewing,) = (task for task in asyncio.all_tasks() if task.get_name() == "slack status line")
    del reply
    gc.collect()
    async with asyncio.timeout(patience(5)):
        await renewing


async def test_a_line_of_a_turn_that_is_another_nodes_ends_without_an_error(world):
    thread, clock = world.thread(), Clock()
    channel = SlackChannel(world.config(), rhythm=SlackReplyTiming(renew=0.02))
    with holding_lease(LeaseToken(10, clock.now, clock)):
        reply = channel.open_reply(world.target(thread), Notes())
        await reply.show(snapshot(""))
    (renewing,) = (task for task in asyncio.all_tasks() if task.get_name() == "slack status line")
    clock.now = 9.5  # too late to begin anything
    async with asyncio.timeout(patience(5)):
        await renewing
    assert world.people.status(*thread) == "is thinking…"


async def test_a_line_that_cannot_be_taken_away_keeps_no_answer_back(world):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot(""))
    world.sim.faults.fail_next(STATUS, "", status=502, times=9)
    await reply.finish(snapshot("whole"))
    assert world.ours(thread) == ["whole"]


async def test_what_an_earlier_process_showed_is_taken_away(world):
    chat, root = thread = world.thread()
    notes = Notes()
    first = world.channel().open_reply(world.target(thread), notes)
    await first.show(snapshot("half"))
    second = world.channel().open_reply(world.target(thread, notes.last), notes)
    await second.finish(snapshot("half and whole"))
    assert (world.people.session(chat, root), world.ours(thread)) == ("active", ["half and whole"])


async def test_an_app_that_is_not_told_of_the_button_has_none(world):
    chat, root = thread = world.thread()
    world.people.unsubscribe("agent_session_stopped")
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot("half"))
    with pytest.raises(LookupError):
        world.people.stop(chat, world.alice.id, root)
    await reply.finish(snapshot("whole"))
    assert world.people.session(chat, root) == "active"
