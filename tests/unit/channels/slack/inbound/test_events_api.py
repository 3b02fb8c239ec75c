"""Being posted to: only by Slack, and never thanked before the message is on disk."""

import asyncio
import hashlib
import hmac
import json
import random
import time
from collections import Counter
from contextlib import asynccontextmanager
from urllib.parse import urlencode

import aiohttp
import httpx
import pytest
from starlette.applications import Starlette

from parley.channels.slack.inbound.events_api import MAX_BODY, EventsApiEndpoint, parse_payload
from parley.channels.slack.inbound.socket_mode import SocketTiming
from parley.core.model.errors import AuthenticationRefused
from parley.simulator.slack import SlackSimulator
from parley.simulator.slack import SlackSimulatorTiming as Pace
from tests.kit.machine import patience
from tests.kit.platforms.slack_channel import KeepingInbox, World, listening, served
from tests.unit.channels.slack.inbound.post_mutations import mutants

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


@asynccontextmanager
async def posted(world, **more):
    """A channel that Slack posts to, and a client of its door that comes under any host name."""
    channel = world.channel(events="http", **more)
    async with (
        served(channel) as url,
        httpx.AsyncClient(headers={"host": "chat.example"}, timeout=patience(20)) as http,
    ):
        await asyncio.to_thread(world.sim.post_to, url)
        yield channel, Door(world, http, url)


class Door:
    """Posts to the channel as Slack does."""

    def __init__(self, world, http, url):
        self.secret, self.http, self.url = world.sim.signing_secret, http, url

    def headers(self, body, at=None, secret=None, content_type=JSON):
        stamp = str(int(time.time() if at is None else at))
        key = (secret or self.secret).encode()
        signature = hmac.new(key, b"v0:" + stamp.encode() + b":" + body, hashlib.sha256).hexdigest()
        return {
            "content-type": content_type,
            "x-slack-request-timestamp": stamp,
            "x-slack-signature": f"v0={signature}",
        }

    async def post(self, body, headers=None, **how):
        body = json.dumps(body).encode() if isinstance(body, dict) else body
        return await self.http.post(self.url, content=body, headers=headers or self.headers(body, **how))


def said(world, text, ts="5.5", team="T0SIM"):
    event = {"type": "message", "channel": world.alice.dm, "user": world.alice.id, "text": text, "ts": ts}
    return {"type": "event_callback", "team_id": team, "event": event, "event_id": "Ev1"}


async def test_what_is_said_is_posted_and_confirmed_in_order(world):
    inbox = KeepingInbox()
    async with posted(world) as (channel, _), listening(channel, inbox):
        for number in range(20):
            world.people.say(world.alice.dm, world.alice.id, f"{number}")
        messages = await inbox.first(20)
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert [message.text for message in messages] == [str(number) for number in range(20)]
    assert world.sim.calls("apps.connections.open") == ()


async def test_over_both_wires_the_same_is_heard(world):
    async def heard(channel):
        inbox = KeepingInbox()
        async with listening(channel, inbox):
            world.people.redeliver()
            return (await inbox.first())[0]

    over_socket = KeepingInbox()
    async with listening(world.channel(), over_socket):
        world.people.say(world.alice.dm, world.alice.id, "the *same* <&>")
        await over_socket.first()
        await world.until(lambda: world.people.unacknowledged() == 0)
    async with posted(world) as (channel, _):
        assert await heard(channel) == over_socket.messages[0]


async def test_an_event_is_posted_again_until_the_store_is_back(world):
    inbox = KeepingInbox(refusals=1_000_000)
    async with (
        posted(world, timing=SocketTiming(answer=patience(0.1))) as (channel, door),
        listening(channel, inbox),
    ):
        assert (await door.post(said(world, "one"))).status_code == 503
        inbox.refusals = 3
        world.people.say(world.alice.dm, world.alice.id, "two")
        assert (await inbox.first())[0].text == "two"
        await world.until(lambda: world.people.unacknowledged() == 0)


async def test_what_is_not_on_disk_in_time_is_answered_with_503(world):
    async def never(payload):
        await asyncio.Event().wait()

    hook = EventsApiEndpoint(world.sim.signing_secret, patience=0.05)
    door = Door(world, None, "")
    with hook.open(never):
        answer = await over_asgi(hook, door, said(world, "hello"))
    assert answer.status_code == 503


async def over_asgi(hook, door, payload, **how):
    body = json.dumps(payload).encode()
    transport = httpx.ASGITransport(Starlette(routes=list(hook.routes())))
    async with httpx.AsyncClient(transport=transport, base_url="http://any") as http:
        return await http.post("/hooks/slack", content=body, headers=door.headers(body, **how))


