"""The built-in agent runs commands through Parley as a process: approved in two chats, and cut off."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode, b64encode
from pathlib import Path

import pytest

from parley.simulator.telegram import TelegramSimulator
from tests.e2e.built_in.test_tools import running
from tests.kit.doubles.llm_provider import provider
from tests.kit.product.process import PATIENCE, Process, parley
from tests.kit.product.sandbox import skip_without_sandbox, sleep
from tests.kit.product.scene import begin, end
from tests.kit.product.telegram_chat import Chat, telegram_config
from tests.kit.product.web_person import WebPerson
from tests.unit.server.default_agent.scripted_model import calls, repeats_result, streams

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

CHART = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQAQAAAAA3iMLMAAAADklEQVR4nGNYtYqBFAQA/j8VQTat9xUAAAAASUVORK5CYII="
)
"""A picture of 16 by 16 dots (PNG)."""
TABLE = b"a,b\n1,2\n"
BUILT_IN = {"workspace": {"enabled": True}, "sandbox": {"enabled": True}}


@pytest.fixture(autouse=True)
def sandboxed() -> None:
    skip_without_sandbox()


def audited(folder: Path) -> list[tuple[str, str, str]]:
    """The commands that are on the record: for whom, which, and how each ended."""
    lines = parley(folder, "audit", "--json").stdout.splitlines()
    entries = [entry for entry in map(json.loads, lines) if entry["kind"] == "command"]
    return [(entry["who"], entry["prompt"], entry["text"].partition(" (")[0]) for entry in entries]


async def test_kill_9_in_the_middle_of_a_command_ends_it_and_it_is_not_run_again(tmp_path: Path) -> None:
    nap = sleep(600)
    command = f"touch made.txt; setsid sleep {nap.time} & sleep {nap.time}"
    async with (
        provider(calls("run_command", command=command), repeats_result) as model,
        running(tmp_path, model, **BUILT_IN) as process,
    ):
        web = WebPerson(process.url)
        heard = await asyncio.to_thread(web.ask, "Make it")
        assert command in json.dumps(heard.final["question"])
        await asyncio.to_thread(web.decide, heard.final["question"]["id"], "approve")
        await nap.until_there(2)
        process.kill()
        await nap.until_gone()
        process.spawn()
        await asyncio.to_thread(process.wait_until_up)
        told = await asyncio.to_thread(web.until, lambda text: "Nobody knows" in text)
        assert "was not called again" in told
        assert nap.processes() == 0
        assert not list((tmp_path / "data").glob("workspaces/*/files/made.txt"))
        web.close()


async def test_a_command_is_approved_on_telegram_and_its_files_come_to_the_chat(tmp_path: Path) -> None:
    chart = b64encode(CHART).decode()
    command = f"printf 'a,b\\n1,2\\n' > table.csv; echo {chart} | base64 -d > chart.png; wc -l < table.csv"
    with TelegramSimulator() as telegram:
        answers = (
            calls("run_command", command=command),
            calls("present_files", filepaths=["/chart.png", "/table.csv"]),
            streams(content="Here it is."),
        )
        async with provider(*answers) as model:
            agent = {"model": "openai:m", "model_api_key": "k", "base_url": model.url}
            ada = telegram.people.add_person("Ada").id
            channels = {"telegram": telegram_config(telegram)}
            process = begin(tmp_path, {"agent": agent, "built_in": BUILT_IN, "channels": channels})
            try:
                await asyncio.to_thread(through_chat, process, Chat(telegram, ada, ada))
            finally:
                end(process)
            assert model.asked[1]["messages"][-1]["content"] == "Exit code: 0\n2\n"
    ((who, run, outcome),) = audited(tmp_path)
    assert who.startswith("telegram:")
    assert (run, outcome) == (command, "exit code 0")
    assert "a command begins for telegram:" in process.log


def through_chat(process: Process, chat: Chat) -> None:
    process.wait_until_up()
    asked = chat.ask("Make a table", "table.csv")
    assert "wc -l" in asked.text
    people = chat.simulator.people
    people.press(chat.chat, chat.person, asked.id, "Approve run_command")
    chat.sees("Here it is.")
    people.wait(lambda: any(each.file == "table.csv" for each in chat.shown()), PATIENCE)
    files = [each for each in chat.shown() if each.file]
    kinds = [(each.file, each.file_kind) for each in files]
    assert kinds == [("chart.png", "photo"), ("table.csv", "document")]
    assert [people.file(chat.chat, each.id) for each in files] == [CHART, TABLE]
