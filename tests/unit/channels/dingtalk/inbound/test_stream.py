"""Connecting, hearing, and losing nothing that was heard."""

import asyncio
import logging
import traceback

import pytest
from aiohttp import web

from parley.core.model.errors import AuthenticationRefused, ChannelUnavailable
from parley.simulator.dingtalk import DingTalkSimulator, DingTalkSimulatorTiming
from parley.simulator.kit.http_server import serving
from tests.kit.machine import patience
from tests.kit.platforms.dingtalk_channel import KeepingInbox, World, listening, make_channel


async def test_a_message_is_acknowledged_only_once_it_is_durable(world):
    inbox = KeepingInbox()
    inbox.open.clear()
    async with listening(world.channel, inbox):
        number = world.say("hello")
        await asyncio.wait_for(inbox.asked.wait(), patience(10))
        assert not world.people.heard(number)
        inbox.open.set()
        (message,) = await inbox.first()
        await world.until(lambda: world.people.heard(number))
    assert message.id == number
    assert message.conversation.chat == world.alice.id


async def test_what_is_said_while_the_store_is_away_waits_inside(world):
    inbox = KeepingInbox(refusals=1)
    async with listening(world.channel, inbox):
        for number in range(5):
            world.say(f"{number}")
        messages = await inbox.first(5)
    assert [message.text for message in messages] == ["0", "1", "2", "3", "4"]


async def test_what_was_read_before_the_connection_dropped_is_still_handed_over(world):
    inbox = KeepingInbox()
    inbox.open.clear()
    task = asyncio.create_task(world.channel.listen(inbox))
    await asyncio.wait_for(inbox.is_online.wait(), patience(10))
    for number in range(5):
        world.say(f"{number}")
    await asyncio.wait_for(inbox.asked.wait(), patience(10))
    # Who makes another connection has read what stood before the announcement.
    world.sim.disconnect()
    await world.until(lambda: world.sim.connections == 2)
    world.sim.drop()
    inbox.open.set()
    with pytest.raises(ChannelUnavailable):
        await asyncio.wait_for(task, patience(10))
    assert [message.text for message in inbox.messages] == ["0", "1", "2", "3", "4"]


async def test_what_waits_when_it_is_cancelled_is_handed_over_first(world):
    inbox = KeepingInbox(refusals=1)
    async with listening(world.channel, inbox):
        numbers = [world.say(f"{number}") for number in range(3)]
        await asyncio.wait_for(inbox.asked.wait(), patience(10))
        world.sim.disconnect()
        await world.until(lambda: world.sim.connections == 2)
    assert [message.id for message in inbox.messages] == numbers


async def test_pings_are_answered_with_what_they_hold_and_signs_of_life_are_no_news(caplog):
    with DingTalkSimulator(timing=DingTalkSimulatorTiming(ping=patience(0.02))) as sim:
        world = World(sim, sim.people.add_person("Alice"), make_channel(sim))
        inbox = KeepingInbox()
        async with listening(world.channel, inbox):
            await world.until(lambda: sim.pings_answered >= 3)
            world.say("hello")
            await inbox.first()
    assert len(inbox.messages) == 1
    assert not [each for each in caplog.records if each.levelname == "WARNING"]


async def test_an_announced_end_loses_nothing(world):
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        for number in range(40):
            world.say(f"{number}")
            if number % 10 == 5:
                world.sim.disconnect()
            if number % 10 == 8:  # some were said while there was no new connection, and some after it
                await world.until(lambda: world.sim.connections == 2)
                await world.until(lambda: world.sim.connections == 1)
        messages = await inbox.first(40)
    assert world.people.lost() == ()
    assert {message.text for message in messages} == {str(number) for number in range(40)}
    assert len(world.sim.calls("open")) == 5


async def test_tickets_are_used_once(world):
    async with listening(world.channel, KeepingInbox()):
        world.sim.disconnect()
        await world.until(lambda: world.sim.connections == 2)
        await world.until(lambda: world.sim.connections == 1)
    assert len(world.sim.calls("open")) == 2
    await world.until(lambda: world.sim.connections == 0)


@pytest.mark.parametrize("how", ["split", "double", "reverse"])
async def test_frames_in_pieces_twice_or_out_of_order_arrive(world, how):
    inbox = KeepingInbox()
    world.sim.faults.frames_next(how, 4)
    said = [f"{number} " + "words 你好 " * 500 for number in range(4)]
    async with listening(world.channel, inbox):
        for text in said:
            world.say(text)
        messages = await inbox.first(8 if how == "double" else 4)
    assert {message.text for message in messages} == {text.strip() for text in said}
    assert len({message.id for message in messages}) == 4


async def test_a_frame_of_megabytes_arrives(world):
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        world.say("x" * 3_000_000)
        (message,) = await inbox.first()
    assert len(message.text) == 3_000_000


