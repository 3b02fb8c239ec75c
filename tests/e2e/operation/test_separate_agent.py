"""The agent in a process of its own: everything as before, and either side may go away."""

import signal
from collections.abc import Iterator

import pytest

from parley.simulator.telegram import TelegramUpload
from tests.kit.product.long_answers import counting, far, goes_on, survives_kill_9
from tests.kit.product.process import PATIENCE, Process
from tests.kit.product.scene import Scene
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(300)]


@pytest.fixture
def person(apart: Scene) -> Iterator[WebPerson]:
    """Somebody new on the page."""
    person = WebPerson(apart.parley.url)
    yield person
    person.close()


def test_the_page_sees_the_answer_grow(person: WebPerson):
    last = far(0.9)
    heard = person.ask(f"Count to {last}")
    assert heard.text.endswith(f" {last - 1} {last}")
    assert len(heard.growing) > 2


def test_without_streaming_the_answer_comes_at_once_at_the_end(apart: Scene):
    alice = apart.private()
    alice.ask("Count to 20", "19 20")
    assert not [call for call in apart.telegram.calls() if call.method.lower() == "sendmessagedraft"]


def test_files_go_both_ways(apart: Scene):
    alice = apart.private()
    alice.send(TelegramUpload("groceries.md", b"Tea"), caption="Make a file of it")
    alice.sees("Here is a file")
    apart.telegram.people.wait(lambda: alice.shown()[-1].file == "notes.md", PATIENCE)
    assert b"- Make a file of it" in apart.telegram.people.file(alice.chat, alice.shown()[-1].id)


def test_after_kill_9_the_same_replies_go_on(apart: Scene, person: WebPerson):
    survives_kill_9(apart, person)


def test_sigterm_lets_a_running_answer_finish(apart: Scene, person: WebPerson):
    message, seen = counting(person)
    assert apart.parley.terminate() == 0
    assert "Stopped" in apart.parley.printed
    apart.parley.start()
    assert [entry["final"] for entry in person.entries()] == [True, True]
    goes_on(person, message, seen)


def test_a_second_signal_stops_at_once_and_the_answer_goes_on_at_the_next_start(
    apart: Scene, person: WebPerson
):
    message, seen = counting(person)
    apart.parley.signal(signal.SIGINT)
    apart.parley.wait_until_prints("Stopping")
    apart.parley.signal(signal.SIGINT)
    assert apart.parley.wait() == 128 + signal.SIGINT
    apart.parley.start()
    goes_on(person, message, seen)


def test_when_the_agent_server_dies_the_answer_goes_on_once_it_is_back(agent: Process, person: WebPerson):
    message, seen = counting(person)
    agent.kill()
    beside = WebPerson(person.url)
    waiting = beside.say("And you?")
    agent.start()
    goes_on(person, message, seen)
    *_, answer = beside.replies(waiting)
    assert answer["text"].endswith("You said: And you?")
    beside.close()
