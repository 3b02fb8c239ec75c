"""What people see of the built-in agent's subagents, tasks and files: on the page and on every platform."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from starlette.responses import Response, StreamingResponse

from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator
from tests.kit.doubles.llm_provider import provider
from tests.kit.machine import patience
from tests.kit.product.process import Process
from tests.kit.product.scene import SLACK_TIMING, begin, end
from tests.kit.product.step_viewers import (
    DingTalkViewer,
    FeishuViewer,
    SlackViewer,
    StepViewer,
    TelegramViewer,
    WebViewer,
)
from tests.unit.server.default_agent.scripted_model import (
    Asked,
    Said,
    calls,
    calls_all,
    repeats_result,
    streams,
)

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(300)]

TOOLS = '''
import asyncio
from pathlib import Path
from langchain_core.tools import tool

HERE = Path(__file__).parent

@tool
async def look_up(place: str) -> str:
    """Look something up."""
    while not (HERE / place).exists():
        await asyncio.sleep(0.05)
    return f"sunny in {place}"

look_up.metadata = {"readOnlyHint": True}
'''


@dataclass
class Held:
    """An answer of the model that comes when it is let go."""

    said: Said
    go: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, asked: Asked) -> Response:
        async def body() -> AsyncIterator[bytes]:
            await self.go.wait()
            yield bytes(self.said(asked).body)

        return StreamingResponse(body(), media_type="text/event-stream")


@asynccontextmanager
async def everywhere(
    folder: Path,
    model: Said,
    built_in: Mapping[str, object],
    agent: Mapping[str, object] | None = None,
    slack: str = "threads",
) -> AsyncIterator[list[StepViewer]]:
    """Parley on this model; somebody on the page and on every platform."""
    async with mortal(folder, model, built_in, agent, slack) as (_, viewers):
        yield viewers


@asynccontextmanager
async def mortal(
    folder: Path,
    model: Said,
    built_in: Mapping[str, object],
    agent: Mapping[str, object] | None = None,
    slack: str = "threads",
    *,
    imported: bool = False,
) -> AsyncIterator[tuple[Process, list[StepViewer]]]:
    """The same with the process, which may die.

    `slack` is what a conversation is in Slack's private chat; with `imported`, DingTalk has the imported card
    template, with buttons under answers.
    """
    (folder / "my_tools.py").write_text(TOOLS)
    with ExitStack() as simulators:
        viewers: list[StepViewer] = [
            TelegramViewer(simulators.enter_context(TelegramSimulator())),
            SlackViewer(simulators.enter_context(SlackSimulator(timing=SLACK_TIMING)), slack),
            FeishuViewer(simulators.enter_context(FeishuSimulator())),
            DingTalkViewer(simulators.enter_context(DingTalkSimulator()), imported=imported),
        ]
        async with provider(model) as spoken:
            config = {
                "agent": {
                    "model": "openai:m",
                    "model_api_key": "k",
                    "base_url": spoken.url,
                    **(agent or {}),
                },
                "built_in": built_in,
                "channels": {each.decider.name: each.section() for each in viewers},
            }
            process = begin(folder, config)
            try:
                await asyncio.to_thread(process.wait_until_up)
                web = WebViewer(process.url)
                yield process, [web, *viewers]
                web.close()
            finally:
                end(process)


async def each(viewers: list[StepViewer], act: Callable[[StepViewer], object]) -> None:
    """Have all do this at the same time."""
    await asyncio.gather(*(asyncio.to_thread(act, viewer) for viewer in viewers))


def ends_with(*steps: str) -> Callable[[StepViewer], None]:
    """The page and Slack's cards keep these steps; lines are gone with the answer."""
    return lambda viewer: viewer.sees(*((step, "") for step in steps if viewer.keeps))


def with_scouts(timeout: float) -> dict[str, object]:
    scout = {"description": "Looks up.", "prompt": "You are a scout.", "tools": ["look_up"]}
    return {
        "tools": ["my_tools.py:look_up"],
        "subagents": {"enabled": True, "timeout": timeout, "agents": {"scout": scout}},
    }


def sends_scouts(places: tuple[str, ...], last: Said, scout: Said) -> Said:
    """A model that hands a task for each place to a scout, and says the last word itself."""

    def model(asked: Asked) -> Response:
        messages = asked["messages"]
        if messages[0]["content"].startswith("You are a scout"):
            return scout(asked)
        if messages[-1]["role"] == "tool":
            return last(asked)
        tasks = [{"agent": "scout", "description": f"{place}?"} for place in places]
        return calls_all(*(("task", task) for task in tasks))(asked)

    return model


