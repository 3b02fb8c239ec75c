"""The person's side over HTTP, the webhook, and the simulator as a program of its own."""

import asyncio
import base64
import re
import signal
import sys

from aiohttp import web

from parley.simulator.kit.http_server import serving
from tests.kit.machine import patience


async def call(http, verb, **arguments):
    async with http.post(f"/sim/{verb}", json=arguments) as answer:
        return answer.status, await answer.json()


async def test_another_process_can_be_a_person(sim, http, bot):
    _, person = await call(http, "add_person", name="Bob")
    chat = person["result"]["id"]
    await call(http, "say", chat=chat, by=chat, text="hello")
    file = {"name": "a.txt", "content": base64.b64encode(b"text").decode()}
    await call(http, "send_file", chat=chat, by=chat, file=file, caption="look")
    first, second = await bot.get_updates()
    assert (first.message.text, second.message.caption) == ("hello", "look")
    await bot.send_message(chat, "hi Bob")
    _, seen = await call(http, "messages", chat=chat)
    assert [message["text"] for message in seen["result"]] == ["hello", "look", "hi Bob"]


async def test_wrong_calls_say_what_is_wrong(http):
    assert (await call(http, "dance"))[0] == 404
    assert (await call(http, "say", chat=1))[0] == 400
    assert (await call(http, "messages", chat=1))[0] == 400


async def test_faults_can_be_asked_for_over_http(sim, http):
    await call(http, "fail_next", method="getMe", status=503)
    async with http.post(f"/bot{sim.token}/getMe") as answer:
        assert answer.status == 503


async def test_a_webhook_gets_updates_with_its_secret_and_again_when_refused(sim, alice, http):
    got = []

    async def hook(request: web.Request) -> web.Response:
        body = await request.json()
        got.append((request.headers["X-Telegram-Bot-Api-Secret-Token"], body["message"]["text"]))
        return web.Response(status=500 if len(got) == 1 else 200)

    app = web.Application()
    app.router.add_post("/hook", hook)
    async with serving(app) as port:
        url = f"http://127.0.0.1:{port}/hook"
        await http.post(f"/bot{sim.token}/setWebhook", json={"url": url, "secret_token": "s3"})
        sim.people.say(alice.id, alice.id, "hello")
        await asyncio.to_thread(sim.people.wait, lambda: sim.people.unconfirmed() == 0, patience(10))
    assert got == [("s3", "hello")] * 2


async def test_it_runs_alone_and_ends_when_told():
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parley.simulator", "telegram", stdout=asyncio.subprocess.PIPE
    )
    assert program.stdout is not None
    first = (await program.stdout.readline()).decode()
    assert re.search(r"http://127\.0\.0\.1:\d+", first)
    program.send_signal(signal.SIGTERM)
    await program.communicate()
    assert program.returncode == 0
