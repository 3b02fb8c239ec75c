"""Connecting, taking events, and never acknowledging what is not on disk."""

import asyncio
import logging
import traceback

import pytest

from parley.core.model.errors import AuthenticationRefused, ChannelUnavailable
from parley.simulator.feishu import FeishuSimulator, FeishuSimulatorTiming
from tests.kit.machine import patience
from tests.kit.platforms.feishu_channel import QUICK, KeepingInbox, World, listening, make_channel


async def test_a_message_arrives_with_all_that_is_known_about_it(world):
    inbox = KeepingInbox()
    number = world.say("hello")
    async with listening(world.channel, inbox):
        (message,) = await inbox.first()
    assert message.id == number
    assert message.conversation.key == f"feishu:{world.ann.chat}"
    assert (message.text, message.private, message.addressed) == ("hello", True, True)
    assert (message.sender.id, message.sender.name) == (world.ann.open_id, "Ann")


async def test_an_event_is_acknowledged_only_when_it_is_on_disk(world):
    inbox = KeepingInbox(refusals=10**6)
    world.say("one")
    async with listening(world.channel, inbox):
        await inbox.refused.wait()
        assert world.people.unacknowledged() == 1
        inbox.refusals = 0
        await inbox.first()
        await world.until(lambda: world.people.unacknowledged() == 0)


async def test_a_store_that_stays_away_makes_feishu_deliver_again(world):
    inbox = KeepingInbox(refusals=7)
    world.say("one")
    async with listening(world.channel, inbox):
        (message,) = await inbox.first()
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert message.text == "one"
    assert inbox.refusals == 0


async def test_what_was_not_acknowledged_comes_again_after_a_crash(world):
    world.say("one")
    full = KeepingInbox(refusals=10**6)
    async with listening(world.channel, full):
        await full.refused.wait()
    inbox = KeepingInbox()
    async with listening(world.another_channel(), inbox):
        assert (await inbox.first())[0].text == "one"


async def test_a_slow_store_delays_only_its_own_chat(world):
    bob = world.people.add_person("Bob")
    inbox = _Stalling(world.ann.chat)
    world.say("stuck")
    async with listening(world.channel, inbox):
        await asyncio.wait_for(inbox.stalled.wait(), patience(10))
        world.people.say(bob.chat, bob.open_id, "free")
        assert (await inbox.first())[0].text == "free"


class _Stalling(KeepingInbox):
    def __init__(self, chat: str) -> None:
        super().__init__()
        self.chat, self.stalled = chat, asyncio.Event()

    async def accept(self, message):
        if message.conversation.chat == self.chat:
            self.stalled.set()
            await asyncio.Event().wait()
        await super().accept(message)


async def test_duplicates_keep_their_id_and_order_holds_within_a_chat(world):
    world.faults.copies = 2
    for number in range(20):
        world.say(f"{number}")
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        await inbox.first(40)
    firsts = list(dict.fromkeys((message.id, message.text) for message in inbox.messages))
    assert [text for _, text in firsts] == [str(number) for number in range(20)]


async def test_split_and_huge_events_arrive_whole(world):
    world.faults.split = 7
    world.say("x" * 140_000)
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        await inbox.first()
        world.faults.split = 1
        rows = [[{"tag": "text", "text": "y" * 1_500_000}]]
        world.people.write_post(world.ann.chat, world.ann.open_id, rows)
        messages = await inbox.first(2)
    assert [len(message.text) for message in messages] == [140_000, 1_500_000]


async def test_events_of_other_kinds_are_acknowledged(world):
    number = world.say("gone soon")
    world.people.recall(number)
    world.people.inject({"header": {"event_type": "im.chat.updated_v1"}, "event": {}})
    async with listening(world.channel, KeepingInbox()):
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert world.people.lost() == 0


@pytest.mark.parametrize("wrong", [{"app_secret": "wrong-and-secret"}, {"app_id": "cli_wrong-and-secret"}])
async def test_refused_credentials_are_seen_at_once_and_never_told(world, caplog, wrong):
    caplog.set_level(logging.DEBUG)
    with pytest.raises(AuthenticationRefused) as raised:
        await asyncio.wait_for(world.another_channel(**wrong).listen(KeepingInbox()), patience(10))
    assert "and-secret" not in "".join(traceback.format_exception(raised.value)) + caplog.text


async def test_an_app_without_a_bot_is_told_what_to_do(world):
    world.faults.refuse_next(["bot"], 11205, "app do not have bot")
    with pytest.raises(AuthenticationRefused, match="has no bot"):
        await world.channel.listen(KeepingInbox())


