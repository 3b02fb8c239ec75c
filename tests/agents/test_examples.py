"""Each project in examples/ starts as it is, and answers; a check says what does nothing in a project."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
import yaml

from benchmarks.kit.free_ports import free_port
from parley.simulator.telegram import TelegramSimulator
from tests.agents.servers import list_graphs
from tests.conformance.served.lead_agent import REPORT, lead_agent
from tests.kit.checkout import ROOT
from tests.kit.doubles.deerflow_server import MODELS, TOKEN, DeerFlowServer, serving
from tests.kit.product.process import Config, Process, parley
from tests.kit.product.telegram_chat import Chat, telegram_config
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]

_EXAMPLES = ROOT / "examples"
OFFLINE = ("chat_agent", "approval", "rag", "deep_agent")


def copied(example: str, folder: Path) -> tuple[Path, Config]:
    """A copy of an example's folder, and what its configuration says."""
    shutil.copytree(_EXAMPLES, folder, dirs_exist_ok=True)
    file = folder / example / "config.yaml"
    config = yaml.safe_load(file.read_text("utf-8")) if file.exists() else {}
    return folder / example, {**config, "console": {"port": free_port()}}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Process]]:
    """Those that need nothing but themselves; they start at the same time."""
    with ExitStack() as stack:
        processes = {}
        for example in OFFLINE:
            processes[example] = process = Process(*copied(example, tmp_path_factory.mktemp("examples")))
            stack.callback(process.kill)
            process.spawn()
        for process in processes.values():
            process.wait_until_ready()
        yield processes


@pytest.fixture
def person(running: Mapping[str, Process], request: pytest.FixtureRequest) -> Iterator[WebPerson]:
    """Somebody on the page of the example that a test is about."""
    example = request.node.get_closest_marker("example").args[0]
    somebody = WebPerson(running[example].url)
    yield somebody
    somebody.close()


@pytest.mark.example("chat_agent")
def test_the_chat_agent_uses_its_tools(person: WebPerson) -> None:
    heard = person.ask("How high is Madrid?")
    assert heard.text == "Madrid is 657 m above the sea."
    assert [step["title"] for step in heard.final["steps"]] == ["Altitude"]


@pytest.mark.example("approval")
def test_nothing_is_sent_before_it_is_approved(person: WebPerson) -> None:
    asked = person.ask("invite Ada").final
    question = asked["question"]
    assert "send_invitation" in asked["text"] + question["action"]
    person.decide(question["id"], "approve")
    assert person.until(lambda text: "is sent" in text) == "The invitation to Ada is sent: Lunch on Friday."


@pytest.mark.example("rag")
def test_the_retrieval_graph_gets_the_question_and_gives_the_answer(person: WebPerson) -> None:
    assert person.ask("How many holidays?").text == "everybody has thirty days of holiday a year."
    assert person.ask("Canteen?").text == "The handbook does not say."


@pytest.mark.example("deep_agent")
def test_the_file_that_the_answer_names_arrives(person: WebPerson) -> None:
    heard = person.ask("Write a report on rain")
    assert "/report.md" in heard.text
    (file,) = heard.final["files"]
    assert person.download(file["id"]) == b"# Report\n\nYou asked: Write a report on rain\n"


def test_the_group_bot_knows_who_speaks(tmp_path: Path) -> None:
    folder, config = copied("group_bot", tmp_path)
    with TelegramSimulator() as telegram, ExitStack() as stack:
        process = Process(folder, {**config, "channels": {"telegram": telegram_config(telegram)}})
        stack.callback(process.kill)
        process.start()
        process.wait_until_ready()
        ada, bob = (telegram.people.add_person(name).id for name in ("Ada", "Bob"))
        group = telegram.people.add_group("Party", [ada, bob])
        Chat(telegram, group, ada).ask("I bring soup", "Thank you, Ada: soup is noted.", mention=True)
        Chat(telegram, group, bob).ask("I bring bread", "Thank you, Bob: bread is noted.", mention=True)
        Chat(telegram, group, ada).ask("who brings what?", "Ada brings soup, Bob brings bread.", mention=True)


async def test_deerflow_is_reached_by_its_configuration(tmp_path: Path) -> None:
    async with serving(DeerFlowServer({"lead_agent": lead_agent})) as gateway:
        folder, config = copied("deerflow", tmp_path)
        written = yaml.safe_dump(config).replace("http://127.0.0.1:8001", gateway.url)
        process = Process(folder, yaml.safe_load(written), variables={"DEERFLOW_TOKEN": TOKEN})
        try:
            await asyncio.to_thread(_talk_to_deerflow, process, gateway)
        finally:
            process.kill()


def _talk_to_deerflow(process: Process, gateway: DeerFlowServer) -> None:
    process.start()
    process.wait_until_ready()
    person = WebPerson(process.url)
    try:
        models = person.ask("/models").text
        assert all(name in models for name in MODELS)
        assert person.ask("hello").text == "You said: hello"
        (thread,) = gateway.threads
        gateway.files[thread, REPORT] = b"a report"
        (file,) = person.ask("report").final["files"]
        assert person.download(file["id"]) == b"a report"
    finally:
        person.close()


def test_what_only_the_official_server_has_is_said_by_a_check(tmp_path: Path) -> None:
    list_graphs(tmp_path, {"people.whoami"})
    assert "auth does nothing here" in parley(tmp_path, "check").stdout
