"""The built-in agent hands tasks to subagents, under the same rules, and people see one step for each."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from starlette.responses import Response, StreamingResponse

from parley.core.model.errors import ConfigError
from parley.core.model.types import StepStatus
from parley.server.default_agent.tools.execution import CalledOnce, begun_calls
from parley.server.options import DefaultAgentOptions, SubagentOptions, TaskOptions, ToolRules
from tests.kit.machine import patience
from tests.kit.waiting import until
from tests.unit.server.default_agent.conversation import conversation
from tests.unit.server.default_agent.scripted_model import (
    Asked,
    Said,
    calls,
    calls_all,
    offered,
    repeats_result,
    streams,
    took,
)

TOOLS = '''
import asyncio
from pathlib import Path
from langchain_core.tools import tool

HERE = Path(__file__).parent

@tool
def weather(place: str) -> str:
    """Tell the weather."""
    return f"sunny in {place}"

weather.metadata = {"readOnlyHint": True}

def send_mail(to: str) -> str:
    """Send a mail."""
    with (HERE / "sent").open("a") as file:
        file.write(to + "\\n")
    return f"sent to {to}"

@tool
async def sleep() -> str:
    """Sleep for long."""
    await asyncio.sleep(3600)
    return "awake"

sleep.metadata = {"readOnlyHint": True}
all_tools = [weather, send_mail, sleep]
'''
FORECASTER = SubagentOptions("forecaster", "Knows the weather.", "You are a forecaster.", ("weather",))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "my_tools", raising=False)
    (tmp_path / "my_tools.py").write_text(TOOLS)
    return tmp_path


def options(
    folder: Path,
    *agents: SubagentOptions,
    rules: ToolRules | None = None,
    timeout: float = 600.0,
    at_once: int = 3,
) -> DefaultAgentOptions:
    return DefaultAgentOptions(
        tools=(f"{folder}/my_tools.py:all_tools",),
        rules=rules or ToolRules(),
        tasks=TaskOptions(agents, at_once, timeout),
    )


async def test_a_task_is_done_by_another_agent_and_is_one_step(folder: Path) -> None:
    async with conversation(folder, options(folder, FORECASTER)) as talk:
        final = await talk.say(
            "Weather?",
            calls("task", agent="forecaster", description="Find the weather in Rome."),
            calls("weather", place="Rome"),
            streams(content="Rome: sunny."),
            repeats_result,
        )
        assert final.text == "Rome: sunny."
        (step,) = final.steps
        assert (step.title, step.status) == ("forecaster: Find the weather in Rome.", "done")
        assert (step.details, step.output) == ("Find the weather in Rome.", "weather")
        main, inner = talk.model.asked[:2]
        assert "task" in offered(main)
        assert offered(inner) == ["weather"]
        assert [each["role"] for each in inner["messages"]] == ["system", "user"]
        assert inner["messages"][0]["content"] == "You are a forecaster."
        assert inner["messages"][1]["content"] == "Find the weather in Rome."
        description = next(each for each in main["tools"] if each["function"]["name"] == "task")
        assert "- forecaster: Knows the weather." in description["function"]["description"]
        assert "- general-purpose:" in description["function"]["description"]


async def test_approvals_within_a_task_reach_the_person(folder: Path) -> None:
    async with conversation(folder, options(folder)) as talk:
        await talk.say(
            "Mail Ada and Bob",
            calls("task", agent="general-purpose", description="Mail ada@example.com."),
            calls("send_mail", to="ada@example.com"),
            calls("send_mail", to="bob@example.com"),
            streams(content="Only Ada."),
            repeats_result,
        )
        await talk.until_asked("ada@example.com")
        assert not (folder / "sent").exists()
        await talk.say("yes")
        await talk.until_asked("bob@example.com")
        final = await talk.say("no, not Bob")
        assert final.text == "Only Ada."
        assert [(step.title, step.status) for step in final.steps] == [
            ("general-purpose: Mail ada@example.com.", "done")
        ]
        assert (folder / "sent").read_text().split() == ["ada@example.com"]
        assert len(talk.model.asked) == 5, "no call of a model is made twice"
        assert "not Bob" in str(talk.model.asked[3]["messages"][-1])


async def test_two_tasks_that_ask_at_once_are_answered_each_for_itself(folder: Path) -> None:
    def either(asked: Asked) -> Response:
        """Mail to whom the task says, then report."""
        text, last = str(asked["messages"][1]["content"]), asked["messages"][-1]
        return (calls("send_mail", to=text) if last["role"] == "user" else repeats_result)(asked)

    async with conversation(folder, options(folder)) as talk:
        both = [("task", {"agent": "general-purpose", "description": to}) for to in ("ada", "bob")]
        await talk.say(
            "Mail both", calls_all(*both), either, either, either, either, streams(content="Done.")
        )
        await talk.until_asked("ada")
        await talk.until_asked("bob")
        # Words answer the newer question, and either may be that.
        is_ada = "ada" in talk.core.channel.finals[-1].text
        await talk.say("yes" if is_ada else "no")
        final = await talk.say("no" if is_ada else "yes")
        assert final.text == "Done."
        assert (folder / "sent").read_text().split() == ["ada"]


async def test_rules_and_limits_hold_within_a_task(folder: Path) -> None:
    rules = ToolRules(deny=("send_*",), same_calls_per_run=2, model_calls_per_run=6)
    async with conversation(folder, options(folder, rules=rules)) as talk:
        final = await talk.say(
            "Go",
            calls("task", agent="general-purpose", description="Mail."),
            calls("send_mail", to="ada"),
            repeats_result,
            repeats_result,
        )
        assert final.text == "The tool send_mail may not be used here."
        assert offered(talk.model.asked[1]) == ["weather", "sleep"], "and no task within a task"

        again = calls("weather", place="Rome")
        final = await talk.say(
            "Loop", calls("task", agent="general-purpose", description="Loop."), again, again, repeats_result
        )
        assert "weather" in final.text
        assert "2" in final.text
        assert len(talk.model.asked) == 8, "the loop ended before a third call"


@pytest.mark.parametrize(
    ("agent", "answers", "words"),
    [
        ("nobody", [], "there is no agent nobody; there are: general-purpose, forecaster"),
        ("forecaster", [calls("sleep")], "forecaster did not finish within"),
        ("forecaster", [lambda _: Response("broken", 500)], "task failed: "),
        ("forecaster", [streams(content=" ")], "forecaster said nothing"),
    ],
)
async def test_a_task_that_fails_is_told_and_the_turn_goes_on(
    folder: Path, agent: str, answers: list[Said], words: str
) -> None:
    slow = SubagentOptions("forecaster", "Knows the weather.", tools=("weather", "sleep"))
    async with conversation(folder, options(folder, slow, timeout=patience(0.3))) as talk:
        task = calls("task", agent=agent, description="Go.")
        final = await talk.say("Weather?", task, *answers, repeats_result)
        assert words in final.text
        assert [step.status for step in final.steps] == ["failed"]


async def test_so_many_tasks_work_at_once_and_no_more(folder: Path) -> None:
    at_work = most = 0

    def works(asked: Asked) -> Response:
        async def body() -> AsyncIterator[bytes]:
            nonlocal at_work, most
            at_work += 1
            most = max(most, at_work)
            if at_work == 2:
                both.set()
            await both.wait()
            await until(shows_who_waits, "who waits for room does not work yet")
            yield bytes(streams(content="ok")(asked).body)
            at_work -= 1

        return StreamingResponse(body(), media_type="text/event-stream")

    def shows_who_waits() -> bool:
        shown = [Counter(step.status for step in each.steps) for each in talk.core.channel.shown]
        return {StepStatus.RUNNING: 2, StepStatus.PENDING: 3} in shown

    both = asyncio.Event()
    async with conversation(folder, options(folder, at_once=2)) as talk:
        tasks = [("task", {"agent": "general-purpose", "description": str(at)}) for at in range(5)]
        final = await talk.say("Go", calls_all(*tasks), *[works] * 5, streams(content="Done."))
        assert final.text == "Done."
        assert most == 2
        assert [step.title for step in final.steps] == [f"general-purpose: {at}" for at in range(5)]


async def test_a_model_of_its_own_must_be_there(folder: Path) -> None:
    odd = SubagentOptions("odd", "Odd.", model="none")
    with pytest.raises(ConfigError, match=r"built_in.subagents: none must be in agent.models, too"):
        async with conversation(folder, options(folder, odd)):
            pass


async def test_tokens_of_a_task_count(folder: Path) -> None:
    async with conversation(folder, options(folder, FORECASTER)) as talk:
        task = calls("task", agent="forecaster", description="Go.")
        await talk.say(
            "Weather?", took(1, task), took(10, streams(content="sunny")), took(100, repeats_result)
        )
        used = await talk.say("/usage")
        assert "output tokens: 111" in used.text
        await talk.say("Weather?", took(1_000, task), took(10_000, streams(content=" ")), repeats_result)
        used = await talk.say("/usage")
        assert "output tokens: 11,111" in used.text, "a task that failed has its price, too"


async def test_a_task_that_begins_forgets_no_call_of_its_turn() -> None:
    store = InMemoryStore()
    runtime: Any = SimpleNamespace(store=store, execution_info=SimpleNamespace(thread_id="t"))
    await store.aput(begun_calls("t"), "call", {"tool": "pay"})
    await CalledOnce([], forgets=False).abefore_agent({"messages": []}, runtime)
    assert await store.aget(begun_calls("t"), "call")
    await CalledOnce([]).abefore_agent({"messages": []}, runtime)
    assert not await store.aget(begun_calls("t"), "call")


async def test_without_the_setting_there_is_no_such_tool(folder: Path) -> None:
    async with conversation(folder, DefaultAgentOptions()) as talk:
        await talk.say("Go", streams(content="ok"))
        assert offered(talk.model.asked[0]) == []
