"""The built-in agent runs commands through Parley as a process: approved in every chat, and cut off."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode, b64encode
from pathlib import Path

import pytest
from starlette.responses import Response

from tests.e2e.built_in.test_steps_in_chats import each, mortal
from tests.e2e.built_in.test_tools import running
from tests.kit.doubles.llm_provider import provider
from tests.kit.product.process import parley
from tests.kit.product.sandbox import skip_without_sandbox, sleep
from tests.kit.product.step_viewers import StepViewer
from tests.kit.product.web_person import WebPerson
from tests.unit.server.default_agent.scripted_model import Asked, calls, repeats_result, streams

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


async def test_a_command_is_approved_in_every_chat_and_its_files_come(tmp_path: Path) -> None:
    chart = b64encode(CHART).decode()
    command = f"printf 'a,b\\n1,2\\n' > table.csv; echo {chart} | base64 -d > chart.png; wc -l < table.csv"
    answers = (
        calls("run_command", command=command),
        calls("present_files", filepaths=["/chart.png", "/table.csv"]),
        streams(content="Here it is."),
    )
    results: list[str] = []

    def model(asked: Asked) -> Response:
        came = [str(one["content"]) for one in asked["messages"] if one["role"] == "tool"]
        results.extend(came[:1])
        return answers[len(came)](asked)

    async with mortal(tmp_path, model, BUILT_IN, slack="one") as (process, viewers):
        await each(viewers, approves)
        assert set(results) == {"Exit code: 0\n2\n"}
        names = sorted(viewer.decider.name for viewer in viewers)
        assert all(f"a command begins for {name}:" in process.log for name in names)
    runs = audited(tmp_path)
    assert sorted(who.partition(":")[0] for who, _, _ in runs) == names
    assert {run[1:] for run in runs} == {(command, "exit code 0")}


def approves(viewer: StepViewer) -> None:
    """Approve the command, and see what it made: the picture as one."""
    viewer.decider.say("Make a table")
    message, _, buttons = viewer.decider.sees("wc -l")
    assert "Approve run_command" in buttons
    viewer.decider.press(message, "Approve run_command")
    viewer.decider.sees("Here it is.")
    viewer.receives({"table.csv": TABLE}, CHART)
