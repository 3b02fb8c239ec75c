"""Parley dies around what the built-in agent suggests: nothing is asked, answered or shown twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from starlette.responses import Response, StreamingResponse

from tests.e2e.built_in.test_steps_in_chats import each, mortal
from tests.e2e.built_in.test_suggestions import SUGGESTED, is_asked_to_suggest, model
from tests.kit.product.process import Process, parley
from tests.kit.product.step_viewers import StepViewer
from tests.kit.waiting import until
from tests.unit.server.default_agent.scripted_model import Asked

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(300)]

ASKED = "How do I brew tea"
PLATFORMS = ("telegram", "slack", "feishu", "dingtalk")
KEEPING = PLATFORMS[:2]
"""Where a simulated person can press while nobody listens, and the press comes later."""


@dataclass
class HeldModel:
    """The model, which keeps the answers back that `held` picks out until it is let go."""

    held: Callable[[Asked], bool] = lambda asked: False
    asked: list[Asked] = field(default_factory=list)
    waiting: int = 0
    go: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, asked: Asked) -> Response:
        self.asked.append(asked)
        if not self.held(asked):
            return model(asked)

        async def body() -> AsyncIterator[bytes]:
            self.waiting += 1
            await self.go.wait()
            yield bytes(model(asked).body)

        return StreamingResponse(body(), media_type="text/event-stream")


def is_asked(text: str) -> Callable[[Asked], bool]:
    """Pick out the calls that answer this text."""
    return lambda asked: not is_asked_to_suggest(asked) and asked["messages"][-1]["content"] == text


@dataclass(frozen=True)
class Scene:
    """A Parley that dies, and people who talk to it on the page and on every platform."""

    process: Process
    people: list[StepViewer]
    model: HeldModel

    async def ask(self) -> None:
        """Have all ask, see suggestions, and wait until the turns are over."""
        await self.say()
        await each(self.people, lambda viewer: viewer.decider.wait(lambda: offered(viewer)))

        async def over() -> bool:
            table = await asyncio.to_thread(parley, self.process.folder, "threads")
            return table.stdout.count(ASKED) == len(self.people)

        # A turn is written down just after its answer is there: with a death in between it may come twice.
        await until(over, "the turns are over")

    async def say(self) -> None:
        """Have all ask."""
        await each(self.people, lambda viewer: viewer.decider.say(question(viewer)))

    async def until_held(self) -> None:
        """Return once the model keeps an answer back for everybody."""
        await until(lambda: self.model.waiting == len(self.people), "all wait for the model")

    async def live_again(self) -> None:
        """Let the model go, and start Parley after its death."""
        self.model.go.set()
        self.process.spawn()
        await asyncio.to_thread(self.process.wait_until_ready)

    async def press(self, label: str, *platforms: str) -> None:
        """Have those on `platforms`, or all, press what is suggested."""

        def presses(viewer: StepViewer) -> None:
            (message,) = offered(viewer)
            viewer.decider.press(message, label)

        await each([one for one in self.people if not platforms or one.decider.name in platforms], presses)

    async def see(self, pressed: str) -> None:
        """See that it is answered once, as what they asked is and what they say next, and nothing else."""
        await each(self.people, lambda viewer: sees(viewer, pressed))


def offered(viewer: StepViewer) -> list[str]:
    """Return the messages below which all suggestions stand."""
    return [message for message, _, buttons in viewer.decider.seen() if set(SUGGESTED) <= set(buttons)]


def question(viewer: StepViewer) -> str:
    return f"{ASKED} on {viewer.decider.name}?"


def sees(viewer: StepViewer, pressed: str) -> None:
    """See the answers, as texts without what they quote."""
    viewer.decider.sees(f"You said: {pressed}")
    viewer.decider.say("And now?")
    viewer.decider.sees("You said: And now?")
    shown = [text[text.find("You said: ") :] for text in viewer.texts()]
    assert shown == [f"You said: {text}" for text in (question(viewer), pressed, "And now?")]


@asynccontextmanager
async def scene(folder: Path, held: HeldModel) -> AsyncIterator[Scene]:
    """Parley with the built-in agent, whose model is held."""
    built_in = {"suggestions": "openai:m"}
    async with mortal(folder, held, built_in, slack="one", imported=True) as (process, people):
        await asyncio.to_thread(process.wait_until_ready)
        yield Scene(process, people, held)


async def test_a_suggestion_from_before_is_asked_once(tmp_path: Path) -> None:
    async with scene(tmp_path, HeldModel()) as at:
        await at.ask()
        at.process.kill()
        await at.press(SUGGESTED[1], *KEEPING)
        await at.live_again()
        await at.press(SUGGESTED[1])
        await at.see(SUGGESTED[1])


@pytest.mark.parametrize("killed", ["at once", "while the model answers"])
async def test_a_press_is_answered_once(tmp_path: Path, killed: str) -> None:
    async with scene(tmp_path, HeldModel(is_asked(SUGGESTED[0]))) as at:
        await at.ask()
        await at.press(SUGGESTED[0])
        if killed == "while the model answers":
            await at.until_held()
        at.process.kill()
        await at.live_again()
        # On the page who presses writes: twice would be two messages.
        await at.press(SUGGESTED[0], *PLATFORMS)
        await at.see(SUGGESTED[0])


async def test_an_answer_whose_suggestions_are_being_made_stays_whole(tmp_path: Path) -> None:
    async with scene(tmp_path, HeldModel(is_asked_to_suggest)) as at:
        await at.say()
        # An answer waits for them for some seconds only: Parley dies as soon as the first ones are made.
        await until(lambda: at.model.waiting, "suggestions are being made")
        at.process.kill()
        suggesting = str([one for one in at.model.asked if is_asked_to_suggest(one)])
        await at.live_again()
        await each(at.people, lambda viewer: viewer.decider.wait(lambda: offered(viewer)))
        await at.press(SUGGESTED[1])
        await at.see(SUGGESTED[1])
        for asked in filter(suggesting.__contains__, map(question, at.people)):
            assert len(list(filter(is_asked(asked), at.model.asked))) == 1, "the answer was kept"
