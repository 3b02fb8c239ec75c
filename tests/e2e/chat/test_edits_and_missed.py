"""Messages that are changed after they were sent, and those that were sent while nobody was there."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from parley.simulator.telegram import TelegramSimulator
from tests.kit.product.long_answers import far
from tests.kit.product.process import PATIENCE
from tests.kit.product.scene import Scene, begin, end
from tests.kit.product.telegram_chat import Chat, telegram_config
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(300)]

HOURS = 3600


@pytest.fixture(scope="module")
def rerunning(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """A Parley that answers edits anew."""
    with TelegramSimulator() as telegram:
        config = {"agent": {"on_edit": "rerun"}, "channels": {"telegram": telegram_config(telegram)}}
        parley = begin(tmp_path_factory.mktemp("rerunning"), config)
        try:
            parley.wait_until_up()
            yield Scene(parley, telegram)
        finally:
            end(parley)


@pytest.fixture
def person(rerunning: Scene) -> Iterator[WebPerson]:
    """Somebody new on the page."""
    person = WebPerson(rerunning.parley.url)
    yield person
    person.close()


def test_an_edit_on_the_page_takes_the_place_of_what_was_said(person: WebPerson):
    message = person.ask("My cat is called Tom").message
    person.edit(message, "My cat is called Mia")
    person.until(lambda text: text.endswith("You said: My cat is called Mia"))
    first = person.ask("What did I say first?").text
    assert "Mia" in first
    assert "Tom" not in first
    said = [entry for entry in person.entries() if entry["role"] == "user"]
    assert [entry["text"] for entry in said] == ["My cat is called Mia", "What did I say first?"]


def test_an_edit_on_the_page_stops_the_answer_to_what_it_changes(person: WebPerson):
    message = person.say(f"Count to {far(12)}")
    next(entry for entry in person.replies(message) if "3 4 5" in entry["text"])
    person.edit(message, "My cat is called Mia")
    person.until(lambda text: text.endswith("You said: My cat is called Mia"))
    stopped, _ = [entry["text"] for entry in person.entries() if entry["role"] == "agent"]
    assert "3 4 5" in stopped
    assert "Stopped." in stopped


def test_an_edit_on_telegram_is_answered_anew(rerunning: Scene):
    alice, bob = rerunning.private(), rerunning.group()
    said = alice.say("My cat is called Tom")
    answer = alice.sees("called Tom", after=said)
    rerunning.telegram.people.edit(alice.chat, said, "My cat is called Mia")
    alice.sees("called Mia", after=answer.id)
    asked = bob.say(f"Count to {far(9)}", mention=True)
    bob.draws("3 4 5")
    changed = f"@{rerunning.telegram.username} My dog is called Max"
    rerunning.telegram.people.edit(bob.chat, asked, changed)
    assert bob.sees("called Max").reply_to == asked
    assert "Stopped." in bob.shown()[0].text


def test_an_edit_before_a_kill_is_answered_after_it(rerunning: Scene):
    alice = rerunning.private()
    said = alice.say(f"Count to {far(9)}")
    alice.draws("3 4 5")
    rerunning.parley.kill()
    rerunning.telegram.people.edit(alice.chat, said, "My cat is called Mia")
    rerunning.parley.start()
    alice.sees("called Mia", after=said)
    assert len([message for message in alice.shown() if "Mia" in message.text]) == 1


def _said(chat: Chat, number: int, text: str, age: float) -> None:
    """A message that Telegram has kept since it was written, `age` seconds ago."""
    chat.simulator.people.inject(
        {
            "message": {
                "message_id": number,
                "date": int(time.time() - age),
                "chat": {"id": chat.chat, "type": "private", "first_name": "Alice"},
                "from": {"id": chat.person, "is_bot": False, "first_name": "Alice", "language_code": "en"},
                "text": text,
            }
        }
    )


def test_after_an_outage_the_old_are_asked_and_the_new_are_answered(rerunning: Scene):
    alice, bob = rerunning.private(), rerunning.private()
    rerunning.parley.kill()
    for number, text in enumerate(("Is anybody there?", "I need the report.", "Today!")):
        _said(alice, 800_000 + number, text, age=3 * HOURS - number)
    bob.say("My cat is called Mia")
    rerunning.parley.start()
    bob.sees("called Mia")
    apology = alice.sees("your last 3 messages here")
    assert "/retry" in apology.text
    assert [message.text for message in alice.shown()] == [apology.text]
    alice.say("/retry")
    answer = alice.sees("You said: Is anybody there?\nI need the report.\nToday!", after=apology.id)
    rerunning.telegram.people.wait(lambda: alice.shown()[-1].id == answer.id, PATIENCE)


def test_a_backlog_on_disk_is_worked_off_and_nobody_new_waits_for_it(rerunning: Scene):
    people, last = [rerunning.private() for _ in range(12)], far(6)
    for number, each in enumerate(people):
        each.say(f"Count to {last} {number}")
    for each in people:
        each.draws("3 4 5")
    for number, each in enumerate(people):
        each.say(f"My number is {number}")
    rerunning.telegram.people.wait(lambda: not rerunning.telegram.people.unconfirmed(), PATIENCE)
    rerunning.parley.kill()
    rerunning.parley.start()
    rerunning.private().ask("My cat is called Mia", "called Mia")
    for number, each in enumerate(people):
        each.sees(f"You said: My number is {number}")
        assert sum(f"{last - 1} {last}" in message.text for message in each.shown()) == 1
