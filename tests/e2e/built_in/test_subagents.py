"""Subagents on the page and on Telegram, with a question in the middle, and through the death of Parley."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from parley.simulator.telegram import TelegramSimulator
from tests.kit.doubles.llm_provider import Provider, provider
from tests.kit.product.process import Process
from tests.kit.product.scene import begin, end
from tests.kit.product.telegram_chat import Chat, telegram_config
from tests.kit.product.web_person import WebPerson
from tests.kit.waiting import until
from tests.unit.server.default_agent.scripted_model import calls, repeats_result, streams

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

TOOLS = '''
import time
from pathlib import Path
from langchain_core.tools import tool

HERE = Path(__file__).parent

@tool
def look() -> str:
    """Look something up."""
    with (HERE / "looked").open("a") as file:
        file.write("x\\n")
    return "42"

look.metadata = {"readOnlyHint": True}

def pay(amount: int) -> str:
    """Pay money."""
    with (HERE / "paid").open("a") as file:
        file.write(f"{amount}\\n")
    while not (HERE / "go").exists():
        time.sleep(0.05)
    return f"paid {amount}"

both = [look, pay]
'''
TASK = calls("task", agent="general-purpose", description="Look, then pay 5.")


@asynccontextmanager
async def running(folder: Path, model: Provider, telegram: TelegramSimulator) -> AsyncIterator[Process]:
    """Parley on this model, with both tools and subagents."""
    (folder / "my_tools.py").write_text(TOOLS)
    config = {
        "agent": {"model": "openai:m", "model_api_key": "k", "base_url": model.url},
        "built_in": {"tools": ["my_tools.py:both"], "subagents": {"enabled": True}},
        "channels": {"telegram": telegram_config(telegram)},
    }
    process = begin(folder, config)
    try:
        await asyncio.to_thread(process.wait_until_up)
        yield process
    finally:
        end(process)


async def test_kill_9_in_the_middle_of_a_subagent_does_nothing_twice(tmp_path: Path) -> None:
    paid, looked = tmp_path / "paid", tmp_path / "looked"
    with TelegramSimulator() as telegram:
        async with (
            provider(TASK, calls("look"), calls("pay", amount=5), repeats_result, repeats_result) as model,
            running(tmp_path, model, telegram) as process,
        ):
            web = WebPerson(process.url)
            heard = await asyncio.to_thread(web.ask, "Pay 5")
            await asyncio.to_thread(web.decide, heard.final["question"]["id"], "approve")
            await until(paid.exists, "the tool works")
            process.kill()
            (tmp_path / "go").touch()
            process.spawn()
            await asyncio.to_thread(process.wait_until_up)
            told = await asyncio.to_thread(web.until, lambda text: "Nobody knows" in text)
            assert "was not called again" in told
            assert paid.read_text().split() == ["5"]
            assert looked.read_text().split() == ["x"], "what was done of the task before is not done again"
            web.close()


async def test_a_subagent_asks_on_telegram_with_buttons(tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    with TelegramSimulator() as telegram:
        person = telegram.people.add_person("Alice")
        async with (
            provider(
                TASK, calls("look"), calls("pay", amount=5), streams(content="Paid."), repeats_result
            ) as model,
            running(tmp_path, model, telegram),
        ):
            chat = Chat(telegram, person.id, person.id)
            asked = await asyncio.to_thread(chat.ask, "Pay 5", "pay")
            assert not (tmp_path / "paid").exists()
            await asyncio.to_thread(
                telegram.people.press, person.id, person.id, asked.id, asked.buttons[0][0]
            )
            await asyncio.to_thread(chat.sees, "Paid.", asked.id)
            assert (tmp_path / "paid").read_text().split() == ["5"]
