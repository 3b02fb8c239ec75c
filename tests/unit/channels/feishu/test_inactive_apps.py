"""An app that nobody can use is named: in the log, by `parley check`, and by a running Parley."""

import logging

import pytest

from parley.channels.feishu.errors import PlaceLost
from tests.kit.platforms.feishu_channel import KeepingInbox, Notes, listening, snapshot


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, "no version of the app is published in your organisation; publish one"),
        (1, "the app is switched off in your organisation; have an administrator switch it on"),
        (3, "the app is installed in your organisation and not switched on; have an administrator"),
        (5, "its licence has expired"),
        (6, "the plan of your organisation has expired"),
    ],
)
async def test_each_reason_is_a_finding_of_the_check(world, status, words):
    world.sim.people.activate(status)
    ((key, text),) = (await world.channel.preflight()).lacking
    assert key == "app_id"
    assert words in text


@pytest.mark.parametrize("status", [2, 4, 99])
async def test_nothing_is_said_of_apps_that_are_in_use_or_of_what_is_not_documented(world, status):
    world.sim.people.activate(status)
    assert (await world.channel.preflight()).lacking == ()


async def test_a_connected_channel_says_so_until_somebody_writes(world, caplog):
    caplog.set_level(logging.WARNING)
    world.sim.people.activate(0)
    inbox = KeepingInbox()
    assert world.channel.trouble == ""
    async with listening(world.channel, inbox):
        assert "no version of the app is published" in world.channel.trouble
        assert [line for line in caplog.messages if "nobody can write to the bot: no version" in line]
        world.sim.people.activate(2)
        world.say("hello")
        await inbox.first()
        assert world.channel.trouble == ""


async def test_whom_the_app_is_not_available_to_is_named_with_the_remedy(world):
    world.sim.people.remove_bot(world.ann.chat)
    with pytest.raises(PlaceLost, match=r"230013.*widen its availability, and publish a version"):
        await world.channel.open_reply(world.target(), Notes()).finish(snapshot("hi", final=True))
