"""What the vendors' Node SDKs showed the simulators to owe them, kept here where no Node is needed."""

import aiohttp
import pytest

from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator

_TOKEN_PATH = "/open-apis/auth/v3/tenant_access_token/internal"


@pytest.mark.parametrize("wrong", [{"AppSecret": "another"}, {"AppID": "cli_ffffffffffffffff"}])
async def test_feishu_says_where_to_connect_in_one_form_also_when_it_refuses(wrong):
    with FeishuSimulator() as sim:
        body = {"AppID": sim.world.app_id, "AppSecret": sim.world.secret}
        async with (
            aiohttp.ClientSession(sim.url) as http,
            http.post("/callback/ws/endpoint", json=body | wrong) as answer,
        ):
            told = await answer.json()
    assert answer.status == 200
    assert told == {"code": 1000040345, "data": {"URL": ""}, "msg": "app_id or app_secret is invalid"}


async def test_feishu_takes_bytes_of_a_form_that_name_no_file():
    with FeishuSimulator() as sim:
        async with aiohttp.ClientSession(sim.url) as http:
            app = {"app_id": sim.world.app_id, "app_secret": sim.world.secret}
            async with http.post(_TOKEN_PATH, json=app) as answer:
                token = (await answer.json())["tenant_access_token"]
            with aiohttp.MultipartWriter("form-data") as form:
                for name, value in (
                    ("file_type", "stream"),
                    ("file_name", "a.bin"),
                    ("file", b"\x00\xff bytes"),
                ):
                    form.append(value).set_content_disposition("form-data", name=name)
            headers = {"Authorization": f"Bearer {token}"}
            async with http.post("/open-apis/im/v1/files", data=form, headers=headers) as answer:
                key = (await answer.json())["data"]["file_key"]
        assert (sim.world.blobs[key].name, sim.world.blobs[key].content) == ("a.bin", b"\x00\xff bytes")


async def test_dingtalks_older_api_gives_tokens_that_the_newer_one_takes():
    with DingTalkSimulator() as sim:
        query = {"appkey": sim.client_id, "appsecret": sim.client_secret}
        async with aiohttp.ClientSession(sim.url) as http:
            async with http.get("/gettoken", params=query) as answer:
                told = await answer.json()
            headers = {"x-acs-dingtalk-access-token": told["access_token"]}
            async with http.post("/v1.0/robot/messageFiles/download", json={}, headers=headers) as answer:
                assert answer.status == 400
            async with http.get("/gettoken", params=query | {"appsecret": "another"}) as answer:
                refused = await answer.json()
    assert (told["errcode"], told["expires_in"]) == (0, 7200)
    assert refused == {"errcode": 40096, "errmsg": "不合法的appKey或appSecret"}
