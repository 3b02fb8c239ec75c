"""An app by a QR code, against the simulated DingTalk."""

import asyncio
import json

import aiohttp
import pytest

from parley.channels.dingtalk.registration import DingTalkAppRegistration, register
from parley.channels.kit.http.client import HttpClient
from parley.channels.kit.http.pool import HttpPool
from parley.channels.kit.registration import RegistrationEnded
from parley.core.model.errors import ChannelUnavailable
from parley.simulator.dingtalk import DingTalkSimulator, DingTalkSimulatorTiming
from tests.kit.machine import patience
from tests.kit.platforms.dingtalk_channel import make_channel

SOON = DingTalkSimulatorTiming(poll=0.02)


@pytest.fixture
def sim():
    with DingTalkSimulator(timing=SOON) as sim:
        yield sim


async def made(sim, do, making=register):
    """Register, and do something with the address once it is shown."""

    async def show(scan):
        do(scan.url)

    async with asyncio.timeout(patience(20)):
        return await making(show, sim.url)


async def impatient(show, server):
    pool = HttpPool()
    async with pool:
        return await DingTalkAppRegistration(HttpClient(pool, "DingTalk", 5.0), server, patience=0.0).run(
            show
        )


async def test_who_scans_the_code_has_an_app_that_connects(sim):
    app = await made(sim, lambda url: sim.scanning.scan(url, "manager01"))
    assert app.keys == {"client_id": sim.client_id, "client_secret": sim.client_secret}
    assert sim.client_secret not in repr(app)
    await make_channel(sim, **app.keys).preflight()


async def test_it_is_asked_until_somebody_scans(sim):
    def later(url):
        asyncio.get_running_loop().create_task(scanned(url))

    async def scanned(url):
        await asyncio.to_thread(sim.people.wait, lambda: len(sim.calls("register")) >= 5, patience(10))
        sim.scanning.scan(url, "manager01")

    assert (await made(sim, later)).keys["client_id"] == sim.client_id


async def test_why_none_was_made_is_told(sim):
    with pytest.raises(RegistrationEnded, match="用户取消授权"):
        await made(sim, sim.scanning.decline)


async def test_nobody_scans_it_in_time():
    timing = DingTalkSimulatorTiming(poll=0.02, registration=0.2)
    with DingTalkSimulator(timing=timing) as sim, pytest.raises(RegistrationEnded, match="nobody scanned"):
        await made(sim, lambda url: None)


@pytest.mark.parametrize("trouble", ["garbled", "reset", "busy"])
async def test_lost_looks_are_no_reason_to_give_up_at_once(sim, trouble):
    def do(url):
        if trouble == "garbled":
            sim.faults.garble_next("register", times=2)
        elif trouble == "reset":
            sim.faults.reset_next("register", "after", times=2)
        else:
            sim.faults.fail_next("register", -1, times=2)
        sim.scanning.scan(url, "manager01")

    assert (await made(sim, do)).keys["client_id"] == sim.client_id
    sim.faults.clear()
    with pytest.raises((ChannelUnavailable, RegistrationEnded)):
        await made(sim, do, impatient)


async def test_a_refusal_at_the_beginning_is_told(sim):
    sim.faults.fail_next("register", 40100, words="source 未授权")
    with pytest.raises(RegistrationEnded, match="40100: source 未授权"):
        await made(sim, lambda url: None)
    sim.faults.garble_next("register")
    with pytest.raises(ChannelUnavailable, match="was none"):
        await made(sim, lambda url: None)


@pytest.mark.parametrize("address", ["", "javascript:alert(1)", "https://a b", 7])
async def test_what_is_no_address_is_not_shown(sim, address):
    def never(url):
        raise AssertionError(url)

    body = {"errcode": 0, "nonce": "n", "device_code": "d", "verification_uri_complete": address}
    sim.faults.garble_next("register", json.dumps(body), times=2)
    with pytest.raises(ChannelUnavailable, match="where to make"):
        await made(sim, never)


@pytest.mark.parametrize("secret", ["", "a\nOTHER=b", "x" * 500, "$(id)"])
async def test_credentials_that_are_no_plain_words_are_not_taken(sim, secret):
    sim.world.client_secret = secret
    with pytest.raises(RegistrationEnded, match="no credentials"):
        await made(sim, lambda url: sim.scanning.scan(url, "manager01"))


async def test_a_nonce_begins_one_registration_and_codes_are_checked(sim):
    async def ask(step, **fields):
        async with http.post(f"{sim.url}/app/registration/{step}", json=fields) as answer:
            return await answer.json()

    async with aiohttp.ClientSession() as http:
        assert (await ask("init"))["errcode"] != 0
        nonce = (await ask("init", source="parley"))["nonce"]
        assert (await ask("begin", nonce=nonce))["errcode"] == 0
        assert (await ask("begin", nonce=nonce))["errcode"] != 0
        assert (await ask("poll", device_code="other"))["errcode"] != 0
