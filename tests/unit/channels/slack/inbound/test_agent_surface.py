"""Suggested prompts where a chat begins, and the titles of chats."""

import pytest

from parley.channels.slack.config import SuggestedPrompt
from parley.channels.slack.inbound.agent_surface import title_of
from parley.simulator.slack import SlackSimulator, SlackSimulatorTiming
from tests.kit.doubles.web import MemoryDocuments
from tests.kit.machine import patience
from tests.kit.platforms.slack_channel import KeepingInbox, Notes, World, listening, snapshot

SUGGEST = "assistant.threads.setSuggestedPrompts"


@pytest.fixture
def panel():
    timing = SlackSimulatorTiming(ack=patience(1.0))
    with SlackSimulator(experience="assistant", timing=timing) as sim:
        yield World(sim, sim.people.add_person("Alice"))


async def test_whoever_opens_an_agent_is_offered_something_to_begin_with(world):
    async with listening(world.channel(), KeepingInbox()):
        world.people.open_home(world.alice.id)
        await world.until(lambda: world.people.prompts(world.alice.dm))
        world.people.open_home(world.alice.id)
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert len(world.people.prompts(world.alice.dm)) == 3
    assert len(world.sim.calls(SUGGEST)) == 1


async def test_in_their_language(world):
    bo = world.people.add_person("Bo", locale="zh-CN")
    async with listening(world.channel(), KeepingInbox()):
        world.people.open_home(bo.id)
        await world.until(lambda: world.people.prompts(bo.dm))
    assert world.people.prompts(bo.dm)[0] == "你能做什么？"


async def test_or_what_the_operator_has_set(panel):
    prompts = (SuggestedPrompt(title="Cake", message="Bake me one"),)
    async with listening(panel.channel(suggested_prompts=prompts), KeepingInbox()):
        root = panel.people.open_chat(panel.alice)
        await panel.until(lambda: panel.people.prompts(panel.alice.dm, root))
    assert panel.people.prompts(panel.alice.dm, root) == ("Cake",)


async def test_a_guest_is_offered_nothing(world):
    gus = world.people.add_person("Gus", guest="one")
    async with listening(world.channel(), KeepingInbox()):
        world.people.open_home(gus.id)
        world.people.open_home(world.alice.id)
        await world.until(lambda: world.people.prompts(world.alice.dm))
    assert world.people.prompts(gus.dm) == ()


@pytest.mark.parametrize(("error", "agent"), [("internal_error", True), ("missing_scope", False)])
async def test_slacks_answer_tells_what_the_app_is(world, error, agent):
    world.people.unsubscribe("app_context_changed")
    world.sim.faults.fail_next(SUGGEST, error, times=9)
    channel, inbox = world.channel(), KeepingInbox()
    async with listening(channel, inbox):
        world.people.open_home(world.alice.id)
        await world.until(lambda: world.sim.calls(SUGGEST))
        # The answer is on its way: what is known after it counts for the next message.
        number = 0
        while agent and (number == 0 or inbox.messages[-1].conversation.topic is None):
            world.people.say(world.alice.dm, world.alice.id, "hello")
            number += 1
            await inbox.first(number)
        if not agent:
            world.people.say(world.alice.dm, world.alice.id, "hello")
            assert (await inbox.first())[0].conversation.topic is None


async def test_the_panel_is_told_from_an_agent(panel):
    documents = MemoryDocuments()
    channel = panel.channel()
    channel._documents = documents
    async with listening(channel, KeepingInbox()):
        panel.people.open_home(panel.alice.id)
        await panel.until(lambda: panel.sim.calls(SUGGEST))
    assert not await documents.list("")


async def test_a_conversation_is_called_as_it_begins(world):
    inbox, channel = KeepingInbox(), world.channel()
    async with listening(channel, inbox):
        root = world.people.say(world.alice.dm, world.alice.id, "plan <the> party\nwith cake")
        await inbox.first()
        await channel.open_reply(world.target((world.alice.dm, root)), Notes()).show(snapshot(""))
        assert world.people.title(world.alice.dm, root) == "plan the party"
        world.people.say(world.alice.dm, world.alice.id, "and beer", root)
        await inbox.first(2)
    assert world.people.title(world.alice.dm, root) == "plan the party"


async def test_a_chat_of_the_panel_is_called_by_its_first_message(panel):
    inbox = KeepingInbox()
    async with listening(panel.channel(), inbox):
        root = panel.people.open_chat(panel.alice)
        for text in ("plan the party", "and beer"):
            panel.people.say(panel.alice.dm, panel.alice.id, text, root)
        await inbox.first(2)
        await panel.until(lambda: panel.people.title(panel.alice.dm, root))
    assert panel.people.title(panel.alice.dm, root) == "plan the party"


@pytest.mark.parametrize(
    "event",
    [
        {"type": "assistant_thread_started"},
        {"type": "assistant_thread_started", "assistant_thread": {"channel_id": 5}},
        {"type": "app_home_opened", "tab": "messages"},
        {"type": "app_home_opened", "tab": ["messages"], "user": "U1"},
        {"type": "app_context_changed", "context": []},
    ],
)
@pytest.mark.strange
async def test_an_event_that_says_too_little_is_skipped(world, event):
    inbox = KeepingInbox()
    async with listening(world.channel(), inbox):
        world.people.inject_event(event)
        world.people.say(world.alice.dm, world.alice.id, "and now")
        assert (await inbox.first())[0].text == "and now"
    assert world.sim.calls(SUGGEST) == ()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("one\ntwo", "one"),
        ("  a <!channel>  b ", "a !channel b"),
        ("x" * 500, "x" * 79 + "…"),
        ("", ""),
        ("\n\n", ""),
    ],
)
def test_titles(text, title):
    assert title_of(text) == title