async def test_before_and_after_listening_slack_is_told_to_come_again(world):
    async with posted(world) as (channel, door):
        assert (await door.post(said(world, "early"))).status_code == 503
        async with listening(channel, KeepingInbox()):
            assert (await door.post(said(world, "in time"))).status_code == 200
        assert (await door.post(said(world, "late"))).status_code == 503


async def test_the_challenge_is_answered_also_while_nobody_listens(world):
    async with posted(world) as (_, door):
        answer = await door.post({"type": "url_verification", "token": "x", "challenge": "abc"})
        assert (answer.status_code, answer.json()) == (200, {"challenge": "abc"})


async def test_nobody_without_the_secret_is_heard(world):
    inbox = KeepingInbox()
    async with posted(world) as (channel, door), listening(channel, inbox):
        body = json.dumps(said(world, "let me in")).encode()
        right = door.headers(body)
        earlier = str(int(right["x-slack-request-timestamp"]) - 1)
        wrong = [
            {},
            door.headers(body, secret="another"),
            door.headers(b"{}"),
            right | {"x-slack-signature": ""},
            right | {"x-slack-signature": right["x-slack-signature"].removeprefix("v0=")},
            right | {"x-slack-signature": b"v0=\xe9\xff"},
            right | {"x-slack-request-timestamp": "soon"},
            right | {"x-slack-request-timestamp": "-5"},
            right | {"x-slack-request-timestamp": "9" * 400},
            right | {"x-slack-request-timestamp": earlier},
            door.headers(body, at=time.time() - 400),
            door.headers(body, at=time.time() + 400),
        ]
        for headers in wrong:
            assert (await door.post(body, headers or {"content-type": JSON})).status_code == 401
        challenge = json.dumps({"type": "url_verification", "challenge": "abc"}).encode()
        assert (await door.post(challenge, door.headers(challenge, secret="another"))).status_code == 401
        assert inbox.messages == []
        assert (await door.post(body, right)).status_code == 200
        assert inbox.messages[0].text == "let me in"


async def test_who_makes_us_wait_for_a_body_is_sent_away(world):
    async with (
        posted(world, timing=SocketTiming(answer=0.05)) as (channel, door),
        listening(channel, KeepingInbox()),
    ):
        address = httpx.URL(door.url)
        reader, writer = await asyncio.open_connection(address.host, address.port)
        lines = [f"POST {address.path} HTTP/1.1", "host: chat.example", "content-length: 900"]
        lines += [f"{name}: {value}" for name, value in door.headers(b"{}").items()]
        writer.write("\r\n".join([*lines, "", "{"]).encode())
        try:
            assert (await reader.readline()).startswith(b"HTTP/1.1 401 ")
        finally:
            writer.close()


async def test_timestamps_are_good_for_five_minutes(world):
    async def yes(payload):
        return {}

    hook = EventsApiEndpoint(world.sim.signing_secret, clock=lambda: 10_000.0)
    door = Door(world, None, "")
    with hook.open(yes):
        for at, status in ((9_700, 200), (9_699, 401), (10_300, 200), (10_301, 401)):
            assert (await over_asgi(hook, door, {}, at=at)).status_code == status


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"", JSON, 400),
        (b"{", JSON, 400),
        (b"\xff\xfe", JSON, 401),
        (b"[" * 200_000, JSON, 400),
        (b"[]", JSON, 400),
        (b"payload=%7B", FORM, 400),
        (b"payload=%5B%5D", FORM, 400),
        (b"&".join(b"a=1" for _ in range(200)), FORM, 400),
        (b"x" * (MAX_BODY + 1), JSON, 413),
        (b"ssl_check=1&token=x", FORM, 200),
        (b"{}", "text/plain", 200),
    ],
)
async def test_what_is_no_payload_is_refused_in_one_line(world, caplog, body, content_type, status):
    async with posted(world) as (channel, door), listening(channel, KeepingInbox()):
        answer = await door.post(body, content_type=content_type)
    assert answer.status_code == status
    assert not [line for line in caplog.messages if "\n" in line]
    assert world.sim.signing_secret not in caplog.text