def looks_up(asked: Asked) -> Response:
    messages = asked["messages"]
    if messages[-1]["role"] == "tool":
        return repeats_result(asked)
    return calls("look_up", place=messages[-1]["content"].removesuffix("?"))(asked)


async def test_two_subagents_at_once_are_two_steps_that_say_what_each_does(tmp_path: Path) -> None:
    last = Held(streams(content="Sunny in both."))
    model = sends_scouts(("Rome", "Oslo"), last, looks_up)
    async with everywhere(tmp_path, model, with_scouts(600)) as viewers:
        await each(viewers, lambda viewer: viewer.decider.say("How are Rome and Oslo?"))
        await each(
            viewers,
            lambda viewer: viewer.sees(("⏳ scout: Rome?", "look up"), ("⏳ scout: Oslo?", "look up")),
        )
        (tmp_path / "Rome").touch()
        await each(
            viewers, lambda viewer: viewer.sees(("✓ scout: Rome?", ""), ("⏳ scout: Oslo?", "look up"))
        )
        (tmp_path / "Oslo").touch()
        last.go.set()
        await each(viewers, lambda viewer: viewer.decider.sees("Sunny in both."))
        await each(viewers, ends_with("✓ scout: Rome?", "✓ scout: Oslo?"))
        assert all(text == "Sunny in both." for viewer in viewers for _, text, _ in viewer.decider.seen())


async def test_subagents_that_fail_or_take_too_long_are_failed_steps(tmp_path: Path) -> None:
    last = Held(streams(content="I could not find out."))

    def scout(asked: Asked) -> Response:
        """Say nothing of Rome, and look for Oslo without an end."""
        return (looks_up if "Oslo" in str(asked["messages"]) else streams(content=" "))(asked)

    model = sends_scouts(("Rome", "Oslo"), last, scout)
    async with everywhere(tmp_path, model, with_scouts(patience(2))) as viewers:
        await each(viewers, lambda viewer: viewer.decider.say("How are Rome and Oslo?"))
        await each(viewers, lambda viewer: viewer.sees(("✗ scout: Rome?", ""), ("✗ scout: Oslo?", "")))
        last.go.set()
        await each(viewers, lambda viewer: viewer.decider.sees("I could not find out."))
        await each(viewers, ends_with("✗ scout: Rome?", "✗ scout: Oslo?"))


async def test_a_list_of_tasks_is_ticked_off_before_their_eyes(tmp_path: Path) -> None:
    names = ["Book the room", "Write to all", "Order food"]

    def listed(*states: str) -> Said:
        return calls(
            "write_todos",
            todos=[{"content": name, "status": state} for name, state in zip(names, states, strict=True)],
        )

    second = Held(listed("completed", "in_progress", "pending"))
    last = Held(streams(content="The room is booked."))
    answers = (listed("in_progress", "pending", "pending"), second, last)

    def model(asked: Asked) -> Response:
        return answers[sum(each["role"] == "tool" for each in asked["messages"])](asked)

    async with everywhere(tmp_path, model, {"todos": True}) as viewers:
        await each(viewers, lambda viewer: viewer.decider.say("Plan the party"))
        first = [(f"{sign} {name}", "") for sign, name in zip("⏳○○", names, strict=True)]
        await each(viewers, lambda viewer: viewer.sees(*first))
        second.go.set()
        then = [(f"{sign} {name}", "") for sign, name in zip("✓⏳○", names, strict=True)]
        await each(viewers, lambda viewer: viewer.sees(*then))
        last.go.set()
        await each(viewers, lambda viewer: viewer.decider.sees("The room is booked."))
        await each(viewers, ends_with(f"✓ {names[0]}", f"○ {names[1]}", f"○ {names[2]}"))


async def test_a_file_that_the_agent_writes_comes_with_the_answer(tmp_path: Path) -> None:
    answers = (
        calls("write_file", file_path="/out/table.csv", content="a,b\n1,2\n"),
        calls("present_files", filepaths=["/out/table.csv"]),
        streams(content="Here it is."),
    )

    def model(asked: Asked) -> Response:
        return answers[sum(each["role"] == "tool" for each in asked["messages"])](asked)

    async with everywhere(tmp_path, model, {"workspace": {"enabled": True}}) as viewers:
        await each(viewers, lambda viewer: viewer.decider.say("Make a table"))
        await each(viewers, lambda viewer: viewer.decider.sees("Here it is."))
        await each(viewers, lambda viewer: viewer.receives({"table.csv": b"a,b\n1,2\n"}))
