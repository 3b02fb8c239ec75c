"""The processes that most tests share: starting one costs more than most tests."""

from collections.abc import Generator, Iterator

import pytest

from benchmarks.kit.free_ports import free_port
from parley.simulator.telegram import TelegramSimulator
from tests.e2e.other_engines import is_alike
from tests.kit.engine import NAMES
from tests.kit.machine import patience
from tests.kit.product.process import Process, asking
from tests.kit.product.scene import KEYED, Scene, attach_logs, begin, end
from tests.kit.product.telegram_chat import telegram_config
from tests.kit.product.web_person import WebPerson


@pytest.hookimpl(tryfirst=True)  # editions look at the marks after it
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--engine") != NAMES[0]:
        for item in items:
            if is_alike(item.nodeid):
                item.add_marker(pytest.mark.long)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return attach_logs((yield))


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
            # An answer that is counted on a slow machine ends within it, too.
            "manager": {"shutdown_grace": min(600.0, patience(20))},
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
