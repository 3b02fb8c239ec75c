"""A running Parley of the end-to-end tests, and Telegram beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.kit.free_ports import free_port
from parley.simulator.slack import SlackSimulatorTiming
from parley.simulator.telegram import TelegramSimulator
from tests.kit.engine import CHOSEN
from tests.kit.machine import patience
from tests.kit.product.process import AGENT_KEY, Config, Process
from tests.kit.product.telegram_chat import Chat

KEYED: Config = {"agent": {"api_key": AGENT_KEY}}
SLACK_TIMING = SlackSimulatorTiming(ack=patience(3.0))
"""Slack gives an app three seconds, and after two tries waits for a minute: time for busy machines."""

_running: list[Process] = []
_ended: list[Process] = []


@dataclass(frozen=True)
class Scene:
    """A running Parley, and the Telegram that it is on."""

    parley: Process
    telegram: TelegramSimulator

    def private(self, language: str = "en") -> Chat:
        """Somebody new on Telegram, alone with the bot."""
        person = self.telegram.people.add_person("Alice", language=language)
        return Chat(self.telegram, person.id, person.id)

    def group(self) -> Chat:
        """Somebody new on Telegram, in a group with the bot."""
        person = self.telegram.people.add_person("Bob")
        return Chat(self.telegram, self.telegram.people.add_group("Team", [person.id]), person.id)

    def topics(self, *titles: str) -> list[Chat]:
        """Somebody new on Telegram, in topics of one forum with the bot."""
        people = self.telegram.people
        person = people.add_person("Carol")
        forum = people.add_group("Forum", [person.id], forum=True)
        places = [people.add_topic(forum, title, person.id) for title in titles]
        return [Chat(self.telegram, forum, person.id, place) for place in places]


def begin(
    folder: Path, config: Config, *arguments: str, variables: Mapping[str, str] | None = None
) -> Process:
    """Start a process, whose log is shown with every test that fails meanwhile."""
    usual = {"console": {"port": free_port()}, "store": CHOSEN.engine().section(folder)}
    process = Process(folder, {**usual, **config}, arguments or ("run",), variables=variables or {})
    _running.append(process)
    process.spawn()
    return process


def end(process: Process) -> None:
    """Kill a process."""
    process.kill()
    _running.remove(process)
    _ended.append(process)


def attach_logs(report: pytest.TestReport) -> pytest.TestReport:
    """Add the logs of what runs, or ended with the test, to the report of a test that failed."""
    if report.failed:
        report.sections += [(f"log in {one.folder.name}", one.log[-6000:]) for one in (*_running, *_ended)]
    _ended.clear()
    return report
