"""Being posted to: only by Telegram, and never thanked before the update is on disk."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp

from parley.channels.telegram.config import Config
from parley.channels.telegram.inbound.webhook import MAX_BODY
from parley.channels.telegram.outbound.reply import TelegramReplyTiming
from parley.console.http.options import ConsoleOptions
from parley.console.server import HttpServer
from parley.core.model.errors import ChannelUnavailable, RateLimited
from tests.kit.machine import patience
from tests.kit.platforms.telegram_channel import KeepingInbox, World, listening
from tests.unit.channels.telegram.questions import asked

HEADER = "X-Telegram-Bot-Api-Secret-Token"
PATH = "/hooks/telegram"


class Door:
    """Stands where Telegram posts to, before the channel that will serve it is there."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.app: ASGIApp | None = None

    async def __call__(self, scope, receive, send):
        assert self.app is not None
        await self.app(scope, receive, send)


@asynccontextmanager
async def hooked(world: World, **more) -> AsyncIterator[tuple[Any, ...]]:
    """A channel with a webhook, mounted in a console that is for this machine only, and a client of it."""
    door = Door("")
    running, url = await serve(door)
    try:
        channel = world.another_channel(webhook_url=f"{url}{PATH}", **more)
        door.app = HttpServer(
            ConsoleOptions(token="nobody-needs-it", generated=True), (), tuple, webhooks=channel.routes()
        ).app
        async with httpx.AsyncClient(
            base_url=url, headers={"host": "chat.example"}, timeout=patience(20)
        ) as http:
            yield channel, http
    finally:
        running.cancel()
        await asyncio.wait([running])


async def serve(door: Door) -> tuple[asyncio.Task[None], str]:
    server = HttpServer(ConsoleOptions(port=0, token="nobody-needs-it"), (), tuple)
    server.app = door
    url = asyncio.get_running_loop().create_future()
    running = asyncio.create_task(server.run(url.set_result))
    return running, await url


def secret(world: World) -> dict[str, str]:
    return {HEADER: world.sim.world.webhook_secret}


def update(world: World, number: int = 7) -> dict[str, Any]:
    chat = {"id": world.alice.id, "type": "private", "first_name": "Alice"}
    sender = {"id": world.alice.id, "is_bot": False, "first_name": "Alice"}
    message = {"message_id": number, "date": 1, "chat": chat, "from": sender, "text": f"number {number}"}
    return {"update_id": number, "message": message}


async def test_what_is_said_is_posted_and_confirmed_in_order(world):
    inbox = KeepingInbox()
    async with hooked(world) as (channel, _), listening(channel, inbox):
        for number in range(20):
            world.say(f"{number}")
        messages = await inbox.first(20)
        await world.until(lambda: world.people.unconfirmed() == 0)
    assert [message.text for message in messages] == [str(number) for number in range(20)]
    assert world.sim.calls("getUpdates") == ()


async def test_an_update_is_posted_again_until_the_store_is_back(world):
    world.sim.world.webhook_retry = 0.05
    inbox = KeepingInbox(refusals=3)
    async with hooked(world) as (channel, _), listening(channel, inbox):
        world.say("one")
        world.say("two")
        assert [message.text for message in await inbox.first(2)] == ["one", "two"]
        await world.until(lambda: world.people.unconfirmed() == 0)
    assert "503" in world.sim.world.webhook_error[1]


async def test_a_press_is_posted_again_until_it_is_on_disk_and_then_answered(world):
    world.sim.world.webhook_retry = 0.05
    inbox = KeepingInbox(refusals=2)
    async with hooked(world) as (channel, _), listening(channel, inbox):
        number = await asked(channel, world)
        world.people.press(world.alice.id, world.alice.id, number, "Ship it")
        (click,) = await inbox.pressed()
        await world.until(lambda: world.people.told(world.alice.id, world.alice.id) == ("Noted.",))
        await world.until(lambda: world.people.unconfirmed() == 0)
    assert click.option == "ship"
    assert "503" in world.sim.world.webhook_error[1]


async def test_nobody_without_the_secret_is_heard(world):
    inbox = KeepingInbox()
    async with hooked(world) as (channel, http), listening(channel, inbox):
        for headers in (
            {},
            {HEADER: ""},
            {HEADER: "wrong"},
            {HEADER: "é".encode()},
            {HEADER: world.sim.token},
        ):
            answer = await http.post(PATH, json=update(world), headers=headers)
            assert answer.status_code == 401
        answer = await http.post(PATH, json=update(world), headers=secret(world))
        assert (answer.status_code, inbox.messages[0].text) == (200, "number 7")


async def test_before_and_after_listening_telegram_is_told_to_come_again(world):
    async with hooked(world, webhook_secret="a-secret-of-our-own") as (channel, http):
        headers = {HEADER: "a-secret-of-our-own"}
        assert (await http.post(PATH, json=update(world), headers=headers)).status_code == 503
        async with listening(channel, KeepingInbox()):
            assert (await http.post(PATH, json=update(world), headers=headers)).status_code == 200
        assert (await http.post(PATH, json=update(world), headers=headers)).status_code == 503


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"", 400), (b"{", 400), (b"\xff\xfe", 400), (b"[" * 200_000, 400), (b"x" * (MAX_BODY + 1), 413)],
)
@pytest.mark.strange
async def test_what_is_no_update_is_refused_in_one_line(world, caplog, body, status):
    caplog.set_level(logging.WARNING, "parley.channels.telegram.inbound.webhook")
    async with hooked(world) as (channel, http), listening(channel, KeepingInbox()):
        assert (await http.post(PATH, content=body, headers=secret(world))).status_code == status
        assert (await http.post(PATH, json=update(world), headers=secret(world))).status_code == 200
    (line,) = [
        record.getMessage()
        for record in caplog.records
        if record.name == "parley.channels.telegram.inbound.webhook"
    ]
    assert "\n" not in line


