"""The agent's list of tasks grows in the reply and is ticked off."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from starlette.responses import Response, StreamingResponse

from parley.core.model.types import Step
from parley.server.options import DefaultAgentOptions
from tests.unit.server.default_agent.conversation import Talk, conversation
from tests.unit.server.default_agent.scripted_model import Asked, Said, calls, offered, streams


def listed(*states: str) -> Said:
    tasks = ["Book the room", "Write to all", "Order food"]
    todos = [{"content": task, "status": state} for task, state in zip(tasks, states, strict=False)]
    return calls("write_todos", todos=todos)


def told(steps: tuple[Step, ...]) -> list[tuple[str, str]]:
    return [(step.title, step.status.value) for step in steps]


def once_shown(talk: Talk, step: tuple[str, str], said: Said) -> Said:
    """An answer that comes when the chat shows this step."""

    def answer(asked: Asked) -> Response:
        async def body() -> AsyncIterator[bytes]:
            channel = talk.core.channel
            await channel.until(lambda: any(step in told(shown.steps) for shown in channel.shown))
            yield bytes(said(asked).body)

        return StreamingResponse(body(), media_type="text/event-stream")

    return answer


async def test_a_list_is_live_and_only_what_is_completed_is_done(tmp_path: Path) -> None:
    async with conversation(tmp_path, DefaultAgentOptions(todos=True)) as talk:
        final = await talk.say(
            "Plan the party",
            listed("in_progress", "pending", "pending"),
            once_shown(talk, ("Book the room", "running"), listed("completed", "in_progress", "pending")),
            once_shown(talk, ("Write to all", "running"), streams(content="The room is booked.")),
        )
        assert final.text == "The room is booked."
        assert told(final.steps) == [
            ("Book the room", "done"),
            ("Write to all", "pending"),
            ("Order food", "pending"),
        ]
        assert "write_todos" in talk.model.asked[0]["messages"][0]["content"]

        later = await talk.say("Thanks", streams(content="You are welcome."))
        assert later.steps == (), "an earlier turn's list is not this one's"


async def test_words_of_the_model_stay_words(tmp_path: Path) -> None:
    hostile = [
        {"content": "<b>x</b>\n" * 100, "status": "completed"},
        {"content": "y", "status": "in_progress"},
    ]
    async with conversation(tmp_path, DefaultAgentOptions(todos=True)) as talk:
        final = await talk.say("Go", calls("write_todos", todos=hostile), streams(content="ok"))
        assert [len(step.title) for step in final.steps] == [80, 1]
        assert "\n" not in final.steps[0].title


async def test_without_the_setting_there_is_no_such_tool(tmp_path: Path) -> None:
    async with conversation(tmp_path, DefaultAgentOptions()) as talk:
        await talk.say("Go", streams(content="ok"))
        assert offered(talk.model.asked[0]) == []
