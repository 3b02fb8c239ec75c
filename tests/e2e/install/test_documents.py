"""Every command of README.md and `docs/` does what they say, typed into a shell of its own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from parley.simulator.telegram import TelegramSimulator
from tests.e2e.install.documented_commands import NAMED, RUNS, Run
from tests.e2e.install.installation import Installation, Shell, install
from tests.kit.documents import Block, Command, blocks, documents, fenced
from tests.kit.engine import NAMES
from tests.kit.product.telegram_chat import Chat
from tests.kit.waiting import until

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(600)]

_FENCED = fenced()
BY_DOCUMENT = {
    name: [each for each in _FENCED if each.place.startswith(f"{name}:") and each.text in RUNS]
    for name in documents()
}
_TOKEN = re.compile(r"Open (http://\S+)/\?token=(\S+) and say hello")


@pytest.fixture(autouse=True, scope="module")
def _as_shipped(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--engine") != NAMES[0]:
        pytest.skip("what is installed here is configured as shipped, with SQLite")


@dataclass(frozen=True)
class Stage:
    """A running Parley on Telegram with the people that the documents speak of, and one that was stopped."""

    here: Installation
    idle: Installation
    words: dict[str, str]

    def fill(self, text: str) -> str:
        """Put what is real here where the document has its example."""
        for example, real in self.words.items():
            text = text.replace(example, real)
        return text


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    here = install(tmp_path_factory.mktemp("checkout"))
    idle = install(tmp_path_factory.mktemp("stopped"))
    with idle.typed("echo hello | parley chat") as said:
        assert said.wait() == 0, said.printed
    with TelegramSimulator() as telegram:
        alice, ada = telegram.people.add_person("Alice"), telegram.people.add_person("Ada")
        assert alice.id == 1001
        on_telegram(here, telegram)
        here.edit("allowed_users: []", f'allowed_users: ["{alice.id}"]')
        here.edit("admins: []", f'admins: ["{ada.id}"]')
        with here.typed("make run") as running:
            running.waits_for(_TOKEN.pattern)
            bob = stranger(telegram, "Bob Example")
            Chat(telegram, ada.id, ada.id).ask(f"/pair {code_of(bob)}", "Bob Example now has access")
            eve = stranger(telegram, "Eve Example")
            words = {
                ":8765": f":{here.port}",
                ":44181": f":{telegram.api_url.rpartition(':')[2]}",
                "KQ7M2RXA": code_of(eve),
                "telegram:55667788": f"telegram:{eve.person}",
                "telegram:4711": f"telegram:{bob.person}",
            }
            yield Stage(here, idle, words)


def on_telegram(installation: Installation, telegram: TelegramSimulator) -> None:
    """Write the bot's token where README says, and where this Telegram is."""
    (installation.folder / ".env").write_text(f"TELEGRAM_BOT_TOKEN={telegram.token}\n")
    (installation.folder / ".env").chmod(0o600)
    installation.edit("    webhook_url:", f"    api_url: {telegram.api_url}\n    webhook_url:")


def stranger(telegram: TelegramSimulator, name: str) -> Chat:
    person = telegram.people.add_person(name)
    return Chat(telegram, person.id, person.id)


def code_of(chat: Chat) -> str:
    found = re.search(r"/pair ([A-Z2-9]{8})", chat.ask("/pair", "Your code is").text)
    assert found
    return found[1]


@pytest.mark.parametrize("document", [name for name, found in BY_DOCUMENT.items() if found])
def test_the_commands_of_a_document_do_what_it_says(stage: Stage, document: str) -> None:
    for command in BY_DOCUMENT[document]:
        carry_out(stage, command, RUNS[command.text])


@pytest.mark.parametrize("text", NAMED)
def test_a_command_that_a_sentence_names_works(stage: Stage, text: str) -> None:
    carry_out(stage, Command("a sentence", text), NAMED[text])


