"""The configuration is edited while Parley runs: what may change does, and nothing else is disturbed."""

from __future__ import annotations

import os
import pty
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from signal import SIGHUP

import httpx
import pytest
import yaml

from benchmarks.kit.free_ports import free_port
from parley.simulator.telegram import TelegramSimulator
from tests.kit.engine import CHOSEN
from tests.kit.product.process import PATIENCE, Process, command, environment, way_in, write_config
from tests.kit.product.scene import begin, end
from tests.kit.product.telegram_chat import Chat, telegram_config
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

TAKEN = "the configuration was taken over: "
REFUSED = "the edit is not taken over, what ran before goes on: "
WAITS = "waits for a restart of Parley"

GRAPH = """
from pathlib import Path
from time import sleep
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from words import WORD

HERE = Path(__file__).parent

def answer(state):
    if state["messages"][-1].text.endswith("wait"):
        (HERE / "began").touch()
        while not (HERE / "go").exists():
            sleep(0.02)
    return {"messages": [AIMessage(f"The word is {WORD}.")]}

graph = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer").compile()
"""


def wait_until(holds: Callable[[], object]) -> None:
    """Look again and again until it holds."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def edit(process: Process, changes: Mapping[str, object]) -> None:
    """Replace the file as editors do: a new one takes its name."""
    folder, new = process.folder, process.folder / "new"
    new.mkdir(exist_ok=True)
    write_config(new, {**process.config, **changes})
    (new / "config.yaml").rename(folder / "config.yaml")


def logged(process: Process, text: str, times: int = 1) -> None:
    """Wait until the log has a text so often."""
    wait_until(lambda: process.log.count(text) >= times)


def part(process: Process, name: str) -> dict[str, str] | None:
    """A part of the health report."""
    with httpx.Client(**way_in(process.url), timeout=PATIENCE) as http:
        parts = http.get("/api/health").json()["parts"]
    return next((one for one in parts if one["name"] == name), None)


@contextmanager
def running(folder: Path, config: Mapping[str, object]) -> Iterator[Process]:
    process = begin(folder, config)
    try:
        process.wait_until_up()
        yield process
    finally:
        end(process)


@pytest.fixture
def telegram() -> Iterator[TelegramSimulator]:
    with TelegramSimulator() as simulator:
        yield simulator


def test_access_changes_while_an_answer_is_written(tmp_path: Path, telegram: TelegramSimulator) -> None:
    alice, bob = telegram.people.add_person("Alice"), telegram.people.add_person("Bob")

    def section(*allowed: int) -> dict[str, object]:
        who = telegram_config(telegram, allowed_users=list(allowed), pairing=False)
        return {"channels": {"telegram": who}}

    with running(tmp_path, section(alice.id)) as process:
        first = Chat(telegram, alice.id, alice.id)
        second = Chat(telegram, bob.id, bob.id)
        asked = first.say("count to 20 slowly")
        first.draws("3 4 5")
        edit(process, section(bob.id))
        logged(process, f"{TAKEN}channels.telegram.allowed_users")
        assert second.ask("hello", "You said: hello")
        assert first.sees("19 20", after=asked)  # what had begun is answered to its end
        refused = first.say("and now?")
        assert "You said" not in first.sees("", after=refused).text
        assert "connecting again" not in process.log


def test_a_broken_edit_changes_nothing_until_it_is_mended(tmp_path: Path) -> None:
    with running(tmp_path, {"agent": {"timeout": 100}}) as process:
        person = WebPerson(process.url)
        (tmp_path / "config.yaml").write_text("agent: {mode: strem}\nlanguage: xx\n", "utf-8")
        logged(process, f"{REFUSED}config.yaml:1: agent.mode: must be one of")
        shown = part(process, "configuration")
        assert shown is not None
        assert "agent.mode" in shown["detail"]
        assert person.ask("Hello").text.endswith("You said: Hello")
        with httpx.Client(**way_in(process.url), timeout=PATIENCE) as http:
            assert http.get("/readyz").status_code == 200
        edit(process, {"agent": {"timeout": 200}})
        logged(process, f"{TAKEN}agent.timeout")
        assert part(process, "configuration") is None
        assert process.log.count(REFUSED) == 1
        person.close()


def test_half_of_a_file_is_never_taken_over(tmp_path: Path, telegram: TelegramSimulator) -> None:
    someone = telegram.people.add_person("Alice")
    config = {"channels": {"telegram": telegram_config(telegram, allowed_users=[someone.id])}}
    with running(tmp_path, config) as process:
        alice, file = Chat(telegram, someone.id, someone.id), tmp_path / "config.yaml"
        whole = file.read_text("utf-8")
        file.write_text("", "utf-8")
        logged(process, f"{REFUSED}config.yaml: is empty now; save it whole")
        file.write_text(whole[:-3], "utf-8")
        logged(process, "ends in the middle of a line; save it whole, or end it with a line break")
        alice.ask("hello", "You said: hello")
        file.write_text(f"agent: {{timeout: 100}}\n{whole}", "utf-8")
        logged(process, f"{TAKEN}agent.timeout")
        assert "telegram is off" not in process.log
        assert part(process, "configuration") is None


def test_a_channel_is_switched_off_and_on_and_loses_nothing(
    tmp_path: Path, telegram: TelegramSimulator
) -> None:
    on = {"channels": {"telegram": telegram_config(telegram)}}
    with running(tmp_path, on) as process:
        person = WebPerson(process.url)
        someone = telegram.people.add_person("Alice")
        alice = Chat(telegram, someone.id, someone.id)
        asked = alice.say("count to 20 slowly")
        alice.draws("3 4 5")
        edit(process, {"channels": {"telegram": telegram_config(telegram, enabled=False)}})
        logged(process, "telegram is off; what waits there is kept")
        assert alice.sees("19 20", after=asked)
        assert part(process, "telegram") is None
        alice.say("are you there?")
        assert person.ask("Hello").text.endswith("You said: Hello")
        edit(process, on)
        alice.sees("You said: are you there?")
        wait_until(lambda: (part(process, "telegram") or {}).get("health") == "up")
        person.close()


def test_a_wrong_token_is_corrected_in_the_env_file(tmp_path: Path, telegram: TelegramSimulator) -> None:
    env = tmp_path / ".env"
    env.write_text("TELEGRAM_BOT_TOKEN=1234567:somebody-elses-token-entirely\n", "utf-8")
    env.chmod(0o600)
    config = {"channels": {"telegram": telegram_config(telegram, bot_token="$TELEGRAM_BOT_TOKEN")}}
    with running(tmp_path, config) as process:
        wait_until(lambda: (part(process, "telegram") or {}).get("health") == "refused")
        env.write_text(f"TELEGRAM_BOT_TOKEN={telegram.token}\n", "utf-8")
        wait_until(lambda: (part(process, "telegram") or {}).get("health") == "up")
        someone = telegram.people.add_person("Alice")
        Chat(telegram, someone.id, someone.id).ask("hello", "You said: hello")
        assert telegram.token not in process.log


def test_a_graph_is_edited_while_it_runs(tmp_path: Path) -> None:
    words, graph = tmp_path / "words.py", tmp_path / "graph.py"
    words.write_text('WORD = "old"\n', "utf-8")
    graph.write_text(GRAPH, "utf-8")
    with running(tmp_path, {"agent": {"graphs": {"agent": "graph.py:graph"}}}) as process:
        early, late = WebPerson(process.url), WebPerson(process.url)
        early.say("please wait")
        wait_until((tmp_path / "began").exists)
        words.write_text('WORD = "new"\n', "utf-8")
        logged(process, "new runs use the graphs as they are now")
        assert late.ask("which word?").text == "The word is new."
        graph.write_text("this is no Python\n", "utf-8")
        logged(process, f"{REFUSED}agent.graphs.agent: ")
        assert late.ask("and now?").text == "The word is new."
        graph.write_text(GRAPH.replace("The word", "The very word"), "utf-8")
        logged(process, "new runs use the graphs as they are now", 2)
        (tmp_path / "go").touch()
        assert early.until(lambda text: text.startswith("The word")) == "The word is old."
        assert early.ask("again?").text == "The very word is new."
        early.close()
        late.close()


def test_what_needs_a_restart_says_so_once(tmp_path: Path) -> None:
    with running(tmp_path, {}) as process:
        port = {"port": free_port()}
        edit(process, {"console": port})
        logged(process, f"console.port: changed on disk, and {WAITS}")
        edit(process, {"console": port, "agent": {"timeout": 100}})
        logged(process, f"{TAKEN}agent.timeout")
        process.signal(SIGHUP)
        edit(process, {"console": port, "agent": {"timeout": 200}})
        logged(process, f"{TAKEN}agent.timeout", 2)
        assert process.log.count(WAITS) == 1
        shown = part(process, "configuration")
        assert shown is not None
        assert shown["detail"] == "waits for a restart: console.port"


def test_a_hundred_quick_edits_and_one_half_written(tmp_path: Path) -> None:
    with running(tmp_path, {}) as process:
        person = WebPerson(process.url)
        for number in range(1, 101):
            edit(process, {"agent": {"timeout": number}, "language": "zh" if number == 100 else "en"})
        logged(process, "language")
        assert "的" in person.ask("/help").text
        whole = yaml.safe_dump({**process.config, "language": "en", "agent": {"timeout": 7}})
        with (tmp_path / "config.yaml").open("w", encoding="utf-8") as file:
            file.write(whole[: len(whole) // 2])
            file.flush()
            file.write(whole[len(whole) // 2 :])
        wait_until(lambda: "commands" in person.ask("/help").text.lower())
        assert process.log.count(TAKEN) < 20
        assert REFUSED not in process.log
        person.close()


def test_a_signal_reloads_and_a_closed_terminal_stops(tmp_path: Path) -> None:
    config = {"console": {"port": free_port()}, "store": CHOSEN.engine().section(tmp_path)}
    write_config(tmp_path, config)
    ours, theirs = pty.openpty()
    with (tmp_path / "parley.log").open("w") as log:
        child = subprocess.Popen(
            ["setsid", "--ctty", *command("run")],
            cwd=tmp_path,
            env=environment(),
            stdin=theirs,
            stdout=log,
            stderr=log,
        )
    os.close(theirs)
    try:
        wait_until(lambda: "and say hello" in (tmp_path / "parley.log").read_text("utf-8"))
        write_config(tmp_path, {**config, "agent": {"timeout": 100}})
        child.send_signal(SIGHUP)
        wait_until(lambda: TAKEN in (tmp_path / "parley.log").read_text("utf-8"))
        os.close(ours)  # the kernel tells the terminal's processes
        assert child.wait(PATIENCE) == 0
        assert "Stopped; unfinished work" in (tmp_path / "parley.log").read_text("utf-8")
    finally:
        child.kill()
        child.wait()
