"""The simulated Slack, judged by Slack's own SDK as it comes."""

import asyncio
import json
import re
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp.test_utils import TestServer
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from parley.simulator.slack import SlackSimulator, SlackSimulatorTiming
from parley.simulator.slack.cli import running
from tests.kit.waiting import until


@pytest.fixture
def slack(world):
    return AsyncWebClient(world.sim.bot_token, base_url=world.sim.api_url)


@asynccontextmanager
async def bolt(sim, listener):
    """A stock Bolt app over the SDK's own Socket Mode client."""
    app = AsyncApp(client=AsyncWebClient(sim.bot_token, base_url=sim.api_url))
    app.event(re.compile(".*"))(listener)
    app.action(re.compile(".*"))(listener)
    handler = AsyncSocketModeHandler(app, sim.app_token, ping_interval=1)
    await handler.connect_async()
    try:
        yield
    finally:
        await handler.close_async()
        await until(lambda: sim.connections == 0, "its connection is gone")


async def _error(call):
    with pytest.raises(SlackApiError) as raised:
        await call
    return raised.value.response["error"]


async def test_a_stock_bolt_app_hears_streams_and_sees_buttons(world):
    seen = []

    async def listener(body, client, ack):
        event = body.get("event", {})
        seen.append(event.get("type", body["type"]))
        await ack()
        if event.get("type") == "message":
            stream = await client.chat_stream(channel=event["channel"], thread_ts=event["ts"])
            await stream.append(markdown_text="Hello **you**, " * 30)
            await stream.stop(markdown_text="and bye")

    async with bolt(world.sim, listener):
        ts = world.people.say(world.alice.dm, world.alice.id, "hi")
        await world.until(lambda: "and bye" in "".join(world.people.answers(world.alice.dm, ts)))
        button = {"type": "button", "action_id": "a", "text": {"type": "plain_text", "text": "Yes"}}
        client = AsyncWebClient(world.sim.bot_token, base_url=world.sim.api_url)
        blocks = [{"type": "actions", "elements": [button]}]
        asked = await client.chat_postMessage(channel=world.alice.dm, text="Sure?", blocks=blocks)
        world.people.press(world.alice.dm, world.alice.id, asked["ts"], "Yes")
        await world.until(lambda: world.people.unacknowledged() == 0 and len(seen) == 2)
    assert seen == ["message", "block_actions"]
    assert not world.people.messages(world.alice.dm, ts)[-1].streaming


async def test_a_stock_bolt_app_is_posted_to(world):
    seen = []
    app = AsyncApp(
        client=AsyncWebClient(world.sim.bot_token, base_url=world.sim.api_url),
        signing_secret=world.sim.signing_secret,
    )

    async def listener(body, request, ack):
        event = body.get("event", body)
        seen.append((event["type"], request.headers.get("x-slack-retry-num")))
        await ack()

    app.event(re.compile(".*"))(listener)
    app.action(re.compile(".*"))(listener)
    async with TestServer(app.web_app(path="/slack/events")) as server:
        await asyncio.to_thread(world.sim.post_to, str(server.make_url("/slack/events")))
        world.sim.faults.reset_next("post", "after")
        world.people.say(world.alice.dm, world.alice.id, "hi")
        await world.until(lambda: world.people.unacknowledged() == 0)
        world.people.inject({"type": "block_actions", "actions": [{"action_id": "a"}]}, "interactive")
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert seen == [("message", None), ("message", ["1"]), ("block_actions", None)]


async def test_the_sdk_uploads_a_file(world, slack):
    await slack.files_upload_v2(channel=world.alice.dm, filename="a.txt", content="abc")
    message = world.people.messages(world.alice.dm)[-1]
    assert (message.files, world.people.file(world.alice.dm, message.ts, "a.txt")) == (("a.txt",), b"abc")


