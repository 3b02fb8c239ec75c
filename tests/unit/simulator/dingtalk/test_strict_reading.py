"""What the simulated DingTalk does in its strictest documented reading."""

import asyncio
import json

import aiohttp
import pytest

from parley.simulator.dingtalk import DingTalkSimulator, DingTalkSimulatorTiming
from tests.kit.checkout import ROOT
from tests.kit.machine import patience
from tests.unit.simulator.dingtalk.test_wire import TOPIC, post, ticket_of, token_of


@pytest.fixture
def sim():
    with DingTalkSimulator(timing=DingTalkSimulatorTiming(redelivery=0.05)) as simulator:
        yield simulator


@pytest.fixture
async def http(sim):
    async with aiohttp.ClientSession(sim.url) as session:
        yield session


async def next_push(socket):
    """The next message, whatever pings come before it."""
    while True:
        frame = await socket.receive_json(timeout=patience(10))
        if frame["headers"]["topic"] == TOPIC:
            return frame


async def test_what_is_not_acknowledged_is_pushed_again_once(sim, http):
    alice = sim.people.add_person("Alice")
    async with http.ws_connect(await ticket_of(sim, http)) as socket:
        sim.people.say(alice.id, alice.id, "hello")
        first, second = await next_push(socket), await next_push(socket)
        assert json.loads(first["data"])["msgId"] == json.loads(second["data"])["msgId"]
        sim.people.say(alice.id, alice.id, "next")
        third = await next_push(socket)
        assert json.loads(third["data"])["text"]["content"] == "next"
        frame = {"code": 200, "headers": {"messageId": third["headers"]["messageId"]}, "data": "{}"}
        await socket.send_json(frame)
        await asyncio.to_thread(
            sim.people.wait, lambda: sum(push.code == 200 for push in sim.world.pushes) == 1, patience(10)
        )


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"isFull": False}, "param.error"),
        ({"key": "other"}, "param.error"),
        ({"outTrackId": "other"}, "param.cardNotExist"),
        ({"content": 7}, "param.stream.content"),
    ],
    ids=str,
)
async def test_a_card_takes_whole_texts_only(sim, http, change, code):
    alice, token = sim.people.add_person("Alice"), await token_of(sim, http)
    made = {
        "cardTemplateId": sim.template,
        "outTrackId": "t1",
        "cardData": {"cardParamMap": {"content": ""}},
        "openSpaceId": f"dtv1.card//IM_ROBOT.{alice.id}",
        "imRobotOpenSpaceModel": {"supportForward": True},
        "imRobotOpenDeliverModel": {"spaceType": "IM_ROBOT", "robotCode": sim.client_id},
        "userIdType": 1,
    }
    assert (await post(http, "/v1.0/card/instances/createAndDeliver", made, token))[0] == 200
    whole = {"outTrackId": "t1", "guid": "g1", "key": "content", "content": "a", "isFull": True}
    status, body = await post(http, "/v1.0/card/streaming", whole | change, token, "PUT")
    assert (status, body["code"]) == (400, code)
    status, _ = await post(http, "/v1.0/card/streaming", whole, token, "PUT")
    assert (status, sim.people.answers(alice.id)) == (200, ("a",))


def test_codes_that_dingtalk_does_not_document_are_not_given():
    sources = "".join(file.read_text("utf-8") for file in (ROOT / "parley/simulator/dingtalk").rglob("*.py"))
    assert [code for code in ("cardFinished", "keyError", "param.cardData") if code in sources] == []
