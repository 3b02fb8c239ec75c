"""The built-in agent suggests what to ask next, through Parley as a process."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from starlette.responses import Response

from tests.e2e.built_in.test_steps_in_chats import each, mortal
from tests.e2e.built_in.test_tools import running
from tests.kit.doubles.llm_provider import provider, says
from tests.kit.product.step_viewers import StepViewer
from tests.kit.product.web_person import WebPerson
from tests.unit.server.default_agent.scripted_model import Asked, streams

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

SUGGESTED = ["How hot should the water be?", "Which tea is mildest?"]


def is_asked_to_suggest(asked: Asked) -> bool:
    return "may well want to send next" in str(asked["messages"][0]["content"])


def model(asked: Asked) -> Response:
    """Suggest where that is asked for, once; else say back."""
    last = asked["messages"][-1]["content"]
    if not is_asked_to_suggest(asked):
        return streams(content=f"You said: {last}")(asked)
    texts = json.dumps(SUGGESTED if "brew" in str(last) else [])
    return (streams(content=texts) if asked.get("stream") else says(texts))(asked)


def presses(viewer: StepViewer) -> None:
    """Ask, press what is suggested below the answer, and see it asked and answered once."""
    decider = viewer.decider
    decider.say("How do I brew tea?")

    def offered() -> list[str]:
        """Return the message below which all of them stand."""
        return [message for message, _, buttons in decider.seen() if set(SUGGESTED) <= set(buttons)]

    decider.wait(offered)
    (message,) = offered()
    before = len(decider.seen())
    decider.press(message, SUGGESTED[1])
    answer = decider.sees(f"You said: {SUGGESTED[1]}", before)[1]
    assert answer.index(SUGGESTED[1]) < answer.index("You said: ")


async def test_a_press_on_a_platform_asks_one(tmp_path: Path) -> None:
    built_in = {"suggestions": "openai:m"}
    async with mortal(tmp_path, model, built_in, slack="one", imported=True) as (_, (_, *viewers)):
        await each(viewers, presses)


async def test_on_the_page_they_come_with_the_answer_and_go_with_the_next(tmp_path: Path) -> None:
    async with (
        provider(model) as spoken,
        running(tmp_path, spoken, suggestions="openai:m") as parley,
    ):
        web = WebPerson(parley.url)
        heard = await asyncio.to_thread(web.ask, "How do I brew tea?")
        assert heard.final["suggestions"] == SUGGESTED
        assert not any("mildest" in text for text in heard.growing)
        heard = await asyncio.to_thread(web.ask, SUGGESTED[0])
        assert SUGGESTED[0] in heard.text
        assert heard.final["suggestions"] == []
        web.close()