async def test_tokens_scopes_methods_and_limits_are_checked(world, slack):
    wrong = AsyncWebClient("xoxb-wrong", base_url=world.sim.api_url)
    assert await _error(wrong.auth_test()) == "invalid_auth"
    assert (
        await _error(slack.apps_connections_open(app_token=world.sim.bot_token)) == "not_allowed_token_type"
    )
    assert await _error(slack.api_call("no.such")) == "unknown_method"
    dm = world.alice.dm
    assert await _error(slack.chat_postMessage(channel=dm, markdown_text="x" * 12_001)) == "msg_too_long"
    assert await _error(slack.chat_postMessage(channel="C9", text="x")) == "channel_not_found"
    assert await _error(slack.chat_update(channel=dm, ts="1.0", text="x")) == "message_not_found"
    world.people.restrict_scopes("users:read")
    assert await _error(slack.users_info(user=world.alice.id)) == "missing_scope"


async def test_streams_have_their_rules(world, slack):
    chat = world.people.add_channel("team", [world.alice.id])
    root = world.people.say(chat, world.alice.id, "root")
    there = {"channel": chat, "thread_ts": root}
    assert await _error(slack.chat_startStream(**there)) == "missing_recipient_user_id"
    to = {"recipient_user_id": world.alice.id, "recipient_team_id": "T0SIM"}
    ts = (await slack.chat_startStream(**there, **to, markdown_text="a"))["ts"]
    assert await _error(slack.chat_update(channel=chat, ts=ts, text="x")) == "streaming_state_conflict"
    await slack.chat_appendStream(channel=chat, ts=ts, markdown_text="b")
    await slack.chat_stopStream(channel=chat, ts=ts, markdown_text="c")
    assert world.people.answers(chat, root) == ("abc",)
    again = slack.chat_appendStream(channel=chat, ts=ts, markdown_text="d")
    assert await _error(again) == "message_not_in_streaming_state"


async def test_a_stream_ends_by_itself():
    with SlackSimulator(timing=SlackSimulatorTiming(stream=0.0)) as sim:
        slack = AsyncWebClient(sim.bot_token, base_url=sim.api_url)
        ann = sim.people.add_person("Ann")
        root = sim.people.say(ann.dm, ann.id, "hi")
        ts = (await slack.chat_startStream(channel=ann.dm, thread_ts=root, markdown_text="a"))["ts"]
        stopped = slack.chat_stopStream(channel=ann.dm, ts=ts)
        assert await _error(stopped) == "message_not_in_streaming_state"


async def test_what_is_not_acknowledged_comes_again_and_then_no_more(world):
    async with aiohttp.ClientSession() as http:
        socket = await http.ws_connect(await _address(world, http))
        world.people.say(world.alice.dm, world.alice.id, "hi")
        frames = [json.loads((await socket.receive()).data) for _ in range(3)]
        assert [frame["type"] for frame in frames] == ["hello", "events_api", "events_api"]
        assert [frame["retry_attempt"] for frame in frames[1:]] == [0, 1]
        assert frames[1]["payload"] == frames[2]["payload"]
        await socket.send_json({"envelope_id": frames[1]["envelope_id"]})
        await world.until(lambda: world.people.unacknowledged() == 0)
        await socket.close()


async def test_a_ticket_is_for_one_connection_only(world):
    async with aiohttp.ClientSession() as http:
        url = await _address(world, http)
        await (await http.ws_connect(url)).close()
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await http.ws_connect(url)


async def test_an_eleventh_connection_is_sent_away(world):
    async with aiohttp.ClientSession() as http:
        sockets = [await http.ws_connect(await _address(world, http)) for _ in range(11)]
        assert json.loads((await sockets[-1].receive()).data)["reason"] == "too_many_websockets"
        for socket in sockets:
            await socket.close()


async def _address(world, http) -> str:
    headers = {"Authorization": f"Bearer {world.sim.app_token}"}
    async with http.post(f"{world.sim.api_url}apps.connections.open", headers=headers) as answer:
        return str((await answer.json())["url"])


async def test_too_many_calls_are_told_when_to_come_again():
    with SlackSimulator(strict_pace=True) as sim:
        ann = sim.people.add_person("Ann")
        slack = AsyncWebClient(sim.bot_token, base_url=sim.api_url)
        for _ in range(5):
            await slack.chat_postMessage(channel=ann.dm, text="hi")
        with pytest.raises(SlackApiError) as raised:
            await slack.chat_postMessage(channel=ann.dm, text="hi")
    assert raised.value.response.status_code == 429
    assert int(raised.value.response.headers["Retry-After"]) >= 1