async def test_credentials_refused_later_end_the_connection(tmp_path):
    with FeishuSimulator(timing=FeishuSimulatorTiming(token=2.0)) as sim:
        world = World(sim, sim.people.add_person("Ann"), make_channel(sim, tmp_path), tmp_path)
        async with listening(world.channel, KeepingInbox()) as task:
            world.faults.refuse_next(["token"], 10014, "app secret invalid", 200, times=10**6)
            with pytest.raises(AuthenticationRefused):
                await asyncio.wait_for(task, patience(10))


async def test_the_token_is_renewed_while_nobody_waits(tmp_path):
    with FeishuSimulator(timing=FeishuSimulatorTiming(token=2.0)) as sim:
        world = World(sim, sim.people.add_person("Ann"), make_channel(sim, tmp_path), tmp_path)
        async with listening(world.channel, KeepingInbox()):
            await world.until(lambda: world.count("token") >= 3)


@pytest.mark.parametrize("trouble", ["reset", "garbage", "busy", "limit", "handshake", "nobody there"])
async def test_no_connection_is_said_and_no_secret_told(world, caplog, trouble):
    caplog.set_level(logging.DEBUG)
    channel = world.channel
    match trouble:
        case "reset":
            world.faults.reset_next(["token"], times=2)
        case "garbage":
            world.faults.garble_next(["endpoint"])
        case "busy":
            world.faults.refuse_next(["endpoint"], 1, "system busy", 200)
        case "limit":
            world.sim.limit_connections(0)
        case "handshake":
            world.faults.refuse_next(["ws"], 1, "no", 403)
        case _:
            channel = world.another_channel(domain="http://127.0.0.1:9")
    expected = "50 long connections" if trouble == "limit" else None
    with pytest.raises(ChannelUnavailable, match=expected) as raised:
        await channel.listen(KeepingInbox())
    told = "".join(traceback.format_exception(raised.value)) + caplog.text
    assert world.sim.world.secret not in told
    assert "ticket" not in told


@pytest.mark.parametrize("trouble", ["dropped", "closed", "outage"])
async def test_a_connection_that_ends_loses_nothing(world, trouble):
    inbox = KeepingInbox()
    async with listening(world.channel, inbox) as task:
        world.faults.outage(0.2 if trouble == "outage" else 0)
        world.say("still here")
        if trouble == "closed":
            world.sim.close_connections()
        else:
            world.sim.drop_connections()
        with pytest.raises(ChannelUnavailable):
            await asyncio.wait_for(task, patience(10))
    world.faults.clear()
    async with listening(world.channel, inbox):
        assert (await inbox.first())[-1].text == "still here"


async def test_a_connection_that_went_silent_is_noticed(tmp_path):
    with FeishuSimulator(timing=FeishuSimulatorTiming(ping=patience(0.3))) as sim:
        world = World(sim, sim.people.add_person("Ann"), make_channel(sim, tmp_path), tmp_path)
        async with listening(world.channel, KeepingInbox()) as task:
            await world.until(lambda: world.sim.pings >= 2)
            world.faults.mute = True
            with pytest.raises(ChannelUnavailable, match="nothing was heard"):
                await asyncio.wait_for(task, patience(10))


async def test_two_apps_live_in_one_process(world, tmp_path):
    with FeishuSimulator("cli_fedcba9876543210", "another-secret", timing=QUICK) as other:
        bob, first, second = other.people.add_person("Bob"), KeepingInbox(), KeepingInbox()
        channel = make_channel(other, tmp_path)
        async with listening(world.channel, first), listening(channel, second):
            world.say("to the one")
            other.people.say(bob.chat, bob.open_id, "to the other")
            await first.first()
            await second.first()
    assert (first.texts, second.texts) == (["to the one"], ["to the other"])


async def test_several_connections_of_one_app_share_the_events(world):
    first, second = KeepingInbox(), KeepingInbox()
    async with listening(world.channel, first), listening(world.another_channel(), second):
        for number in range(30):
            world.say(f"{number}")
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert sorted(first.texts + second.texts, key=int) == [str(number) for number in range(30)]


async def test_cancelled_it_leaves_no_task_and_no_connection(world):
    before = asyncio.all_tasks()
    async with listening(world.channel, KeepingInbox()):
        await world.until(lambda: world.sim.connections == 1)
    await world.until(lambda: world.sim.connections == 0)
    assert asyncio.all_tasks() <= before