async def test_buttons_commands_and_shortcuts_come_as_forms_and_are_thanked(world):
    async with posted(world) as (channel, door), listening(channel, KeepingInbox()):
        action = {"type": "block_actions", "actions": [{"action_id": "a"}], "user": {"id": "U1"}}
        for form in (
            {"payload": json.dumps(action)},
            {"payload": json.dumps({"type": "shortcut", "callback_id": "c"})},
            {"command": "/x", "text": "", "user_id": "U1"},
        ):
            answer = await door.post(urlencode(form).encode(), content_type=FORM)
            assert (answer.status_code, answer.content) == (200, b"")
        world.people.inject(action, "interactive")
        world.people.inject({"command": "/x", "text": ""}, "slash_commands")
        await world.until(lambda: world.people.unacknowledged() == 0)


def test_a_form_is_read_as_the_envelope_over_a_socket_would_be():
    action = {"type": "block_actions", "actions": [{"action_id": "a b&c=d"}]}
    assert (
        parse_payload(urlencode({"payload": json.dumps(action)}).encode(), f"{FORM}; charset=utf-8") == action
    )
    assert parse_payload(b"command=%2Fx&text=", FORM) == {"command": "/x", "text": ""}
    assert parse_payload(json.dumps(action).encode(), JSON) == action


async def test_posted_again_it_is_the_same_message(world):
    inbox = KeepingInbox()
    world.sim.faults.reset_next("post", "after")
    async with posted(world) as (channel, _), listening(channel, inbox):
        world.people.say(world.alice.dm, world.alice.id, "once")
        first, second = await inbox.first(2)
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert first == second
    attempts = [(post.attempt, post.reason, post.status) for post in world.sim.posts]
    assert attempts == [(0, "", 0), (1, "connection_failed", 200)]


async def test_without_tokens_that_are_good_it_does_not_listen(world):
    async with posted(world, bot_token="xoxb-wrong") as (channel, _):
        with pytest.raises(AuthenticationRefused):
            await asyncio.wait_for(channel.listen(KeepingInbox()), patience(10))


async def test_a_token_revoked_meanwhile_is_noticed_although_nobody_calls(world):
    quick = SocketTiming(pulse=0.02)
    async with posted(world, timing=quick) as (channel, _), listening(channel, KeepingInbox()) as task:
        world.sim.faults.fail_next("", "token_revoked", times=1000)
        with pytest.raises(AuthenticationRefused):
            await asyncio.wait_for(task, patience(10))


async def test_while_the_web_api_is_away_posts_are_stored_all_the_same(world):
    inbox = KeepingInbox()
    quick = SocketTiming(pulse=0.02)
    async with posted(world, timing=quick) as (channel, _), listening(channel, inbox) as task:
        before = len(world.sim.calls("auth.test"))
        world.sim.faults.fail_next("auth.test", "", status=502, times=5)
        await world.until(lambda: len(world.sim.calls("auth.test")) > before + 5)
        world.people.say(world.alice.dm, world.alice.id, "still there?")
        assert (await inbox.first())[0].text == "still there?"
        assert not task.done()


async def test_slack_takes_no_address_that_fails_its_challenge(world):
    async with served(world.channel(events="http", signing_secret="another")) as url:
        with pytest.raises(ValueError, match="status 401"):
            await asyncio.to_thread(world.sim.post_to, url)


async def test_slack_comes_at_once_and_twice_more_and_then_no_more():
    retries = Pace().scaled(0.001).retries
    with SlackSimulator(timing=Pace(ack=2.0, retries=retries)) as sim:
        world = World(sim, sim.people.add_person("Alice"))
        async with posted(world) as (_, _):
            world.people.say(world.alice.dm, world.alice.id, "nobody listens")
            await world.until(lambda: world.people.unacknowledged() == 0)
        assert len(sim.posts) == 4
    assert Pace().retries == (0.0, 60.0, 300.0)


async def test_mutated_posts_do_not_end_listening(world):
    inbox, patient = KeepingInbox(), SocketTiming(answer=60.0)
    async with posted(world, timing=patient) as (channel, door), listening(channel, inbox) as task:
        statuses = await post_all(door, mutants(random.Random(2), world, 2_000))
        assert set(statuses) == {200, 400, 401}
        assert (await door.post(said(world, "still there?", "1800000000.5"))).status_code == 200
        assert inbox.messages[-1].text == "still there?"
        assert not task.done()


async def post_all(door, posts, at_once=16) -> Counter[int]:
    """Post all of these; gives how often each status came back."""
    statuses: Counter[int] = Counter()

    async def post_on(http):
        for body, content_type, headers in posts:
            right = door.headers(body, content_type=content_type)
            async with http.post(door.url, data=body, headers=right | headers) as answer:
                statuses[answer.status] += 1

    async with aiohttp.ClientSession() as http:
        await asyncio.gather(*(post_on(http) for _ in range(at_once)))
    return statuses
