"""The built-in agent works with tools through Parley as a process, and through its death."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.kit.doubles.llm_provider import Provider, provider
from tests.kit.product.process import Process
from tests.kit.product.scene import begin, end
from tests.kit.product.web_person import WebPerson
from tests.kit.waiting import until
from tests.unit.server.default_agent.scripted_model import calls, repeats_result

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

TOOLS = '''
import time
from pathlib import Path

HERE = Path(__file__).parent

def pay(amount: int) -> str:
    """Pay money."""
    with (HERE / "paid").open("a") as file:
        file.write(f"{amount}\\n")
    while not (HERE / "go").exists():
        time.sleep(0.05)
    return f"paid {amount}"
'''


@asynccontextmanager
async def running(folder: Path, model: Provider, **built_in: object) -> AsyncIterator[Process]:
    """Parley on this model."""
    agent = {"model": "openai:m", "model_api_key": "k", "base_url": model.url}
    process = begin(folder, {"agent": agent, "built_in": built_in})
    try:
        await asyncio.to_thread(process.wait_until_up)
        yield process
    finally:
        end(process)


async def test_kill_9_in_the_middle_of_a_tool_that_writes_does_nothing_twice(tmp_path: Path) -> None:
    (tmp_path / "my_tools.py").write_text(TOOLS)
    paid = tmp_path / "paid"
    async with (
        provider(calls("pay", amount=5), repeats_result) as model,
        running(tmp_path, model, tools=["my_tools.py:pay"]) as parley,
    ):
        web = WebPerson(parley.url)
        heard = await asyncio.to_thread(web.ask, "Pay 5")
        question = heard.final["question"]
        await asyncio.to_thread(web.decide, question["id"], "approve")
        await until(paid.exists, "the tool works")
        parley.kill()
        (tmp_path / "go").touch()
        parley.spawn()
        await asyncio.to_thread(parley.wait_until_up)
        told = await asyncio.to_thread(web.until, lambda text: "Nobody knows" in text)
        assert "was not called again" in told
        assert paid.read_text().split() == ["5"]
        web.close()
