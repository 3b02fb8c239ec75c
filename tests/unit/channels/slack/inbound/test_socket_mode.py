"""Connections: whatever ends them, what was said is heard in order, and acknowledged when it is kept."""

import asyncio

import pytest

from parley.channels.slack.inbound.socket_mode import SocketTiming
from parley.core.model.errors import AuthenticationRefused, ChannelUnavailable
from tests.kit.machine import patience
from tests.kit.platforms.slack_channel import KeepingInbox, Notes, listening, snapshot

QUICK = SocketTiming(connect=patience(2.0), heartbeat=patience(1.0), linger=patience(0.2), brief=0.0)


async def test_a_message_is_acknowledged_once_it_is_kept(world):
    inbox = KeepingInbox(refusals=1)
    async with listening(world.channel(), inbox):
        world.people.say(world.alice.dm, world.alice.id, "hello")
        assert world.people.unacknowledged() == 1
        (message,) = await inbox.first()
        assert message.text == "hello"
        await world.until(lambda: world.people.unacknowledged() == 0)


async def test_what_nobody_handles_is_acknowledged_too(world):
    async with listening(world.channel(), KeepingInbox()):
        world.people.inject_event({"type": "team_join", "user": {"id": "U9"}})
        world.people.inject({"type": "block_actions", "actions": [{"action_id": "a"}]}, "interactive")
        world.people.inject({"command": "/x", "text": ""}, "slash_commands")
        world.people.inject({"type": "shortcut", "callback_id": "c"}, "interactive")
        world.people.inject({"never": "heard of"}, "something_new")
        await world.until(lambda: world.people.unacknowledged() == 0)


async def test_one_chat_stays_in_order_while_another_waits_for_a_name(world):
    inbox = KeepingInbox()
    bob = world.people.add_person("Bob")
    world.sim.faults.slow_next("users.info", 0.3)
    async with listening(world.channel(), inbox):
        for number in range(20):
            world.people.say(world.alice.dm, world.alice.id, f"{number}")
        world.people.say(bob.dm, bob.id, "bob")
        heard = await inbox.first(21)
    assert [m.text for m in heard if m.sender.name == "Alice"] == [str(number) for number in range(20)]


@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
async def test_a_refreshed_connection_is_relieved_before_it_ends(world, reason):
    inbox = KeepingInbox()
    async with listening(world.channel(timing=QUICK), inbox) as task:
        world.sim.disconnect(reason)
        await world.until(lambda: world.sim.opened == 2)
        world.people.say(world.alice.dm, world.alice.id, "still there?")
        await inbox.first()
        await world.until(lambda: world.sim.connections == 1)
        assert not task.done()


async def test_a_broken_connection_ends_listening_and_nothing_is_lost(world):
    channel, inbox = world.channel(timing=QUICK), KeepingInbox(refusals=10**6)
    async with listening(channel, inbox) as task:
        world.people.say(world.alice.dm, world.alice.id, "hold on to this")
        world.sim.drop_connections()
        with pytest.raises(ChannelUnavailable):
            await asyncio.wait_for(task, patience(10))
    again = KeepingInbox()
    async with listening(channel, again):
        assert (await again.first())[0].text == "hold on to this"


async def test_each_connection_has_a_ticket_of_its_own(world):
    channel = world.channel(timing=QUICK)
    for _ in range(2):
        async with listening(channel, KeepingInbox()) as task:
            world.sim.drop_connections()
            await asyncio.wait({task}, timeout=patience(10))
    assert len(world.sim.calls("apps.connections.open")) == world.sim.opened == 2


@pytest.mark.parametrize("reason", ["link_disabled", "too_many_websockets"])
async def test_why_slack_ends_a_connection_for_good_is_said(world, reason):
    async with listening(world.channel(), KeepingInbox()) as task:
        world.sim.disconnect(reason)
        with pytest.raises(ChannelUnavailable, match=r"Socket Mode is switched off|ten connections"):
            await asyncio.wait_for(task, patience(10))


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ({"bot_token": "xoxb-wrong"}, "does not know"),
        ({"app_token": "xapp-wrong"}, "does not know"),
        ({"app_token": "xoxb-100200300-simulated-for-loopback-only"}, "wrong kind"),
    ],
)
async def test_wrong_tokens_are_refused_at_once(world, tokens, words):
    with pytest.raises(AuthenticationRefused, match=words):
        await asyncio.wait_for(world.channel(**tokens).listen(KeepingInbox()), patience(10))


async def test_a_token_revoked_meanwhile_ends_listening_at_the_next_call(world):
    channel = world.channel()
    async with listening(channel, KeepingInbox()) as task:
        world.sim.faults.fail_next("", "token_revoked", times=1000)
        with pytest.raises(AuthenticationRefused):
            await channel.open_reply(world.target(), Notes()).finish(snapshot("hello"))
        with pytest.raises(AuthenticationRefused):
            await asyncio.wait_for(task, patience(10))


async def test_slack_away_is_no_refusal(world):
    world.sim.faults.outage(60)
    with pytest.raises(ChannelUnavailable):
        await asyncio.wait_for(world.channel().listen(KeepingInbox()), patience(10))


async def test_frames_in_fragments_and_large_ones_are_read(world):
    inbox = KeepingInbox()
    world.sim.faults.split_frames = True
    async with listening(world.channel(), inbox):
        world.people.say(world.alice.dm, world.alice.id, "long " * 300_000)
        assert len((await inbox.first())[0].text) > 1_000_000


async def test_proxies_that_must_not_be_used_are_not(world, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    inbox = KeepingInbox()
    async with listening(world.channel(), inbox):
        world.people.say(world.alice.dm, world.alice.id, "hello")
        await inbox.first()


async def test_cancelled_it_leaves_nothing_behind(world):
    before = asyncio.all_tasks()
    async with listening(world.channel(), KeepingInbox(refusals=10**6)):
        world.people.say(world.alice.dm, world.alice.id, "never kept")
        await world.until(world.people.unacknowledged)
    assert asyncio.all_tasks() <= before
    await world.until(lambda: world.sim.connections == 0)
