"""The simulated platform: held to its protocol by the vendor's client, and its own limits."""

import asyncio
import json
import os
import re
import signal
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from parley.simulator.dingtalk import DingTalkRateLimits, DingTalkSimulator, DingTalkSimulatorTiming
from tests.kit.machine import patience

TOPIC = "/v1.0/im/bot/messages/get"


@pytest.fixture
def sim():
    with DingTalkSimulator(pace=DingTalkRateLimits(3), timing=DingTalkSimulatorTiming(ping=0.1)) as simulator:
        yield simulator


@pytest.fixture
async def http(sim):
    async with aiohttp.ClientSession(sim.url) as session:
        yield session


async def post(http, path, body, token="", method="POST"):
    headers = {"x-acs-dingtalk-access-token": token}
    async with http.request(method, path, json=body, headers=headers) as answer:
        return answer.status, await answer.json()


async def token_of(sim, http):
    keys = {"appKey": sim.client_id, "appSecret": sim.client_secret}
    return (await post(http, "/v1.0/oauth2/accessToken", keys))[1]["accessToken"]


async def ticket_of(sim, http):
    wanted = [{"type": "CALLBACK", "topic": TOPIC}]
    body = {"clientId": sim.client_id, "clientSecret": sim.client_secret, "subscriptions": wanted}
    _, answer = await post(http, "/v1.0/gateway/connections/open", body)
    return f"{answer['endpoint']}?ticket={answer['ticket']}"


async def test_the_vendors_own_client_talks_answers_and_takes_a_press(sim):
    alice = sim.people.add_person("Alice")
    script = Path(__file__).parent / "vendor.py"
    environment = os.environ | {"DINGTALK_OPENAPI_ENDPOINT": sim.url}
    environment = {key: value for key, value in environment.items() if "proxy" not in key.lower()}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(script),
        sim.client_id,
        sim.client_secret,
        sim.template,
        env=environment,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await asyncio.to_thread(sim.people.wait, lambda: sim.connections, patience(20))
        number = sim.people.say(alice.id, alice.id, "hello")
        await asyncio.to_thread(sim.people.wait, lambda: sim.people.heard(number), patience(20))
        _, card, webhook = sim.people.messages(alice.id)
        assert (card.text, card.growing, webhook.shown) == ("hello", False, "hello")
        assert sim.people.growth(alice.id)[:2] == ("he", "hello")
        press = sim.people.act(alice.id, alice.id, card.id, "yes")
        await asyncio.to_thread(sim.people.wait, lambda: sim.people.answer_to(press), patience(20))
        assert alice.id in sim.people.answer_to(press)
    finally:
        process.kill()
        await process.wait()


async def test_credentials_and_tokens_are_checked(sim, http):
    wrong = {"appKey": sim.client_id, "appSecret": "wrong"}
    status, body = await post(http, "/v1.0/oauth2/accessToken", wrong)
    assert (status, body["code"]) == (400, "invalidClientIdOrSecret")
    assert (await post(http, "/v1.0/card/instances", {}, "wrong"))[0] == 400


async def test_a_ticket_is_good_once_and_pings_are_frames(sim, http):
    url = await ticket_of(sim, http)
    async with http.ws_connect(url) as socket:
        frame = await socket.receive_json(timeout=patience(5))
        assert (frame["type"], frame["headers"]["topic"]) == ("SYSTEM", "ping")
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await http.ws_connect(url)
    sim.world.expire_tickets()


async def test_a_message_goes_to_one_connection(sim, http):
    alice = sim.people.add_person("Alice")
    lost = sim.people.say(alice.id, alice.id, "to nobody")
    assert sim.people.lost() in ((), (lost,))
    await asyncio.to_thread(sim.people.wait, lambda: sim.people.lost() == (lost,), patience(10))
    async with (
        http.ws_connect(await ticket_of(sim, http)) as first,
        http.ws_connect(await ticket_of(sim, http)) as second,
    ):
        sim.people.say(alice.id, alice.id, "to one")
        said = time.time()
        seen = [json.loads(f["data"]) for f in [*await frames(first, said), *await frames(second, said)]]
        assert [data["text"]["content"] for data in seen if "text" in data] == ["to one"]


async def frames(socket, since):
    """What comes until a ping that was sent after that moment, behind whatever is sent to it."""
    found: list[dict[str, Any]] = []
    while not (found and found[-1]["type"] == "SYSTEM" and _sent_at(found[-1]) > since):
        found.append(await socket.receive_json(timeout=patience(5)))
    return found


def _sent_at(frame):
    return int(frame["headers"]["time"]) / 1000


async def test_limits_of_size_and_pace_are_enforced(sim, http):
    token, alice = await token_of(sim, http), sim.people.add_person("Alice")
    param = json.dumps({"title": "t", "text": "x" * 20_000})
    body = {"robotCode": sim.client_id, "userIds": [alice.id], "msgKey": "sampleMarkdown", "msgParam": param}
    status, answer = await post(http, "/v1.0/robot/oToMessages/batchSend", body, token)
    assert (status, answer["code"]) == (400, "invalidParameter.body.tooLong")
    statuses = [
        await post(http, "/v1.0/card/streaming", {"outTrackId": "none"}, token, "PUT") for _ in range(4)
    ]
    assert [status for status, _ in statuses] == [400, 400, 400, 403]
    assert statuses[3][1]["code"] == "Forbidden.AccessDenied.QpsLimitForApi"


BUTTON: dict[str, Any] = {
    "text": "Yes",
    "color": "blue",
    "status": "normal",
    "event": {"type": "sendCardRequest", "params": {"actionId": "a", "params": {"k": "v"}}},
}


