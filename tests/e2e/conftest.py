"""The processes that most tests share: starting one costs more than most tests."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from parley.simulator.telegram import TelegramSimulator
from tests.kit.engine import CHOSEN, NAMES
from tests.kit.product.process import AGENT_KEY, Config, Process, asking, free_port
from tests.kit.product.telegram_chat import Chat, telegram_config
from tests.kit.product.web_person import WebPerson

KEYED: Config = {"agent": {"api_key": AGENT_KEY}}
_RUNNING: list[Process] = []
_ALIKE = re.compile(
    r"tests/e2e/(chat/test_(commands|conversations)|install/test_documents"
    r"|people/test_(authentication|file_permissions)|operation/test_(moved_database|terminal|watchdog))\.py"
    r"|tests/e2e/chat/test_questions\.py.*\[(?!slack)"
)
"""What touches the store as others do, or not at all: on another engine for the full edition."""


@pytest.hookimpl(tryfirst=True)  # editions look at the marks after it
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--engine") != NAMES[0]:
        for item in items:
            if _ALIKE.match(item.nodeid):
                item.add_marker(pytest.mark.long)


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
    """A process on its way, whose log is shown with every test that fails meanwhile."""
    usual = {"console": {"port": free_port()}, "store": CHOSEN.engine().section(folder)}
    process = Process(folder, {**usual, **config}, arguments or ("run",), variables=variables or {})
    _RUNNING.append(process)
    process.spawn()
    return process


def end(process: Process) -> None:
    """Kill a process."""
    process.kill()
    _RUNNING.remove(process)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    if report.failed:
        report.sections += [(f"log in {one.folder.name}", one.log[-6000:]) for one in _RUNNING]
    return report


@pytest.fixture(scope="session")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Parley with the agent inside, on the web and on Telegram; answers are streamed."""
    with TelegramSimulator() as telegram:
        folder = tmp_path_factory.mktemp("embedded")
        parley = begin(folder, {"channels": {"telegram": telegram_config(telegram)}})
        try:
            parley.wait_until_ready()
            yield Scene(parley, telegram)
        finally:
            end(parley)


@pytest.fixture(scope="session")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """The agent server on its own."""
    agent = begin(tmp_path_factory.mktemp("agent"), KEYED, "agent", "--port", str(free_port()))
    try:
        agent.wait_until_up()
        yield agent
    finally:
        end(agent)


@pytest.fixture(scope="session")
def apart(agent: Process, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Parley with the agent in another process; streams to the web, waits for Telegram."""
    with TelegramSimulator() as telegram:
        config = {
            "agent": asking(agent.url),
            "channels": {"telegram": telegram_config(telegram, mode="wait")},
        }
        parley = begin(tmp_path_factory.mktemp("apart"), config)
        try:
            parley.wait_until_ready()
            yield Scene(parley, telegram)
        finally:
            end(parley)


@pytest.fixture
def web(scene: Scene) -> Iterator[WebPerson]:
    """Somebody new on the page of `scene`."""
    person = WebPerson(scene.parley.url)
    yield person
    person.close()