async def test_alone_it_says_how_to_use_it_and_does_as_told():
    with running(0) as advice:
        commands = re.findall(r"curl (\S+) -d '(.*)'", advice)
        async with aiohttp.ClientSession() as http:
            *talking, (post_to, body) = commands
            for url, said in talking:
                async with http.post(url, data=said) as answer:
                    assert "result" in await answer.json()
            # A Parley may be running where it says; at this port nobody is.
            nowhere = body.replace("127.0.0.1:8765/", "127.0.0.1:9/")
            assert nowhere != body
            async with http.post(post_to, data=nowhere) as answer:
                assert "did not respond to the challenge" in (await answer.json())["error"]
            async with http.post(commands[0][0] + "x", data="{}") as answer:
                assert answer.status == 404


def _actions(*buttons, **more):
    elements = [{"type": "button", "action_id": f"a{n}"} | each for n, each in enumerate(buttons)]
    return [{"type": "actions", "elements": elements} | more]


def _words(text, kind="plain_text"):
    return {"type": kind, "text": text}


YES = {"text": _words("Yes"), "value": "yes"}
MARKDOWN = {"type": "markdown", "text": "x" * 12_000}


@pytest.mark.parametrize(
    ("blocks", "error"),
    [
        (_actions(YES) * 51, "invalid_blocks"),
        ([{"type": "never_heard_of"}], "invalid_blocks"),
        (_actions(), "invalid_blocks"),
        (_actions(*[YES] * 26), "invalid_blocks"),
        (_actions(YES | {"text": _words("x" * 76)}), "invalid_blocks"),
        (_actions(YES | {"text": _words("")}), "invalid_blocks"),
        (_actions(YES | {"text": _words("Yes", "mrkdwn")}), "invalid_blocks"),
        (_actions(YES | {"value": "x" * 2001}), "invalid_blocks"),
        (_actions(YES | {"style": "red"}), "invalid_blocks"),
        (_actions(YES | {"action_id": "a"}, YES | {"action_id": "a"}), "invalid_blocks"),
        ([{"type": "section", "text": _words("x" * 3001)}], "invalid_blocks"),
        ([{"type": "markdown", "text": " "}], "invalid_blocks"),
        ([MARKDOWN, {"type": "markdown", "text": "x"}], "msg_blocks_too_long"),
        ([MARKDOWN, {"type": "section", "text": _words("x" * 1300)}], "msg_blocks_too_long"),
    ],
)
async def test_blocks_have_their_limits(world, slack, blocks, error):
    assert await _error(slack.chat_postMessage(channel=world.alice.dm, text="x", blocks=blocks)) == error


async def test_a_text_alone_leaves_a_message_its_blocks(world, slack):
    dm = world.alice.dm
    blocks = [{"type": "markdown", "text": "**Sure?**"}, *_actions(YES)]
    ts = (await slack.chat_postMessage(channel=dm, text="seen in notifications", blocks=blocks))["ts"]
    await slack.chat_update(channel=dm, ts=ts, text="over")
    (message,) = world.people.messages(dm)
    assert (message.text, message.buttons) == ("Sure?", ("Yes",))
    await slack.chat_update(channel=dm, ts=ts, text="over", blocks=[])
    (message,) = world.people.messages(dm)
    assert (message.text, message.buttons) == ("over", ())


async def test_only_members_can_be_whispered_to(world, slack):
    chat = world.people.add_channel("team", [world.alice.id])
    eve = world.people.add_person("Eve")
    call = slack.chat_postEphemeral(channel=chat, user=eve.id, text="psst")
    assert await _error(call) == "user_not_in_channel"
    world.people.join(chat, eve.id)
    await slack.chat_postEphemeral(channel=chat, user=eve.id, text="psst")
    assert (world.people.told(chat, eve.id), world.people.told(chat, world.alice.id)) == (("psst",), ())
    assert world.people.messages(chat) == ()