def carry_out(stage: Stage, command: Command, run: Run) -> None:
    """Type a command as often as it takes, and compare."""
    wanted = [run.shows, *(map(shape, command.output) if run.as_shown else ())]
    script = stage.fill("\n".join((*command.before, command.text)))
    place = stage.idle if run.idle else stage.here
    copy = {"PARLEY_STORE_URL": f"sqlite:///{place.folder / 'copy.db'}"}
    if run.again:
        asyncio.run(until(lambda: shows(said(place, script), wanted), f"{command.place} shows {wanted}", 60))
        return
    with place.typed(script, run.typed, run.piped, copy) as shell:
        if run.stays:
            shell.waits_for(run.shows)
            shell.interrupt()
        else:
            assert shell.wait() == run.code, f"{command.place}: {script}\n{shell.printed}"
        assert shows(shell.printed, wanted), f"{command.place}: {script}\n{shell.printed}\nnot as {wanted}"


def shows(printed: str, wanted: Sequence[str]) -> bool:
    """Tell whether there is something for every pattern."""
    return all(re.search(each, printed, re.DOTALL) for each in wanted)


def said(place: Installation, script: str) -> str:
    """What a command prints that ends at once."""
    with place.typed(script) as shell:
        assert shell.wait() == 0, shell.printed
        return shell.printed


def shape(line: str) -> str:
    """A pattern for a line of output: with other numbers and spaces, and anything for three dots."""
    parts = [r"\s+".join(map(re.escape, part.split())) for part in line.split("...")]
    return re.sub(r"\d+", r"\\d+", r".*".join(parts))


def test_telegram_in_five_steps(tmp_path: Path) -> None:
    """Follow the five steps of its page to the letter, with what the bot itself says on the way."""
    steps = documents()["docs/telegram.md"].split("## Set up", 1)[1].split("\n## ", 1)[0]
    for step in (
        "`TELEGRAM_BOT_TOKEN=...` into a file `.env`",
        "answers with your user id",
        "`allowed_users`",
    ):
        assert step in steps
    with TelegramSimulator() as telegram:
        mine = install(tmp_path)
        on_telegram(mine, telegram)
        me = stranger(telegram, "Newcomer")
        with mine.typed("make run") as running:
            running.waits_for(_TOKEN.pattern)
            told = me.ask("hello?", "You do not have access yet").text
            assert "channels.telegram.allowed_users" in told
            assert "parley pair CODE" in told
            (number,) = set(re.findall(r"\b\d{4,}\b", told))
            stop(running)
        mine.edit("allowed_users: []", f'allowed_users: ["{number}"]')
        with mine.typed("make run") as running:
            running.waits_for(_TOKEN.pattern)
            me.ask("hello", "You said: hello")
            other = stranger(telegram, "Friend")
            other.ask("hello", "You do not have access yet")
            assert "may talk now" in said(mine, f"parley pair {code_of(other)}")
            other.ask("hello", "You said: hello")
            stop(running)


def stop(running: Shell) -> None:
    """Ctrl-C; `make` itself says that it was interrupted."""
    running.interrupt()
    assert "Stopped; unfinished work continues at the next start." in running.printed


def test_the_agent_of_the_readme_answers(tmp_path: Path) -> None:
    """Put its file and its setting where README says, and ask."""
    mine = install(tmp_path)
    graph, *_ = [each for each in of("README.md") if each.language == "python"]
    setting, *_ = [each for each in of("README.md") if each.language == "yaml"]
    (mine.folder / "my_graph.py").write_text("\n".join(graph.lines) + "\n", "utf-8")
    named = next(line for line in setting.lines if line.startswith("  graphs: "))
    mine.edit("  graphs: {}", named)
    assert "You asked: how far is the moon?" in said(mine, "echo 'how far is the moon?' | parley chat")


def of(document: str) -> list[Block]:
    return list(blocks(document, documents()[document]))
