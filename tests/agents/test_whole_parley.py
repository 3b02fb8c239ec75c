"""Some graphs through a whole Parley, as a person on its page meets them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest

from benchmarks.kit.free_ports import free_port
from parley.simulator.telegram import TelegramSimulator
from tests.agents.graphs.attachments import REPORT
from tests.agents.graphs.failing import BLOCKED
from tests.agents.servers import AEGRA, EMBEDDED, OFFICIAL, list_graphs, serving
from tests.agents.table import GRAPHS
from tests.kit.product.process import PATIENCE, Process, split
from tests.kit.product.telegram_chat import Chat, telegram_config
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]

_FAILED = "Something went wrong in the agent"
_IN_WORDS = ("recursion", "rate_limit", "refused_key", "context_overflow")


@pytest.fixture(scope="module", params=[EMBEDDED, OFFICIAL, AEGRA])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def telegram() -> Iterator[TelegramSimulator]:
    with TelegramSimulator() as simulator:
        yield simulator


@pytest.fixture(scope="module")
def parley(
    kind: str, telegram: TelegramSimulator, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Process]:
    """Parley with all graphs: those of its own folder, or of the official server."""
    folder = tmp_path_factory.mktemp("parley")
    agent: dict[str, object] = {"still_working_after": 1, "headers": {"X-Parley-Person": "{person}"}}
    channels = {"telegram": telegram_config(telegram)}
    with ExitStack() as stack:
        if kind != EMBEDDED:
            agent["url"] = stack.enter_context(serving(kind, tmp_path_factory.mktemp(kind), GRAPHS)).url
        else:
            list_graphs(folder, GRAPHS)
        config = {"console": {"port": free_port()}, "agent": agent, "channels": channels}
        process = Process(folder, config)
        stack.callback(process.kill)
        process.start()
        process.wait_until_ready()
        yield process


@pytest.fixture
def person(parley: Process) -> Iterator[WebPerson]:
    somebody = WebPerson(parley.url)
    yield somebody
    somebody.close()


def meets(person: WebPerson, graph: str) -> WebPerson:
    """Somebody who talks to a graph."""
    assert "now talks to" in person.ask(f"/agents {graph}").text
    return person


def test_two_people_in_a_group_are_two_identities(
    parley: Process, telegram: TelegramSimulator, kind: str
) -> None:
    people = {name: telegram.people.add_person(name).id for name in ("Ada", "Bob")}
    group = telegram.people.add_group("Team", list(people.values()))
    Chat(telegram, group, people["Ada"]).ask("/agents whoami", "now talks to", mention=True)
    for name, person in people.items():
        account = f"telegram:{person}"
        said = Chat(telegram, group, person).ask("hello", f"person={account}", mention=True).text
        known = f"person={account} name={name} platform=telegram chat_kind=group private=False"
        assert said.startswith(f"{known} user_id=telegram_3a{person} called={name}-")
        assert said.endswith(f"auth={account if kind != EMBEDDED else 'nobody'}")


def test_two_people_in_a_group_have_notes_of_their_own(parley: Process, telegram: TelegramSimulator) -> None:
    people = [telegram.people.add_person(name).id for name in ("Ada", "Bob")]
    group = telegram.people.add_group("Team", people)
    ada, bob = (Chat(telegram, group, person) for person in people)
    ada.ask("/agents notes", "now talks to", mention=True)
    ada.ask("one", "noted 1", mention=True)
    ada.ask("two", "noted 2", mention=True)
    bob.ask("one", "noted 1", mention=True)


def test_a_failure_shows_a_reference_and_no_secret(person: WebPerson, parley: Process) -> None:
    said = meets(person, "raises").ask("hello").text
    assert said.startswith(_FAILED)
    assert "hunter2" not in said
    reference = said.partition("`")[2].partition("`")[0]
    assert any(reference in line and "RuntimeError" in line for line in parley.log.splitlines())


@pytest.mark.parametrize("graph", _IN_WORDS)
def test_a_known_failure_has_a_sentence_of_its_own(person: WebPerson, graph: str) -> None:
    said = meets(person, graph).ask("hello").text
    assert said
    assert _FAILED not in said


def test_a_long_run_says_that_it_is_still_working(person: WebPerson) -> None:
    heard = meets(person, "sleeps").ask("hello")
    assert any("Still working" in text for text in heard.growing)
    assert heard.text == "I slept well."


def test_a_node_that_blocks_does_not_stop_the_channels(person: WebPerson, parley: Process, kind: str) -> None:
    message = meets(person, "blocks").say("hello")
    with ThreadPoolExecutor() as pool, httpx.Client(trust_env=False, timeout=PATIENCE) as stranger:
        answer = pool.submit(lambda: list(person.replies(message))[-1]["text"])
        waits = [stranger.get(f"{split(parley.url)[0]}/readyz").elapsed.total_seconds()]
        while not answer.done():
            waits.append(stranger.get(f"{split(parley.url)[0]}/readyz").elapsed.total_seconds())
    if kind == OFFICIAL:
        assert "stuck" in answer.result(), "the development server ends a run that blocks its loop"
    else:
        assert answer.result() == "I blocked the loop."
        assert max(waits) < BLOCKED / 2


def test_a_run_is_stopped(person: WebPerson) -> None:
    message = meets(person, "endless").say("hello")
    replies = person.replies(message)
    assert any("more" in entry["text"] for entry in replies)
    person.stop()
    assert "Stopped" in list(replies)[-1]["text"]


def test_a_long_text_arrives_whole(person: WebPerson) -> None:
    assert meets(person, "long_text").ask("hello").text == "0123456789 " * 18_000 + "end"


def test_a_file_of_the_state_arrives(person: WebPerson) -> None:
    (file,) = meets(person, "deep_files").ask("hello").final["files"]
    assert file["name"] == "report.md"
    assert person.download(file["id"]) == REPORT.encode()


@pytest.mark.parametrize(
    ("graph", "words"), [("presented", "I made a report."), ("additional_files", "Here it is.")]
)
def test_a_file_that_no_server_gives_is_named(person: WebPerson, graph: str, words: str) -> None:
    """DeerFlow's agents present files that its gateway has, and there is none here."""
    final = meets(person, graph).ask("hello").final
    assert final["files"] == []
    assert final["text"].startswith(words)
    assert "report.md" in final["text"]


def test_what_is_remembered_does_not_change_what_a_graph_reads(person: WebPerson) -> None:
    person.ask("/memory add I love pizza")
    assert meets(person, "content_as_str").ask("hello").text == "You asked: hello"


def test_words_answer_the_question_that_takes_words(person: WebPerson) -> None:
    meets(person, "parallel").ask("go")
    person.say("Paris")
    person.until(lambda text: "Paris" in text)
    final = person.ask("high").text
    assert final == "got budget='high' city='Paris'"