async def test_a_form_is_opened_once_for_a_press_and_not_without_one(world, slack):
    field = {
        "type": "input",
        "label": _words("Why"),
        "element": {"type": "plain_text_input", "action_id": "a"},
    }
    view = {"type": "modal", "title": _words("Sure?"), "submit": _words("Yes"), "blocks": [field]}
    assert await _error(slack.views_open(trigger_id="1.1.x", view=view)) == "invalid_trigger_id"
    with world.sim.world.changed:
        trigger = world.sim.world.new_trigger(world.alice.id)
    large = view | {"private_metadata": "x" * 3001}
    assert await _error(slack.views_open(trigger_id=trigger, view=large)) == "invalid_arguments"
    await slack.views_open(trigger_id=trigger, view=view)
    assert world.people.modal(world.alice.id).title == "Sure?"
    assert await _error(slack.views_open(trigger_id=trigger, view=view)) == "exchanged_trigger_id"
    with pytest.raises(LookupError):
        world.people.submit(world.alice.id, How="so")


async def test_a_form_that_nobody_takes_stays_open_and_says_so(world, slack):
    field = {
        "type": "input",
        "label": _words("Why"),
        "element": {"type": "plain_text_input", "action_id": "a"},
    }
    view = {"type": "modal", "title": _words("Sure?"), "submit": _words("Yes"), "blocks": [field]}
    with world.sim.world.changed:
        trigger = world.sim.world.new_trigger(world.alice.id)
    await slack.views_open(trigger_id=trigger, view=view)
    async with aiohttp.ClientSession() as http:
        socket = await http.ws_connect(await _address(world, http))
        world.people.submit(world.alice.id, Why="because")
        await world.until(lambda: world.people.modal(world.alice.id).errors)
        await socket.close()
    assert "trouble connecting" in world.people.modal(world.alice.id).errors[0]
    assert world.people.modal(world.alice.id).fields == {"Why": "because"}


async def test_a_thread_is_paged_from_its_oldest_message_on(world, slack):
    chat = world.people.add_channel("team", [world.alice.id])
    root = world.sim.past.say(chat, world.alice.id, "root", 100.0)
    replies = world.sim.past.fill(chat, [world.alice.id], 5, 200.0, 1.0, root)
    found: list[str] = []
    async for page in await slack.conversations_replies(channel=chat, ts=replies[2], limit=4):
        found += [message["ts"] for message in page["messages"]]
    assert found == [root, *replies]
    (told,) = (await slack.conversations_replies(channel=chat, ts=root, latest=root, inclusive=True))[
        "messages"
    ]
    assert (told["reply_count"], told["latest_reply"], told["reply_users"]) == (
        5,
        replies[4],
        [world.alice.id],
    )
    between = await slack.conversations_replies(channel=chat, ts=root, oldest=replies[0], latest=replies[3])
    assert [message["ts"] for message in between["messages"]] == list(replies[1:3])
    assert not between["has_more"]


async def test_a_chat_is_paged_from_its_newest_message_on(world, slack):
    chat = world.people.add_channel("team", [world.alice.id])
    said = world.sim.past.fill(chat, [world.alice.id], 5, 200.0, 1.0)
    world.sim.past.say(chat, world.alice.id, "in a thread", 300.0, said[0])
    world.sim.past.say(chat, world.alice.id, "in both", 301.0, said[0], subtype="thread_broadcast")
    found: list[str] = []
    async for page in await slack.conversations_history(
        channel=chat, limit=2, latest=said[4], inclusive=True
    ):
        found += [message["ts"] for message in page["messages"]]
    assert found == list(reversed(said))


async def test_what_may_not_be_read_is_refused(world, slack):
    chat = world.people.add_channel("team", [world.alice.id], "group")
    ts = world.sim.past.say(chat, world.alice.id, "root", 100.0)
    for wrong, error in (
        ({"cursor": "bm9uZQ=="}, "invalid_cursor"),
        ({"oldest": "yesterday"}, "invalid_ts_oldest"),
        ({"latest": "x"}, "invalid_ts_latest"),
        ({"ts": "1.1"}, "thread_not_found"),
        ({"limit": -1}, "invalid_limit"),
        ({"channel": "C404"}, "channel_not_found"),
    ):
        assert await _error(slack.conversations_replies(**({"channel": chat, "ts": ts} | wrong))) == error
    world.people.restrict_scopes("groups:history")
    assert await _error(slack.conversations_history(channel=chat)) == "missing_scope"
    world.sim.past.sell()
    dm = await slack.conversations_history(channel=world.alice.dm, limit=100)
    assert dm["ok"]
    assert await _error(slack.conversations_history(channel=world.alice.dm)) == "ratelimited"
