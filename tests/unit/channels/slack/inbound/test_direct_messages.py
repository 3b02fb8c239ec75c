"""What a conversation is in a DM: a thread for an app with agent_view, one long talk for the others."""

import pytest

from parley.channels.slack.channel import SlackChannel
from parley.channels.slack.inbound.direct_messages import DirectMessages
from parley.simulator.slack import SlackSimulator, SlackSimulatorTiming
from tests.kit.doubles.web import MemoryDocuments
from tests.kit.machine import patience
from tests.kit.platforms.slack_channel import KeepingInbox, World, listening

ROOT = {"type": "message", "channel": "D1", "ts": "1.5", "user": "U1", "text": "hi"}


async def topic(direct: DirectMessages, event=ROOT):
    return (await direct.place(event)).get("thread_ts")


@pytest.mark.parametrize(("mode", "thread"), [("auto", None), ("threads", "1.5"), ("one", None)])
async def test_an_app_that_nothing_is_known_of_is_as_set(mode, thread):
    assert await topic(DirectMessages(mode, "k", None)) == thread


@pytest.mark.parametrize(
    "signal",
    [
        {"type": "app_context_changed", "context": {}},
        {"type": "app_home_opened", "tab": "messages", "context": {}},
        ROOT | {"app_context": {"entities": []}},
    ],
)
async def test_what_only_an_agent_is_sent_makes_messages_begin_threads(signal):
    direct = DirectMessages("auto", "k", None)
    await direct.learn(signal)
    assert await topic(direct) == "1.5"
    assert await topic(direct, ROOT | {"thread_ts": "0.5"}) == "0.5"
    assert await topic(direct, ROOT | {"channel": "C1"}) is None


@pytest.mark.parametrize(
    "signal",
    [
        ROOT,
        {"type": "app_home_opened", "tab": "messages"},
        {"type": "assistant_thread_started", "assistant_thread": {"context": {}}},
    ],
)
async def test_what_other_apps_are_sent_too_changes_nothing(signal):
    direct = DirectMessages("auto", "k", None)
    await direct.learn(signal)
    assert await topic(direct) is None


async def test_it_is_known_to_other_nodes_and_after_a_start():
    documents = MemoryDocuments()
    first, second, other = (DirectMessages("auto", key, documents) for key in ("a", "a", "b"))
    assert await topic(second) is None
    await first.learn({"type": "app_context_changed"})
    await first.learn({"type": "app_context_changed"})
    assert [await topic(each) for each in (first, second, other)] == ["1.5", "1.5", None]


async def test_set_to_one_talk_an_agent_has_one():
    direct = DirectMessages("one", "k", None)
    await direct.learn({"type": "app_context_changed"})
    assert await topic(direct) is None


async def heard(world: World, channel: SlackChannel, thread: str = ""):
    inbox = KeepingInbox()
    async with listening(channel, inbox):
        ts = world.people.say(world.alice.dm, world.alice.id, "hello", thread)
        (message,) = await inbox.first()
        await world.until(lambda: world.people.unacknowledged() == 0)
    return ts, message.conversation.topic


async def test_an_agents_first_message_begins_a_thread(world):
    ts, topic = await heard(world, world.channel())
    assert topic == ts


@pytest.mark.parametrize("experience", ["assistant", "plain"])
async def test_the_talk_with_an_older_app_goes_on(experience):
    timing = SlackSimulatorTiming(ack=patience(1.0))
    with SlackSimulator(experience=experience, timing=timing) as sim:
        world = World(sim, sim.people.add_person("Alice"))
        assert (await heard(world, world.channel()))[1] is None
        _, topic = await heard(world, world.channel(), root := world.people.open_chat(world.alice))
        assert topic == root


async def test_an_edit_belongs_where_its_message_does(world):
    inbox = KeepingInbox()
    async with listening(world.channel(), inbox):
        ts = world.people.say(world.alice.dm, world.alice.id, "hello")
        world.people.edit(world.alice.dm, ts, "hello you")
        said, edit = await inbox.first(2)
    assert said.conversation == edit.conversation
    assert edit.edits == said.id