async def question_on(sim, http, person, buttons):
    """Put a card with buttons up; the status of the answer, and the card's message."""
    body = {
        "outTrackId": "q1",
        "cardTemplateId": sim.question_template,
        "cardData": {"cardParamMap": {"content": "Well?", "buttons": json.dumps(buttons), "note": ""}},
        "openSpaceId": f"dtv1.card//IM_ROBOT.{person}",
        "imRobotOpenDeliverModel": {"robotCode": sim.client_id, "spaceType": "IM_ROBOT"},
    }
    token = await token_of(sim, http)
    status, _ = await post(http, "/v1.0/card/instances/createAndDeliver", body, token)
    return status, next(iter(sim.people.messages(person)), None)


@pytest.mark.parametrize(
    "change",
    [{"text": ""}, {"color": "pink"}, {"event": {}}, {"event": BUTTON["event"] | {"type": "openLink"}}],
    ids=str,
)
async def test_what_is_no_button_is_refused(sim, http, change):
    alice = sim.people.add_person("Alice")
    assert await question_on(sim, http, alice.id, [BUTTON | change]) == (400, None)


async def test_a_press_is_pushed_once_and_has_failed_when_nobody_answers(http, sim):
    alice = sim.people.add_person("Alice")
    status, card = await question_on(sim, http, alice.id, [BUTTON])
    assert (status, card.buttons, card.growing) == (200, ("Yes",), False)
    with pytest.raises(LookupError):
        sim.people.press(alice.id, alice.id, card.id, "No")
    sim.people.press(alice.id, alice.id, card.id, "Yes")
    failed = partial(sim.people.failures, alice.id, alice.id)
    await asyncio.to_thread(sim.people.wait, lambda: failed() == 1, patience(10))


async def test_a_press_names_the_action_with_its_place_and_hands_back_what_the_button_has(sim, http):
    alice = sim.people.add_person("Alice")
    _, card = await question_on(sim, http, alice.id, [BUTTON, BUTTON | {"text": "No"}])
    wanted = [{"type": "CALLBACK", "topic": "/v1.0/card/instances/callback"}]
    body = {"clientId": sim.client_id, "clientSecret": sim.client_secret, "subscriptions": wanted}
    _, ticket = await post(http, "/v1.0/gateway/connections/open", body)
    async with http.ws_connect(f"{ticket['endpoint']}?ticket={ticket['ticket']}") as socket:
        sim.people.press(alice.id, alice.id, card.id, "No")
        (frame,) = [each for each in await frames(socket, time.time()) if each["type"] == "CALLBACK"]
    data = json.loads(frame["data"])
    assert (data["userId"], data["outTrackId"], data["spaceType"]) == (alice.id, "q1", "im")
    assert data["spaceId"] != alice.id
    assert json.loads(data["content"]) == {"cardPrivateData": {"actionIds": ["a1"], "params": {"k": "v"}}}


async def test_an_update_of_all_variables_empties_those_that_it_does_not_name(sim, http):
    alice = sim.people.add_person("Alice")
    await question_on(sim, http, alice.id, [BUTTON])
    token = await token_of(sim, http)
    body = {"outTrackId": "q1", "cardData": {"cardParamMap": {"buttons": "[]"}}}
    by_key = body | {"cardUpdateOptions": {"updateCardDataByKey": True}}
    assert (await post(http, "/v1.0/card/instances", by_key, token, "PUT"))[0] == 200
    assert [(m.text, m.buttons) for m in sim.people.messages(alice.id)] == [("Well?", ())]
    assert (await post(http, "/v1.0/card/instances", body, token, "PUT"))[0] == 200
    assert [(m.text, m.buttons) for m in sim.people.messages(alice.id)] == [("", ())]


async def test_groups_push_only_what_mentions_the_robot(sim, http):
    alice = sim.people.add_person("Alice")
    group = sim.people.add_group("Team", [alice.id])
    async with http.ws_connect(await ticket_of(sim, http)) as socket:
        sim.people.say(group, alice.id, "among us")
        sim.people.say(group, alice.id, "@Parley you")
        sim.people.say_rich(group, alice.id, ["@Parley ", "look"])
        heard = await frames(socket, time.time())
        said = [json.loads(frame["data"]) for frame in heard if frame["type"] == "CALLBACK"]
    assert [data["msgtype"] for data in said] == ["text", "richText"]
    assert said[0]["text"]["content"] == "you"
    assert said[0]["isInAtList"] is True


async def test_another_process_can_be_a_person_and_ask_for_trouble(sim, http):
    _, person = await post(http, "/sim/add_person", {"name": "Bob"})
    place = person["result"]["id"]
    await post(http, "/sim/say", {"place": place, "by": place, "text": "hello"})
    file = {"name": "a.txt", "content": "dGV4dA=="}
    await post(http, "/sim/send_file", {"place": place, "by": place, "file": file})
    _, seen = await post(http, "/sim/messages", {"place": place})
    assert [(each["text"], each["file"]) for each in seen["result"]] == [("hello", ""), ("", "a.txt")]
    await post(http, "/sim/fail_next", {"method": "accessToken", "status": 503})
    assert (await post(http, "/v1.0/oauth2/accessToken", {}))[0] == 503
    assert (await post(http, "/sim/dance", {}))[0] == 404
    assert (await post(http, "/sim/say", {"place": 1}))[0] == 400


async def test_it_runs_alone_until_it_is_told_to_end():
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parley.simulator", "dingtalk", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    line = (await asyncio.wait_for(process.stdout.readline(), patience(20))).decode()
    assert re.search(r"DingTalk is simulated at http://127\.0\.0\.1:\d+", line)
    process.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(process.wait(), patience(20)) == 0
