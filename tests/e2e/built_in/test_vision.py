"""Pictures that people send to the built-in agent, whose model sees them or does not."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from tests.e2e.built_in.test_abilities_in_chats import hears
from tests.e2e.built_in.test_commands import CHART
from tests.e2e.built_in.test_steps_in_chats import Held, each, ends_with, everywhere
from tests.kit.product.step_viewers import StepViewer
from tests.unit.server.default_agent.scripted_model import Asked, streams

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

BLIND = {"models": {"openai:blind": {"vision": False}}}
NO_PICTURES = "blind cannot see pictures"


def pictures(asked: Asked) -> list[bytes]:
    """All pictures that a model was given, of this turn and of those before."""
    contents = [one["content"] for one in asked["messages"] if isinstance(one["content"], list)]
    parts = [part for content in contents for part in content if part["type"] == "image_url"]
    return [b64decode(part["image_url"]["url"].removeprefix("data:image/png;base64,")) for part in parts]


def left_out(asked: Asked) -> int:
    """For how many pictures a sentence stands."""
    return str(asked["messages"]).count("[A picture is here, which you cannot see")


def model(asked: Asked) -> Response:
    """Say what it was given."""
    assert set(pictures(asked)) <= {CHART}
    got = f"{asked['model']} sees {len(pictures(asked))} and misses {left_out(asked)}."
    return streams(content=got)(asked)


def shows(viewer: StepViewer, words: str) -> None:
    """Send a picture, and return once there is an answer with these words."""
    before = len(viewer.decider.seen())
    viewer.decider.send_picture("chart.png", CHART, "What is this?")
    viewer.decider.sees(words, before)


def talks(viewer: StepViewer) -> None:
    """Show a picture to one model and to the other, and go back to the first."""
    shows(viewer, "m sees 1 and misses 0.")
    hears(viewer, "/models openai:blind", "openai:blind")
    hears(viewer, "And you?", "blind sees 0 and misses 1.")
    shows(viewer, "blind sees 0 and misses 2.")
    hears(viewer, "/models openai:m", "openai:m")
    hears(viewer, "And now?", "m sees 2 and misses 0.")


async def test_the_conversation_keeps_them_for_a_model_that_sees(tmp_path: Path) -> None:
    agent = {"models": ["openai:blind"]}
    async with everywhere(tmp_path, model, BLIND, agent, "one") as viewers:
        await each(viewers, talks)


async def test_who_sends_one_to_a_model_that_does_not_see_reads_that_at_once(tmp_path: Path) -> None:
    asked_with: list[Any] = []

    def answers(asked: Asked) -> Response:
        asked_with.append((pictures(asked), left_out(asked)))
        return held(asked)

    held = Held(streams(content="I cannot see it."))
    async with everywhere(tmp_path, answers, BLIND, {"model": "openai:blind"}) as viewers:
        await each(viewers, lambda viewer: viewer.decider.send_picture("chart.png", CHART, "What is this?"))
        await each(viewers, lambda viewer: viewer.sees((f"✗ {NO_PICTURES}", "")))
        held.go.set()
        await each(viewers, lambda viewer: viewer.decider.sees("I cannot see it."))
        await each(viewers, ends_with(f"✗ {NO_PICTURES}"))
        assert asked_with == [([], 1)] * len(viewers)
