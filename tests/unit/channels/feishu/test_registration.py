"""An app by a QR code, against the simulated Feishu, with the SDK's own module as the witness."""

import asyncio
import json
import subprocess
import sys
from urllib.parse import parse_qs, urlsplit

import pytest

from parley.channels.feishu.registration import address_with_addons, register
from parley.channels.feishu.scopes import CALLBACKS, EVENTS, TENANT
from parley.channels.kit.registration import RegistrationEnded
from parley.core.model.errors import ChannelUnavailable
from parley.simulator.feishu import FeishuSimulator, FeishuSimulatorTiming
from tests.kit.machine import patience
from tests.kit.platforms.feishu_channel import make_channel

SOON = FeishuSimulatorTiming(poll=0.02)

# All of the SDK would be loaded with its package, so the package itself is left out.
_SDK = """
import importlib, importlib.util, json, pathlib, sys, types
root = pathlib.Path(importlib.util.find_spec("lark_oapi").submodule_search_locations[0])
for name in ("", ".scene"):
    module = sys.modules["lark_oapi" + name] = types.ModuleType("lark_oapi" + name)
    module.__path__ = [str(root / name.strip(".").replace(".", "/"))]
registration = importlib.import_module("lark_oapi.scene.registration")
server, addons, ours = json.load(sys.stdin)
flow = registration._RegistrationFlow(None, None, "parley", server, server, addons=addons)
theirs = flow._build_qr_url("https://accounts.feishu.cn/page/launcher?ticket=abc")
made = registration.register_app(
    on_qr_code=lambda info: print(json.dumps([info["url"], theirs]), flush=True),
    source="parley", domain=server, lark_domain=server, addons=addons,
)
print(json.dumps([made["client_id"], made["client_secret"]]), flush=True)
"""


@pytest.fixture
def sim():
    with FeishuSimulator(timing=SOON) as sim:
        yield sim


async def made(sim, do):
    """Register, and do something with the address once it is shown."""
    shown = []

    async def show(scan):
        shown.append(scan)
        do(scan.url)

    async with asyncio.timeout(patience(20)):
        return await register(show, sim.url)


async def test_who_scans_the_code_has_an_app_that_lacks_nothing(sim, tmp_path):
    sim.world.denied.add("im:message.group_msg")
    app = await made(sim, lambda url: sim.scanning.scan(url, "ou_1"))
    secret = sim.world.secret
    assert app.keys == {"app_id": sim.world.app_id, "app_secret": secret, "domain": "feishu"}
    assert sim.world.secret not in repr(app)
    assert (await make_channel(sim, tmp_path).preflight()).lacking == ()


async def test_somebody_of_lark_is_told_so(sim):
    sim.world.brand = "lark"
    app = await made(sim, lambda url: sim.scanning.scan(url, "ou_1"))
    assert app.keys["domain"] == "lark"


async def test_who_declines_makes_none(sim):
    with pytest.raises(RegistrationEnded, match="declined"):
        await made(sim, sim.scanning.decline)


async def test_nobody_scans_it_in_time():
    with (
        FeishuSimulator(timing=FeishuSimulatorTiming(poll=0.02, registration=0.2)) as sim,
        pytest.raises(RegistrationEnded, match="nobody scanned"),
    ):
        await made(sim, lambda url: None)


async def test_a_lost_look_is_no_reason_to_give_up(sim):
    def do(url):
        sim.faults.garble_next(["register"])
        sim.faults.reset_next(["register"], times=2)
        sim.scanning.scan(url, "ou_1")

    assert (await made(sim, do)).keys["app_id"] == sim.world.app_id


async def test_a_server_that_makes_no_sense_is_named(sim):
    sim.faults.garble_next(["register"])
    with pytest.raises(ChannelUnavailable, match="was none"):
        await made(sim, lambda url: None)
    sim.faults.garble_next(["register"], '{"supported_auth_methods": ["private_key"]}')
    with pytest.raises(RegistrationEnded, match="no secrets"):
        await made(sim, lambda url: None)


@pytest.mark.parametrize("secret", ["a\nOTHER=b", "x" * 500, "$(id)"])
async def test_credentials_that_are_no_plain_words_are_not_taken(sim, secret):
    sim.world.secret = secret
    with pytest.raises(RegistrationEnded, match="no credentials"):
        await made(sim, lambda url: sim.scanning.scan(url, "ou_1"))


async def test_feishu_s_own_sdk_asks_for_the_same_at_the_same_address(sim):
    addons = {
        "scopes": {"tenant": list(TENANT)},
        "events": {"items": {"tenant": list(EVENTS)}},
        "callbacks": {"items": list(CALLBACKS)},
    }
    ours = address_with_addons("https://accounts.feishu.cn/page/launcher?ticket=abc")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _SDK, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        async with asyncio.timeout(patience(50)):
            process.stdin.write(json.dumps([sim.url, addons, ours]).encode())
            process.stdin.close()
            url, theirs = json.loads(await process.stdout.readline())
            assert parse_qs(urlsplit(ours).query) == parse_qs(urlsplit(theirs).query)
            sim.scanning.scan(url, "ou_1")
            assert json.loads(await process.stdout.readline()) == [sim.world.app_id, sim.world.secret]
    finally:
        process.kill()
        await process.communicate()