@pytest.mark.parametrize("rubbish", [{}, [], None, 5, {"message": 5}, {"update_id": "x", "message": {}}])
@pytest.mark.strange
async def test_an_update_that_says_nothing_is_taken_and_skipped(world, rubbish):
    inbox = KeepingInbox()
    async with hooked(world) as (channel, http), listening(channel, inbox):
        assert (await http.post(PATH, content=json.dumps(rubbish), headers=secret(world))).status_code == 200
    assert inbox.messages == []


async def test_any_node_behind_the_address_takes_what_another_asked_for(world):
    inbox = KeepingInbox()
    async with hooked(world) as (first, _), hooked(world) as (second, http):
        async with listening(second, inbox), listening(first, KeepingInbox()):
            answer = await http.post(PATH, json=update(world), headers=secret(world))
        assert (answer.status_code, inbox.messages[0].text) == (200, "number 7")


async def test_going_back_to_polling_takes_the_webhook_away_and_keeps_what_waits(world):
    async with hooked(world) as (channel, _), listening(channel, KeepingInbox()):
        assert world.sim.world.webhook
    world.say("while nobody listened")
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        assert (await inbox.first())[0].text == "while nobody listened"
    assert world.sim.world.webhook == ""


async def test_a_webhook_that_somebody_took_away_is_set_again_by_listening_anew(world):
    async with hooked(world, rhythm=TelegramReplyTiming(webhook=0.05)) as (channel, _):
        task = asyncio.create_task(channel.listen(KeepingInbox()))
        await world.until(lambda: world.sim.world.webhook)
        world.sim.world.webhook = "http://127.0.0.1:9/theirs"
        with pytest.raises(ChannelUnavailable, match="taken the webhook"):
            await asyncio.wait_for(task, patience(10))
        async with listening(channel, KeepingInbox()):
            assert world.sim.world.webhook.endswith(PATH)


async def test_an_address_that_telegram_cannot_reach_is_named_once(world, caplog):
    caplog.set_level(logging.WARNING, "parley.channels.telegram.channel")
    channel = world.another_channel(
        webhook_url=f"http://127.0.0.1:9{PATH}", rhythm=TelegramReplyTiming(webhook=0.02)
    )
    world.sim.world.webhook_retry = 30.0
    async with listening(channel, KeepingInbox()):
        world.say("hello")
        await world.until(lambda: len(world.sim.calls("getWebhookInfo")) > 5)
    (line,) = [record.getMessage() for record in caplog.records if "posting to us" in record.getMessage()]
    assert "Connection failed" in line


async def test_a_poller_learns_that_there_is_a_webhook(world):
    inbox = KeepingInbox()
    poller = asyncio.create_task(world.channel.listen(inbox))
    await world.until(lambda: world.sim.is_polled)
    async with hooked(world) as (channel, _), listening(channel, KeepingInbox()):
        with pytest.raises(ChannelUnavailable, match="has set a webhook"):
            await asyncio.wait_for(poller, patience(10))


def test_a_channel_that_polls_has_no_routes(world):
    assert tuple(world.channel.routes()) == ()


def test_the_secret_is_the_same_on_every_node_and_never_shown():
    one, other = Config(bot_token="1:a"), Config(bot_token="1:a")
    assert one.secret == other.secret != Config(bot_token="1:b").secret
    assert "1:a" not in one.secret
    own = Config(bot_token="1:a", webhook_secret="sixteen-letters-x")
    assert own.secret == "sixteen-letters-x"
    assert own.secret not in repr(own)


async def test_nodes_that_start_together_all_set_the_webhook(world, caplog):
    async with (
        hooked(world) as (first, _),
        hooked(world) as (second, _),
        listening(first, KeepingInbox()),
        listening(second, KeepingInbox()),
    ):
        statuses = [call.status for call in world.sim.calls("setWebhook")]
    assert statuses == [200, 429, 200]
    assert "another program" not in caplog.text


async def test_a_webhook_that_another_node_sets_at_this_moment_is_set_again(world):
    world.sim.faults.fail_next("setWebhook", 409, "Conflict: terminated by other setWebhook")
    async with hooked(world) as (channel, _), listening(channel, KeepingInbox()):
        assert [call.status for call in world.sim.calls("setWebhook")] == [409, 200]


async def test_a_long_pause_that_telegram_asks_for_is_the_cores_to_wait(world):
    world.sim.faults.fail_next("setWebhook", 429, retry_after=30)
    async with hooked(world) as (channel, _):
        with pytest.raises(RateLimited) as asked:
            async with listening(channel, KeepingInbox()):
                pass
    assert asked.value.retry_after == 30
    assert len(world.sim.calls("setWebhook")) == 1
