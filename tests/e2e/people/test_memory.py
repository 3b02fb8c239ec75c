"""One person, one memory: on Telegram and on Slack, across restarts, and in nobody else's sight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator
from tests.kit.product.process import PATIENCE, Process
from tests.kit.product.scene import SLACK_TIMING, begin, end
from tests.kit.product.telegram_chat import Chat, telegram_config

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

ASK = "What do you know about me?"
NOTHING = "I was told nothing about you."


@dataclass(frozen=True)
class OnSlack:
    """Somebody alone with the app."""

    simulator: SlackSimulator
    person: str
    dm: str

    def ask(self, text: str, expected: str) -> str:
        """Write, and wait for an answer with `expected` in it that came after."""
        after = self.simulator.people.say(self.dm, self.person, text)

        def found() -> list[str]:
            seen = self.simulator.people.messages(self.dm)
            answers = [m for m in seen if m.from_bot and m.ts > after and not m.streaming]
            return [message.text for message in answers if expected in message.text]

        try:
            self.simulator.people.wait(found, PATIENCE)
        except TimeoutError as error:
            seen = [message.text for message in self.simulator.people.messages(self.dm)]
            raise AssertionError(f"no {expected!r} in {seen}") from error
        return found()[-1]


@dataclass(frozen=True)
class Town:
    parley: Process
    telegram: TelegramSimulator
    slack: SlackSimulator

    def on_telegram(self, name: str) -> Chat:
        person = self.telegram.people.add_person(name)
        return Chat(self.telegram, person.id, person.id)

    def on_slack(self, name: str) -> OnSlack:
        person = self.slack.people.add_person(name)
        return OnSlack(self.slack, person.id, person.dm)


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with TelegramSimulator() as telegram, SlackSimulator(timing=SLACK_TIMING) as slack:
        config = {
            "memory": {"debounce_seconds": 0.3, "max_wait": 2},
            "channels": {
                "telegram": telegram_config(telegram),
                "slack": {
                    "bot_token": slack.bot_token,
                    "app_token": slack.app_token,
                    "api_url": slack.api_url,
                    "burst_window": 0.1,
                },
            },
        }
        parley = begin(tmp_path, config)
        try:
            parley.wait_until_up()
            yield Town(parley, telegram, slack)
        finally:
            end(parley)


def until_known(chat: Chat, what: str) -> None:
    """Ask until it was learned: that comes a little after the answer."""
    for _ in range(60):
        if what in chat.ask("/memory", "/memory show").text:
            return
    raise AssertionError(f"{what!r} was not learned")


def test_a_person_is_known_wherever_they_are_linked_and_forgotten_for_good(town: Town):
    ada, eve = town.on_telegram("Ada"), town.on_telegram("Eve")
    ada.ask("I live in Rome. I prefer tea over coffee.", "You said: I live in Rome")
    until_known(ada, "lives in Rome")
    ada.ask(ASK, "lives in Rome")
    eve.ask(ASK, NOTHING)

    at_work = town.on_slack("Ada at work")
    at_work.ask(ASK, NOTHING)
    code = ada.ask("/link", "within ten minutes").text.split("/link ")[1].split()[0]
    at_work.ask(f"/link {code}", "was given to telegram:")
    at_work.ask("/link confirm", "Nothing has changed yet")
    ada.ask("/link", "used your code")
    ada.ask("/link confirm", "now one person")
    at_work.ask(ASK, "lives in Rome")

    at_work.ask("/memory forget Rome", "Forgotten")
    assert "Rome" not in ada.ask(ASK, "I was told this about you").text
    town.parley.kill()
    town.parley.spawn()
    town.parley.wait_until_up()
    ada.ask("And what is the weather like?", "You said: And what")
    ada.ask("I like chess.", "You said: I like")
    until_known(ada, "chess")
    known = ada.ask(ASK, "I was told this about you").text
    assert "tea to coffee" in known
    assert "Rome" not in known
    eve.ask(ASK, NOTHING)


def test_a_group_never_hears_what_was_said_in_private(town: Town):
    ada = town.on_telegram("Ada")
    ada.ask(
        "I am allergic to peanuts. Remember that my locker has the number 4711.", "You said: I am allergic"
    )
    until_known(ada, "4711")
    group = town.telegram.people.add_group("Team", [ada.person])
    there = Chat(town.telegram, group, ada.person)
    there.ask(ASK, NOTHING, mention=True)
    there.ask("/memory", "private chat", mention=True)
    there.ask("I prefer short meetings.", "You said: I prefer", mention=True)
    until_known(ada, "short meetings")
    heard = there.ask(ASK, "short meetings", mention=True).text
    assert "4711" not in heard
    assert "peanuts" not in heard
    assert "4711" in ada.ask(ASK, "I was told this about you").text
