"""Two apps of one platform in one process, each under its own name."""

import asyncio
import json
import time
from pathlib import Path

import httpx
from slack_sdk.signature import SignatureVerifier

from parley.app.composition.build import build_parley
from parley.app.settings.load import LoadedSettings, read_settings
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator
from tests.kit.machine import patience


def configured(folder: Path, first: SlackSimulator, second: SlackSimulator) -> LoadedSettings:
    def section(sim: SlackSimulator) -> str:
        return f"bot_token: {sim.bot_token}, app_token: {sim.app_token}, api_url: '{sim.api_url}'"

    text = f"""
console: {{port: 0}}
channels:
  slack: {{{section(first)}}}
  support: {{type: slack, {section(second)}, allowed_users: []}}
"""
    return read_settings(text, "config.yaml", {}, folder)


async def answer_to(sim: SlackSimulator, text: str) -> str:
    person = sim.people.add_person("Ann")
    thread = sim.people.open_chat(person)
    said = sim.people.say(person.dm, person.id, text, thread)
    async with asyncio.timeout(patience(20)):
        while True:
            for message in sim.people.messages(person.dm, thread):
                if message.from_bot and message.ts > said and message.text:
                    return message.text
            await asyncio.sleep(0.02)


async def test_each_has_its_rules_its_name_and_its_folder(tmp_path: Path) -> None:
    with (
        SlackSimulator() as first,
        SlackSimulator(bot_token="xoxb-second", app_token="xapp-second") as second,
    ):
        async with build_parley(configured(tmp_path, first, second)) as parley:
            stop = asyncio.Event()
            running = asyncio.create_task(parley.run(stop, lambda url: None))
            assert "on slack" in await answer_to(first, "/whoami")
            assert "channels.support.allowed_users" in await answer_to(second, "/whoami")
            stop.set()
            await running
    folders = [folder.name for folder in (tmp_path / "data" / "channels").iterdir()]
    assert sorted(folders) == ["slack", "support", "web"]


SECRETS = {"slack": "a" * 32, "support": "b" * 32, "telegram": "c" * 32, "desk": "d" * 32}
BOT = "9:another-token-for-loopback-only"
HELLO = json.dumps({"type": "url_verification", "challenge": "hello"})


def headers_of(name: str) -> dict[str, str]:
    """Slack signs with the secret of an app, Telegram repeats the token that a webhook was set with."""
    if name in ("telegram", "desk"):
        return {"x-telegram-bot-api-secret-token": SECRETS[name]}
    stamp = str(int(time.time()))
    signature = SignatureVerifier(SECRETS[name]).generate_signature(timestamp=stamp, body=HELLO) or ""
    return {"x-slack-request-timestamp": stamp, "x-slack-signature": signature}


async def test_what_is_signed_for_one_is_refused_by_the_other(tmp_path: Path) -> None:
    with SlackSimulator() as slack, TelegramSimulator() as telegram:
        posted = f"events: http, api_url: '{slack.api_url}', bot_token"
        hooked = f"api_url: '{telegram.api_url}', webhook_url: 'https://bot.example/hooks"
        text = f"""
console: {{port: 0}}
channels:
  slack: {{{posted}: {slack.bot_token}, signing_secret: {SECRETS["slack"]}}}
  support: {{type: slack, {posted}: xoxb-second, signing_secret: {SECRETS["support"]}}}
  telegram: {{{hooked}/telegram', bot_token: "{telegram.token}", webhook_secret: {SECRETS["telegram"]}}}
  desk: {{type: telegram, {hooked}/desk', bot_token: "{BOT}", webhook_secret: {SECRETS["desk"]}}}
"""
        async with build_parley(read_settings(text, "config.yaml", {}, tmp_path)) as parley:
            stop, url = asyncio.Event(), asyncio.get_running_loop().create_future()
            running = asyncio.create_task(parley.run(stop, url.set_result))
            root = (await url).partition("/?")[0]
            async with httpx.AsyncClient(base_url=root, trust_env=False, timeout=patience(20)) as http:
                for own in SECRETS:
                    answers = {
                        name: await http.post(f"/hooks/{name}", headers=headers_of(own), content=HELLO)
                        for name in SECRETS
                    }
                    assert [name for name, each in answers.items() if each.status_code != 401] == [own]
            stop.set()
            await running
