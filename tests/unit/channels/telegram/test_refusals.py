"""What Telegram, or a proxy in front of it, refuses for good is not tried again."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from parley.channels.telegram.transport import DEFAULT_PAUSE
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import (
    AuthenticationRefused,
    ChannelUnavailable,
    DeliveryRejected,
    RateLimited,
)
from tests.kit.machine import patience
from tests.kit.platforms.telegram_channel import KeepingInbox, Notes, snapshot

_NGINX = "<html><head><title>413 Request Entity Too Large</title></head></html>"


@asynccontextmanager
async def proxy(status: int, body: str, content_type: str = "text/html") -> AsyncIterator[str]:
    """A server that answers everything so; gives its address."""

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        return web.Response(status=status, text=body, content_type=content_type)

    app = web.Application(client_max_size=2**26)
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def refusal(status: int) -> str:
    return json.dumps({"ok": False, "error_code": status, "description": "Request Entity Too Large"})


@pytest.mark.parametrize("status", [400, 402, 403, 405, 410, 413, 414, 422, 431, 451])
@pytest.mark.parametrize("form", ["html", "json"])
async def test_a_final_4xx_is_a_refusal_for_good(world, status, form):
    body, kind = (_NGINX, "text/html") if form == "html" else (refusal(status), "application/json")
    async with proxy(status, body, kind) as url:
        channel = world.another_channel(api_url=url)
        with pytest.raises(DeliveryRejected) as raised:
            await channel.open_reply(world.target(), Notes()).finish(snapshot("hello there"))
    assert "<html" not in str(raised.value)
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize("status", [408, 425, 500, 502, 503])
async def test_what_may_pass_is_tried_again(world, status):
    async with proxy(status, "later") as url:
        channel = world.another_channel(api_url=url)
        with pytest.raises(ChannelUnavailable):
            await channel.open_reply(world.target(), Notes()).finish(snapshot("hello there"))


@pytest.mark.parametrize("status", [403, 405, 413])
async def test_a_proxy_that_refuses_is_no_wrong_token(world, status):
    async with proxy(status, _NGINX) as url:
        with pytest.raises(ChannelUnavailable, match=str(status)):
            await world.another_channel(api_url=url).listen(KeepingInbox())
    async with proxy(404, refusal(404), "application/json") as url:
        with pytest.raises(AuthenticationRefused):
            await world.another_channel(api_url=url).listen(KeepingInbox())


async def test_a_file_that_a_proxy_refuses_is_named_to_the_person(world, tmp_path):
    world.sim.faults.fail_next("sendDocument", 413, "Request Entity Too Large")
    (tmp_path / "film.bin").write_bytes(b"x" * 1000)
    file = StoredFile(AttachmentKind.FILE, "film.bin", "application/x", 1000, str(tmp_path / "film.bin"))
    await world.channel.open_reply(world.target(), Notes()).finish(snapshot("Here.", attachments=(file,)))
    answer, notice = world.answers()
    assert answer == "Here."
    assert "film.bin (1 kB) was left out" in notice


@pytest.mark.parametrize("told", ["0", "-5", "NaN", "Infinity", "1e999", '"soon"', "null", "1" + "0" * 400])
async def test_a_senseless_pause_is_a_short_one(world, told):
    body = f'{{"ok": false, "error_code": 429, "parameters": {{"retry_after": {told}}}}}'
    async with proxy(429, body, "application/json") as url:
        channel = world.another_channel(api_url=url)
        with pytest.raises(RateLimited) as raised:
            await channel.open_reply(world.target(), Notes()).finish(snapshot("hello there"))
    assert 1 <= raised.value.retry_after <= DEFAULT_PAUSE


@pytest.mark.parametrize("result", ["true", "{}", "[]", '"text"', "7", '{"message_id": 5}'])
async def test_a_senseless_result_is_an_answer_that_was_lost(world, result):
    async with proxy(200, f'{{"ok": true, "result": {result}}}', "application/json") as url:
        channel = world.another_channel(api_url=url)
        async with asyncio.timeout(patience(10)):
            with pytest.raises(ChannelUnavailable):
                await channel.open_reply(world.target(), Notes()).finish(snapshot("hello there"))
            with pytest.raises(ChannelUnavailable):
                await channel.listen(KeepingInbox())
