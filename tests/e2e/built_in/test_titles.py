"""A model names conversations with the built-in agent, through Parley as a process: on Slack and in lists."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

import pytest
from starlette.responses import Response

from parley.simulator.slack import SlackSimulator
from tests.e2e.built_in.test_steps_in_chats import each, everywhere
from tests.kit.doubles.llm_provider import provider, says
from tests.kit.product.process import PATIENCE, parley
from tests.kit.product.scene import SLACK_TIMING, begin, end
from tests.kit.product.step_viewers import StepViewer
from tests.kit.waiting import until
from tests.unit.server.default_agent.scripted_model import Asked, streams

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

TITLED = {"titles": "openai:m"}


def model(asked: Asked) -> Response:
    """Give a title of all the words where one is asked for; else repeat the last line."""
    first, last = (str(asked["messages"][number]["content"]) for number in (0, -1))
    if not first.startswith("Write a title"):
        return streams(content=f"You said: {last.rpartition(chr(10))[2]}")(asked)
    title = last.replace("Tell me of", "About")
    return (streams(content=title) if asked.get("stream") else says(title))(asked)


class SlackThreads:
    """Somebody who talks to the app in threads, wherever Slack has them."""

    def __init__(self, simulator: SlackSimulator) -> None:
        self._app, self._people = simulator, simulator.people
        self._ada, self._bob = self._people.add_person("Ada"), self._people.add_person("Bob")
        self._team = self._people.add_channel("team", [self._ada.id, self._bob.id])

    def section(self) -> dict[str, object]:
        """The channel's section of the configuration."""
        tokens = {"bot_token": self._app.bot_token, "app_token": self._app.app_token}
        return {**tokens, "api_url": self._app.api_url, "burst_window": 0.1}

    def in_private(self, subject: str) -> None:
        """Write to an agent: what is said outside of threads begins one."""
        said = self._people.say(self._ada.dm, self._ada.id, f"Tell me of {subject}")
        self._is_named(self._ada.dm, said, subject)

    def in_the_panel(self, subject: str) -> None:
        """Open the assistant's panel, and write there."""
        thread = self._people.open_chat(self._ada)
        self._people.say(self._ada.dm, self._ada.id, f"Tell me of {subject}", thread)
        self._is_named(self._ada.dm, thread, subject)

    def in_a_channel(self, subject: str) -> None:
        """Mention the app in a thread where the team has talked."""
        thread = self._people.say(self._team, self._bob.id, "Who knows about it?")
        self._people.say(self._team, self._ada.id, f"@{self._app.handle} Tell me of {subject}", thread)
        self._is_named(self._team, thread, subject)

    def _is_named(self, chat: str, thread: str, subject: str) -> None:
        """See the answer once, and the thread's title."""
        self._people.wait(lambda: self._answers(chat, thread), PATIENCE)
        assert self._answers(chat, thread) == [f"You said: Tell me of {subject}"]
        self._people.wait(lambda: self._people.title(chat, thread) == f"About {subject}", PATIENCE)

    def _answers(self, chat: str, thread: str) -> list[str]:
        seen = [m for m in self._people.messages(chat) if m.from_bot and not m.streaming]
        return [m.text for m in seen if m.thread == thread and m.ts != thread]


@pytest.mark.parametrize("experience", ["agent", "assistant"])
async def test_slack_calls_a_thread_as_the_model_does(
    tmp_path: Path, experience: Literal["agent", "assistant"]
) -> None:
    with SlackSimulator(timing=SLACK_TIMING, experience=experience) as slack:
        person = SlackThreads(slack)
        async with provider(model) as spoken:
            agent = {"model": "openai:m", "model_api_key": "k", "base_url": spoken.url}
            channels = {"slack": person.section()}
            process = begin(tmp_path, {"agent": agent, "built_in": TITLED, "channels": channels})
            try:
                await asyncio.to_thread(process.wait_until_ready)
                private = person.in_private if experience == "agent" else person.in_the_panel
                await asyncio.to_thread(private, "tea")
                await asyncio.to_thread(person.in_a_channel, "coffee")
            finally:
                end(process)


async def test_the_list_of_conversations_has_titles_from_everywhere(tmp_path: Path) -> None:
    def asks(viewer: StepViewer) -> None:
        viewer.decider.say(f"Tell me of {viewer.decider.name}")
        viewer.decider.sees("You said: ")
        answers = [text for _, text, _ in viewer.decider.seen()]
        assert answers == [f"You said: Tell me of {viewer.decider.name}"]

    async with everywhere(tmp_path, model, TITLED) as viewers:
        await each(viewers, asks)
        names = [f"About {viewer.decider.name}" for viewer in viewers]

        async def listed() -> bool:
            table = await asyncio.to_thread(parley, tmp_path, "threads")
            return all(name in table.stdout for name in names)

        # A turn is written down just after its answer is there.
        await until(listed, "the list has them all")
