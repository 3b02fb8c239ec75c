"""Connecting, polling, and never confirming what is not on disk."""

import asyncio
import logging
import traceback
from typing import Any

import pytest

from parley.channels.telegram.api import TelegramApi
from parley.channels.telegram.config import Config
from parley.channels.telegram.inbound.polling import Polling
from parley.channels.telegram.inbound.update_handler import TelegramInboundContext, UpdateHandler
from parley.channels.telegram.inbound.update_parser import TelegramBotIdentity
from parley.core.model.errors import AuthenticationRefused, ChannelUnavailable
from parley.core.model.types import Json
from tests.kit.machine import patience
from tests.kit.platforms.telegram_channel import KeepingInbox, listening


async def test_a_message_arrives_with_all_that_is_known_about_it(world):
    inbox = KeepingInbox()
    number = world.say("hello")
    async with listening(world.channel, inbox):
        (message,) = await inbox.first()
    assert message.id == f"{world.alice.id}:{number}"
    assert message.conversation.key == f"telegram:{world.alice.id}"
    assert (message.text, message.private, message.addressed) == ("hello", True, True)
    assert (message.sender.name, message.sender.language) == ("Alice", "de")


async def test_messages_written_while_nobody_listened_are_not_dropped(world):
    for number in range(130):
        world.say(f"{number}")
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        messages = await inbox.first(130)
    assert [message.text for message in messages] == [str(number) for number in range(130)]


async def test_the_offset_moves_only_when_the_whole_batch_is_on_disk(world):
    world.say("one")
    world.say("two")
    inbox = KeepingInbox(refusals=1)
    async with listening(world.channel, inbox):
        await world.until(lambda: world.sim.calls("setMyCommands"))
        assert world.people.unconfirmed() == 2
        assert [message.text for message in await inbox.first(2)] == ["one", "two"]
        await world.until(lambda: world.people.unconfirmed() == 0)


async def test_what_was_not_confirmed_comes_again_after_a_crash(world):
    world.say("one")
    full = KeepingInbox(refusals=100)
    async with listening(world.channel, full):
        await world.until(lambda: world.sim.calls("getUpdates"))
    inbox = KeepingInbox()
    async with listening(world.another_channel(), inbox):
        assert (await inbox.first())[0].text == "one"


async def test_redelivered_updates_keep_their_id(world):
    world.say("one")
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        await inbox.first()
        await world.until(lambda: world.people.unconfirmed() == 0)
        world.people.redeliver()
        first, second = await inbox.first(2)
    assert first.id == second.id


async def test_a_refused_token_is_seen_at_once_and_never_told(world, caplog):
    caplog.set_level(logging.DEBUG)
    wrong = "555555555:a-token-that-is-wrong-and-secret"
    for token in (wrong, "555555555:short/secret"):
        channel = world.another_channel(bot_token=token)
        with pytest.raises(AuthenticationRefused) as raised:
            await channel.listen(KeepingInbox())
        told = "".join(traceback.format_exception(raised.value)) + caplog.text
        assert "secret" not in told


@pytest.mark.parametrize("trouble", ["reset", "garbage", "502", "nobody there"])
async def test_no_log_and_no_error_has_the_token(world, caplog, trouble):
    caplog.set_level(logging.DEBUG)
    channel = world.channel
    match trouble:
        case "reset":
            world.sim.faults.reset_next("getMe")
        case "garbage":
            world.sim.faults.garble_next("getMe")
        case "502":
            world.sim.faults.fail_next("getMe", 502, "Bad Gateway")
        case _:
            channel = world.another_channel(api_url="http://127.0.0.1:9")
    with pytest.raises(ChannelUnavailable) as raised:
        await channel.listen(KeepingInbox())
    told = "".join(traceback.format_exception(raised.value)) + caplog.text
    assert world.sim.token not in told
    assert world.sim.token not in repr(Config(bot_token=world.sim.token))


async def test_a_second_program_with_the_same_token_is_named(world):
    inbox = KeepingInbox()
    first = asyncio.create_task(world.channel.listen(inbox))
    await world.until(lambda: world.sim.calls("setMyCommands"))
    async with listening(world.another_channel(), KeepingInbox()):
        with pytest.raises(ChannelUnavailable, match="another program polls"):
            await asyncio.wait_for(first, patience(10))


