"""Two apps of one platform in one process, each under its own name."""

import asyncio
from pathlib import Path

from parley.app.composition.build import build_parley
from parley.app.settings.load import LoadedSettings, read_settings
from parley.simulator.slack import SlackSimulator
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