@pytest.mark.parametrize("wrong", [{"client_id": "other"}, {"client_secret": "wrong-and-secret"}])
async def test_refused_credentials_are_seen_at_once_and_never_told(world, caplog, wrong):
    caplog.set_level(logging.DEBUG)
    with pytest.raises(AuthenticationRefused) as raised:
        await asyncio.wait_for(world.another_channel(**wrong).listen(KeepingInbox()), patience(10))
    told = "".join(traceback.format_exception(raised.value)) + caplog.text
    assert "secret" not in told.replace("client_secret", "").replace("Secret", "")


async def test_credentials_that_are_refused_later_end_the_channel(world):
    task = asyncio.create_task(world.channel.listen(inbox := KeepingInbox()))
    await asyncio.wait_for(inbox.is_online.wait(), patience(10))
    world.sim.revoke()
    with pytest.raises(ChannelUnavailable):
        await asyncio.wait_for(task, patience(10))
    with pytest.raises(AuthenticationRefused):
        await asyncio.wait_for(world.channel.listen(KeepingInbox()), patience(10))


@pytest.mark.strange  # a life of less than a second
async def test_the_token_is_renewed_before_it_ends_and_its_refusal_is_noticed():
    with DingTalkSimulator(timing=DingTalkSimulatorTiming(token_life=patience(0.4))) as sim:
        alice = sim.people.add_person("Alice")
        world = World(sim, alice, make_channel(sim))
        task = asyncio.create_task(world.channel.listen(KeepingInbox()))
        await world.until(lambda: len(sim.calls("accessToken")) >= 3)
        with sim.world.changed:
            sim.world.revoked = True
        with pytest.raises(AuthenticationRefused):
            await asyncio.wait_for(task, patience(10))


@pytest.mark.parametrize("trouble", ["dropped", "502", "garbage", "reset", "odd ticket", "nobody there"])
@pytest.mark.strange
async def test_a_broken_connection_is_unavailable_and_tells_no_secret(world, caplog, trouble):
    caplog.set_level(logging.DEBUG)
    channel, faults = world.channel, world.sim.faults
    match trouble:
        case "502":
            faults.fail_next("open", 502)
        case "garbage":
            faults.garble_next("open")
        case "reset":
            faults.reset_next("open", "after")
        case "odd ticket":
            faults.garble_next("open", '{"endpoint": "http://x", "ticket": 5}')
        case "nobody there":
            channel = world.another_channel(api_url="http://127.0.0.1:9")
    inbox = KeepingInbox()
    task = asyncio.create_task(channel.listen(inbox))
    if trouble == "dropped":
        await asyncio.wait_for(inbox.is_online.wait(), patience(10))
        world.sim.drop()
    with pytest.raises(ChannelUnavailable) as raised:
        await asyncio.wait_for(task, patience(10))
    told = "".join(traceback.format_exception(raised.value)) + caplog.text
    assert world.sim.client_secret not in told
    assert world.sim.world.mark not in told


async def test_it_comes_back_after_an_outage(world):
    inbox = KeepingInbox()
    world.sim.faults.outage(60)
    with pytest.raises(ChannelUnavailable):
        await asyncio.wait_for(world.channel.listen(inbox), patience(10))
    world.sim.faults.clear()
    async with listening(world.channel, inbox):
        world.say("still here")
        assert (await inbox.first())[0].text == "still here"


async def test_a_connection_that_fell_silent_is_given_up():
    async def open_(request: web.Request) -> web.Response:
        return web.json_response({"endpoint": f"ws://{request.host}/ws", "ticket": "t"})

    async def token(request: web.Request) -> web.Response:
        return web.json_response({"accessToken": "t", "expireIn": 7200})

    async def silent(request: web.Request) -> web.WebSocketResponse:
        # Takes pings and answers none, as a connection does whose other end is gone.
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        async for _ in socket:
            pass
        return socket

    app = web.Application()
    app.router.add_post("/v1.0/gateway/connections/open", open_)
    app.router.add_post("/v1.0/oauth2/accessToken", token)
    app.router.add_get("/ws", silent)
    with DingTalkSimulator() as sim:
        async with serving(app) as port:
            channel = make_channel(sim, api_url=f"http://127.0.0.1:{port}", ping_interval=0.2)
            with pytest.raises(ChannelUnavailable):
                await asyncio.wait_for(channel.listen(KeepingInbox()), patience(10))


async def test_one_cancel_ends_it_and_leaves_no_task(world):
    before = asyncio.all_tasks()
    async with listening(world.channel, KeepingInbox()):
        pass
    assert asyncio.all_tasks() == before
    await world.until(lambda: world.sim.connections == 0)


async def test_each_person_of_a_group_may_have_a_conversation(world):
    bob = world.people.add_person("Bob")
    group = world.people.add_group("Team", [world.alice.id, bob.id])
    inbox = KeepingInbox()
    async with listening(world.another_channel(groups="per_user"), inbox):
        world.people.say(group, world.alice.id, "@Parley one")
        world.people.say(group, bob.id, "two, @Parley")
        world.people.say(group, bob.id, "not for the robot")
        messages = await inbox.first(2)
    assert [message.conversation.topic for message in messages] == [world.alice.id, bob.id]
    assert [message.text for message in messages] == ["one", "two,"]