@pytest.mark.parametrize("trouble", ["dropped", "garbage", "status", "reset", "outage"])
async def test_a_broken_poll_ends_the_connection_and_loses_nothing(world, trouble):
    inbox = KeepingInbox()
    faults = world.sim.faults
    if trouble == "garbage":
        faults.garble_next("getUpdates")
    if trouble == "status":
        faults.fail_next("getUpdates", 500, "Internal Server Error")
    if trouble == "reset":
        faults.reset_next("getUpdates", "after")
    task = asyncio.create_task(world.channel.listen(inbox))
    if trouble in ("dropped", "outage"):
        await world.until(lambda: world.sim.is_polled)
        faults.outage(0.2 if trouble == "outage" else 0)
        world.sim.drop_poll()
    world.say("still here")
    with pytest.raises(ChannelUnavailable):
        await asyncio.wait_for(task, patience(10))
    faults.clear()
    async with listening(world.channel, inbox):
        assert (await inbox.first())[-1].text == "still here"


async def test_a_webhook_left_behind_is_taken_away_and_waiting_updates_kept(world):
    world.sim.world.webhook = "http://127.0.0.1:9/gone"
    world.say("kept")
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        assert (await inbox.first())[0].text == "kept"


async def test_commands_are_registered_in_both_languages(world):
    async with listening(world.channel, KeepingInbox()):
        assert world.people.commands() == {"new": "Start anew", "stop": "Stop"}
        assert world.people.commands(language="zh") == {"new": "开始新对话"}


async def test_listening_goes_on_without_a_command_menu(world):
    world.sim.faults.fail_next("setMyCommands", 429, retry_after=100, times=2)
    world.say("hello")
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        await inbox.first()


RUBBISH = [
    {"message": {}},
    {"message": []},
    {"message": "text"},
    {"message": {"message_id": "x", "chat": {"id": 5, "type": "private"}, "date": "soon"}},
    {"message": {"message_id": 1, "chat": {"id": 5}, "date": 10**30}},
    {"message": {"message_id": 1, "date": 1, "chat": {"id": 5, "type": "private"}, "entities": {"a": 1}}},
    {"update_id": None},
    {"something_new": {"deep": [[[1]]]}},
]


@pytest.mark.parametrize("rubbish", RUBBISH)
async def test_a_rubbish_update_is_named_and_skipped_and_the_batch_goes_on(world, rubbish):
    world.say("before")
    world.people.inject(dict(rubbish))
    world.say("after")
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        assert [message.text for message in await inbox.first(2)] == ["before", "after"]


async def test_a_skipped_update_is_named_in_the_log(world, caplog):
    world.people.inject({"update_id": 800_000_000, "message": {"chat": 5}})
    world.say("after")
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        await inbox.first()
    assert "update 800000000 (message) cannot be read and is skipped" in caplog.text


async def test_a_skipped_update_fills_no_log(world, caplog):
    world.people.inject({"message": {"chat": 5}, "9" * 5_000: None})
    world.say("after")
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        await inbox.first()
    (line,) = [each.getMessage() for each in caplog.records if "skipped" in each.getMessage()]
    assert len(line) < 500


class ScriptedServer(TelegramApi):
    """Answers polls with what the test says, and then never again."""

    def __init__(self, *batches: list[Any]) -> None:
        self.batches = list(batches)
        self.ended = asyncio.Event()

    async def updates(self, offset: int, kinds: object) -> list[Any]:
        if not self.batches:
            self.ended.set()
            await asyncio.Event().wait()
        return self.batches.pop(0)


class CountingHandler(UpdateHandler):
    """Reads what has a message."""

    def __init__(self) -> None:
        """Know nobody."""

    async def take(self, raw: Json, listener: object) -> bool:
        return isinstance(raw, dict) and "message" in raw


async def pauses_between(*batches):
    """The pauses that are made while a server answers so."""
    server, pauses = ScriptedServer(*batches), []

    async def sleep(seconds):
        pauses.append(seconds)

    me = TelegramInboundContext(KeepingInbox(), TelegramBotIdentity(1, "bot"))
    task = asyncio.create_task(Polling(server, CountingHandler(), sleep).run(me))
    async with asyncio.timeout(patience(10)):
        await server.ended.wait()
    task.cancel()
    return pauses


def update(number, **body):
    return {"update_id": number, **(body or {"message": {}})}


async def test_a_server_that_makes_progress_is_polled_without_a_pause():
    assert await pauses_between([update(1)], [update(2), update(3)], [update(4, new={}), update(5)]) == []


async def test_a_server_that_repeats_itself_is_polled_ever_more_slowly():
    same = [[update(7)]] * 10
    assert await pauses_between(*same) == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


async def test_updates_that_nobody_can_read_are_polled_for_ever_more_slowly():
    batches = [[update(number, strange=1)] for number in range(1, 5)]
    assert await pauses_between(*batches, [["text"]], [update(9)], [update(9)]) == [
        *(0.25, 0.5, 1.0, 2.0, 4.0),
        0.25,
    ]


async def test_a_server_that_does_not_wait_is_asked_every_two_seconds_at_most():
    assert await pauses_between([], [], [], [], [], [update(1)], []) == [0.25, 0.5, 1.0, 2.0, 2.0, 0.25]
