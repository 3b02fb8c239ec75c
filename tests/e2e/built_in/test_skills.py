"""A skill is installed by a command, switched on, and used on the page and on Telegram."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from parley.simulator.telegram import TelegramSimulator
from tests.kit.doubles.llm_provider import provider
from tests.kit.product.process import parley
from tests.kit.product.scene import begin, end
from tests.kit.product.telegram_chat import Chat, telegram_config
from tests.kit.product.web_person import WebPerson
from tests.unit.server.default_agent.scripted_model import calls, repeats_result
from tests.unit.server.default_agent.skills.archives import skill, zipped

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]


async def test_a_skill_comes_from_an_archive_into_the_chats(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "report.skill", skill())
    (tmp_path / "config.yaml").write_text("")
    installed = await asyncio.to_thread(parley, tmp_path, "skills", "install", str(archive))
    assert "Installed report" in installed.stdout, installed.stderr
    answers = [calls("read_skill", name="report"), repeats_result]
    async with provider(*answers, *answers) as model:
        with TelegramSimulator() as telegram:
            person = telegram.people.add_person("Alice")
            config = {
                "agent": {"model": "openai:m", "model_api_key": "k", "base_url": model.url},
                "built_in": {"skills": {"enabled": ["report"]}},
                "channels": {"telegram": telegram_config(telegram)},
            }
            process = begin(tmp_path, config)
            try:
                await asyncio.to_thread(process.wait_until_up)
                web = WebPerson(process.url)
                heard = await asyncio.to_thread(web.ask, "Write my report")
                assert "PLOVER" in heard.text
                web.close()
                chat = Chat(telegram, person.id, person.id)
                await asyncio.to_thread(chat.ask, "Write my report", "PLOVER")
                checked = await asyncio.to_thread(parley, tmp_path, "check")
                assert "with skills (report)" in checked.stdout
            finally:
                end(process)
    heads = [asked["messages"][0]["content"] for asked in model.asked if "tools" in asked]
    assert all("- report: Write weekly reports." in head for head in heads)
