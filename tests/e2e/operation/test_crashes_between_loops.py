"""kill -9 where the channels have one event loop and the graphs of users another."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from parley.simulator.slack import SlackSimulator
from tests.kit.engine import CHOSEN
from tests.kit.product.process import PATIENCE, Process
from tests.kit.product.scene import SLACK_TIMING, begin, end

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(200)]

_GRAPH = Path(__file__).parent / "gated_graph.py"


@dataclass(frozen=True)
class Talk:
    """A channel of Slack, in which Ann speaks before Bob asks, and what the agent was given."""

    slack: SlackSimulator
    process: Process
    folder: Path
    chat: str
    ann: str
    bob: str

    def mention(self, text: str) -> str:
        return self.slack.people.say(self.chat, self.bob, f"@{self.slack.handle} {text}")

    def given(self) -> list[tuple[str, list[str]]]:
        """The attempts so far: the run of each, and its messages."""
        path = self.folder / "given.jsonl"
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        return [(line["run"], line["given"]) for line in map(json.loads, lines)]

    def readings(self) -> int:
        return len(self.slack.calls("conversations.history", "conversations.replies"))

    def is_noted(self) -> bool:
        """Whether what Ann said is on disk with the turn that it was read for."""
        return any("the door is open" in row for row in CHOSEN.engine().rows(self.folder))

    def answers(self, thread: str) -> tuple[str, ...]:
        return self.slack.people.answers(self.chat, thread)

    def wait(self, holds: Callable[[], object], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, f"waited in vain for {what}\n{self.process.log}"
            time.sleep(0.02)

    def restart(self) -> None:
        self.process.kill()
        (self.folder / "open").touch()
        self.process.start()


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    with SlackSimulator(timing=SLACK_TIMING) as slack:
        ann, bob = (slack.people.add_person(name).id for name in ("Ann", "Bob"))
        chat = slack.people.add_channel("general", [ann, bob])
        shutil.copy(_GRAPH, tmp_path / "gated.py")
        section = {
            "bot_token": slack.bot_token,
            "app_token": slack.app_token,
            "api_url": slack.api_url,
            "allowed_users": ["*"],
            "context_messages": "chat",
        }
        agent = {"graphs": {"agent": f"{tmp_path}/gated.py:graph"}}
        process = begin(tmp_path, {"agent": agent, "channels": {"slack": section}})
        try:
            process.wait_until_up()
            slack.people.say(chat, ann, "the door is open")
            yield Talk(slack, process, tmp_path, chat, ann, bob)
        finally:
            end(process)


def test_in_the_middle_of_a_run_its_context_stays_and_no_second_run_is_made(talk: Talk) -> None:
    asked = talk.mention("what is open?")
    talk.wait(talk.given, "the run to begin")
    read = talk.readings()
    talk.restart()
    talk.wait(lambda: talk.answers(asked), "the answer")
    first, *again = talk.given()
    assert "the door is open" in "".join(first[1])
    assert again == [first]
    assert talk.readings() == read == 1
    assert talk.answers(asked) == ("You said what is open?.",)


def test_between_reading_and_the_run_what_was_read_is_kept(talk: Talk) -> None:
    other = talk.slack.people.add_channel("other", [talk.bob])
    talk.slack.people.say(other, talk.bob, f"@{talk.slack.handle} hold the loop")
    talk.wait(talk.given, "the loop of the graphs to be held")
    read = talk.readings()
    asked = talk.mention("what is open?")
    talk.wait(talk.is_noted, "the messages above to be read and noted")
    talk.slack.people.say(talk.chat, talk.ann, "the door is closed now")
    talk.restart()
    talk.wait(lambda: talk.answers(asked), "the answer")
    runs = [(run, given) for run, given in talk.given() if "what is open?" in given[-1]]
    assert len(runs) == 1
    assert "the door is open" in "".join(runs[0][1])
    assert "closed" not in "".join(runs[0][1])
    assert talk.readings() == read + 1
    assert talk.answers(asked) == ("You said what is open?.",)
