"""A group that became a supergroup is still the same conversation."""

import httpx

from parley.channels.telegram.channel import create
from parley.channels.telegram.config import Config
from parley.core.ports.channel import ChannelServices
from tests.kit.platforms.telegram_channel import KeepingInbox, Notes, listening, snapshot


async def lose_updates(world):
    """Telegram lets go of what nobody fetched for 24 hours; an offset beyond all of it does the same."""
    async with httpx.AsyncClient() as http:
        url = f"{world.sim.api_url}/bot{world.sim.token}/getUpdates"
        await http.post(url, json={"offset": 10**9, "timeout": 0})
    assert world.people.unconfirmed() == 0


async def test_a_group_keeps_its_conversation_when_it_becomes_a_supergroup(world):
    old = world.people.add_group("Team", [world.alice.id], "group")
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        world.people.say(old, world.alice.id, "@parley_bot before")
        new = world.people.upgrade(old)
        number = world.people.say(new, world.alice.id, "@parley_bot after")
        before, after = await inbox.first(2)
    assert before.conversation == after.conversation
    assert after.id == f"{new}:{number}"


async def test_answers_arrive_in_the_supergroup_as_replies(world):
    old = world.people.add_group("Team", [world.alice.id], "group")
    new = world.people.upgrade(old)
    number = world.people.say(new, world.alice.id, "@parley_bot hi")
    async with listening(world.channel, KeepingInbox()):
        await world.until(lambda: world.people.unconfirmed() == 0)
        await world.channel.open_reply(world.target(old, reply_to=number), Notes()).finish(snapshot("hello"))
    assert world.answers(new) == ("hello",)
    assert world.people.messages(new)[-1].reply_to == number
    assert [call.status for call in world.sim.calls("sendMessage")] == [200]


async def test_every_node_and_every_later_process_knows_the_move(world):
    old = world.people.add_group("Team", [world.alice.id], "group")
    new = world.people.upgrade(old)
    async with listening(world.channel, KeepingInbox()):
        await world.until(lambda: world.people.unconfirmed() == 0)
    inbox = KeepingInbox()
    async with listening(world.another_channel(), inbox):
        world.people.say(new, world.alice.id, "@parley_bot hi")
        assert (await inbox.first())[0].conversation.chat == str(old)


async def test_a_move_is_confirmed_only_when_it_is_on_disk(world):
    old = world.people.add_group("Team", [world.alice.id], "group")
    new = world.people.upgrade(old)
    world.documents.refusals = 10**6
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        await world.documents.refused.wait()
        assert world.people.unconfirmed() == 2
        world.documents.refusals = 0
        world.people.say(new, world.alice.id, "@parley_bot hi")
        assert (await inbox.first())[0].conversation.chat == str(old)


async def test_two_nodes_may_note_the_same_move_at_once(world):
    old = world.people.add_group("Team", [world.alice.id], "group")
    world.people.upgrade(old)
    for _ in range(2):
        config = Config(bot_token=world.sim.token, api_url=world.sim.api_url)
        channel = create(config, ChannelServices(world.documents, world.folder, ()))
        async with listening(channel, KeepingInbox()):
            await world.until(lambda: world.people.unconfirmed() == 0)
        world.people.redeliver(2)
    assert list(world.documents.bodies.values()) == [str(old)]


async def test_a_move_that_only_a_refused_send_tells_of_is_kept_for_the_next_process(world):
    """Parley was off for longer than Telegram keeps the service message."""
    old = world.people.add_group("Team", [world.alice.id], "group")
    new = world.people.upgrade(old)
    await lose_updates(world)
    await world.channel.open_reply(world.target(old), Notes()).finish(snapshot("hello"))
    assert world.answers(new) == ("hello",)
    inbox = KeepingInbox()
    async with listening(world.another_channel(), inbox):
        world.people.say(new, world.alice.id, "@parley_bot hi")
        assert (await inbox.first())[0].conversation.chat == str(old)


async def test_a_refused_send_is_sent_again_while_the_store_is_away(world):
    old = world.people.add_group("Team", [world.alice.id], "group")
    new = world.people.upgrade(old)
    await lose_updates(world)
    world.documents.refusals = 10**6
    await world.channel.open_reply(world.target(old), Notes()).finish(snapshot("hello"))
    assert world.answers(new) == ("hello",)


async def test_a_supergroup_that_began_as_a_conversation_of_its_own_stays_one(world):
    old = world.people.add_group("Team", [world.alice.id], "group")
    new = world.people.upgrade(old)
    await lose_updates(world)
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        world.people.say(new, world.alice.id, "@parley_bot hi")
        assert (await inbox.first())[0].conversation.chat == str(new)
        await world.channel.open_reply(world.target(old), Notes()).finish(snapshot("late"))
        world.people.say(new, world.alice.id, "@parley_bot again")
        assert (await inbox.first(2))[1].conversation.chat == str(new)
    assert world.answers(new) == ("late",)
