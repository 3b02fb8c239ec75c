"""Who is heard: full members of the workspace, and those who are named."""

import logging

import pytest

from parley.channels.slack.config import Config
from parley.channels.slack.inbound.membership import is_member
from parley.channels.slack.users import SlackBotIdentity, SlackUser
from tests.kit.platforms.slack_channel import KeepingInbox, listening

ME = SlackBotIdentity("U0BOT", "B0BOT", "T1")
IN_ORGANISATION = SlackBotIdentity("U0BOT", "B0BOT", "T1", "E1")


@pytest.fixture
def outsiders(world):
    """A guest of several channels, one of a single channel, and somebody of another workspace."""
    return [
        world.people.add_person("Gus", guest="several"),
        world.people.add_person("Gil", guest="one"),
        world.people.add_person("Eve", team="T0OTHER"),
    ]


async def heard(world, people, **settings) -> list[str]:
    """Who of these, writing one after the other, is heard; Alice, who writes last, always is."""
    inbox = KeepingInbox()
    async with listening(world.channel(**settings), inbox):
        for person in (*people, world.alice):
            world.people.say(person.dm, person.id, f"I am {person.name}")
            await world.until(lambda: world.people.unacknowledged() == 0)
        await inbox.first()
    return [message.sender.name for message in inbox.messages]


def test_nothing_said_everybody_of_the_workspace_and_nothing_listed_nobody():
    assert Config().allowed_users == ("*",)
    assert Config(allowed_users=[]).allowed_users == ()  # type: ignore[arg-type]


async def test_members_are_heard_and_outsiders_are_not(world, outsiders, caplog):
    caplog.set_level(logging.INFO)
    assert await heard(world, outsiders) == ["Alice"]
    assert f"{outsiders[0].id} is a guest" in caplog.text


async def test_outsiders_who_are_named_are_heard(world, outsiders):
    names = ["*", *(person.id for person in outsiders)]
    assert await heard(world, outsiders, allowed_users=names) == ["Gus", "Gil", "Eve", "Alice"]


async def test_where_only_some_are_named_the_core_says_no_to_the_others(world, outsiders):
    assert await heard(world, outsiders[:1], allowed_users=[world.alice.id]) == ["Gus", "Alice"]


async def test_a_guest_cannot_stop_others(world, outsiders):
    chat, inbox = world.people.add_channel("team", [world.alice.id]), KeepingInbox()
    root = world.people.say(chat, world.alice.id, "@parley go")
    stopped = {"type": "agent_session_stopped", "channel": chat, "thread_ts": root, "event_ts": "2.5"}
    async with listening(world.channel(), inbox):
        world.people.inject_event(stopped | {"user": outsiders[0].id})
        world.people.inject_event(stopped | {"user": world.alice.id})
        messages = await inbox.first(3)
    assert [message.sender.name for message in messages if message.text == "/stop"] == ["Alice"]


async def test_a_message_waits_until_slack_tells_who_wrote_it(world):
    inbox = KeepingInbox()
    world.sim.faults.fail_next("users.info", "", status=500, times=1)
    async with listening(world.channel(), inbox):
        world.people.say(world.alice.dm, world.alice.id, "hello")
        assert (await inbox.first())[0].sender.name == "Alice"
        await world.until(lambda: world.people.unacknowledged() == 0)


async def test_who_cannot_be_known_is_not_heard(world, caplog):
    world.people.restrict_scopes("users:read")
    inbox = KeepingInbox()
    async with listening(world.channel(), inbox):
        world.people.say(world.alice.dm, world.alice.id, "hello")
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert inbox.messages == []
    assert "lacks scopes: users:read (telling members from guests)" in caplog.text


@pytest.mark.parametrize(
    ("person", "me", "member"),
    [
        (SlackUser("", team="T1"), ME, True),
        (SlackUser("", team="T2"), ME, False),
        (SlackUser(""), ME, False),
        (SlackUser("", team="T1", guest=True), ME, False),
        (SlackUser("", team="T2", enterprise="E1"), IN_ORGANISATION, True),
        (SlackUser("", team="T2", enterprise="E2"), IN_ORGANISATION, False),
        (SlackUser("", team="T2", enterprise="E1", guest=True), IN_ORGANISATION, False),
    ],
)
def test_members_belong_to_the_workspace_or_to_its_organisation(person, me, member):
    assert is_member(person, me) is member
