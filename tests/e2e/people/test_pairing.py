"""A stranger on Telegram: refused, let in, answered, and refused again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from parley.simulator.telegram import TelegramSimulator
from tests.kit.product.process import Process, parley
from tests.kit.product.scene import begin, end
from tests.kit.product.telegram_chat import Chat, telegram_config

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]


@dataclass(frozen=True)
class Bot:
    """A bot that knows nobody but its administrator."""

    process: Process
    telegram: TelegramSimulator
    admin: Chat

    def stranger(self, name: str) -> Chat:
        person = self.telegram.people.add_person(name)
        return Chat(self.telegram, person.id, person.id)

    def parley(self, *arguments: str) -> str:
        """What a command says while (or after) the bot runs."""
        result = parley(self.process.folder, *arguments)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bot]:
    with TelegramSimulator() as telegram:
        admin = telegram.people.add_person("Ada")
        section = telegram_config(telegram, allowed_users=[], admins=[admin.id])
        process = begin(tmp_path_factory.mktemp("pairing"), {"channels": {"telegram": section}})
        try:
            process.wait_until_up()
            yield Bot(process, telegram, Chat(telegram, admin.id, admin.id))
        finally:
            end(process)


def code_for(stranger: Chat) -> str:
    seen = stranger.ask("/pair", "Your code is")
    found = re.search(r"/pair ([A-Z2-9]{8})", seen.text)
    assert found is not None, seen.text
    return found[1]


def test_an_administrator_lets_a_stranger_in_and_the_operator_takes_it_back(bot: Bot) -> None:
    eve = bot.stranger("Eve")
    account = f"telegram:{eve.person}"
    eve.ask("hello", "You do not have access yet")
    code = code_for(eve)
    assert account in bot.parley("pair", "list")
    assert code not in bot.parley("pair", "list")
    bot.admin.ask(f"/pair {code}", "Eve now has access")
    eve.ask("What did I say first?", "nothing before this")
    assert f"paired  {account}" in bot.parley("pair", "list")
    assert f"{account} may no longer talk" in bot.parley("unpair", account)
    before = len(eve.shown())
    eve.say("still there?")
    bot.admin.ask(f"/pair {code}", "unknown, used or expired")
    # Asking anew is answered, in order after what was said before it; the refusal was said this hour already.
    code_for(eve)
    assert len(eve.shown()) == before + 1
    assert "no such account" in parley(bot.process.folder, "unpair", account).stderr.lower()


def test_a_group_never_hears_of_codes(bot: Bot) -> None:
    mallory = bot.stranger("Mallory")
    people = bot.telegram.people
    group = people.add_group("Team", [mallory.person, bot.admin.person])
    outsider, insider = (Chat(bot.telegram, group, each) for each in (mallory.person, bot.admin.person))
    for text in ("hello", "/pair", "/help"):
        outsider.say(text, mention=True)
    insider.ask(f"/pair {code_for(mallory)}", "private chat", mention=False)
    assert len(insider.shown()) == 1
    assert f"paired  telegram:{mallory.person}" not in bot.parley("pair", "list")


def test_the_command_line_lets_people_in_also_while_nothing_runs(bot: Bot) -> None:
    zoe, max_ = bot.stranger("Zoe"), bot.stranger("Max")
    assert "may talk now" in bot.parley("pair", code_for(zoe))
    zoe.ask("What did I say first?", "nothing before this")
    code = code_for(max_)
    assert bot.process.terminate() == 0
    assert "may talk now" in bot.parley("pair", code)
    assert f"telegram:{zoe.person}" in bot.parley("pair", "list")
    assert f"telegram:{zoe.person} may no longer talk" in bot.parley("unpair", f"telegram:{zoe.person}")
    assert parley(bot.process.folder, "pair", code + "X").returncode == 1
    bot.process.start()
    max_.ask("What did I say first?", "nothing before this")
    zoe.ask("hello?", "You do not have access yet")


def test_a_second_app_lets_in_by_its_own_administrator_and_for_itself(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with TelegramSimulator() as one, TelegramSimulator("900200300:another-token-for-loopback-only") as two:
        admins = [sim.people.add_person(name).id for sim, name in ((one, "Ada"), (two, "Bea"))]
        sections = {
            name: telegram_config(sim, allowed_users=[], admins=[admin])
            for name, sim, admin in zip(("telegram", "desk"), (one, two), admins, strict=True)
        }
        sections["desk"] = {"type": "telegram"} | sections["desk"]
        process = begin(tmp_path_factory.mktemp("two"), {"channels": sections})
        try:
            process.wait_until_up()
            first, second = (
                Bot(process, sim, Chat(sim, admin, admin))
                for sim, admin in zip((one, two), admins, strict=True)
            )
            here, there = first.stranger("Eve"), second.stranger("Eve")
            assert here.person == there.person
            code = code_for(there)
            first.admin.ask(f"/pair {code}", "unknown, used or expired")
            second.admin.ask(f"/pair {code}", "Eve now has access")
            there.ask("What did I say first?", "nothing before this")
            here.ask("hello", "You do not have access yet")
            listed = first.parley("pair", "list")
            assert f"paired  desk:{there.person}" in listed
            assert f"paired  telegram:{here.person}" not in listed
        finally:
            end(process)
