"""One run: people tell, ask and erase in private chats and groups of Telegram, while processes are killed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.kit.free_ports import free_port
from parley.app.storage.paths import VECTORS
from parley.simulator.telegram import TelegramSimulator
from tests.chaos.accounting.store_queries import remembered, unfinished, unlearned, waiting
from tests.chaos.memory.ledger import Answer, Ledger
from tests.chaos.memory.plan import GROUPS, Kill, Plan, Step, word
from tests.chaos.memory.words import PRIVATE
from tests.chaos.planning.process_faults import LEASE
from tests.chaos.scene import new_database
from tests.kit.checkout import ROOT
from tests.kit.machine import patience
from tests.kit.product.process import AGENT_KEY, Process, asking
from tests.kit.product.telegram_chat import Chat, telegram_config

GRAPH = {"graphs": {"agent": f"{ROOT / 'tests/chaos/memory/agent_graph.py'}:graph"}, "assistant": "agent"}
SETTLED = patience(60.0)
_TRIES = 6


@dataclass
class Town:
    """Processes on one store, and people on Telegram: each alone with the bot, and all in each group."""

    folder: Path
    telegram: TelegramSimulator
    parleys: Sequence[Process]
    database: Path | str
    people: Sequence[int]
    groups: Mapping[str, int]

    def chat(self, person: int, place: str) -> Chat:
        """A person's view of a place."""
        account = self.people[person]
        return Chat(self.telegram, account if place == PRIVATE else self.groups[place], account)


@dataclass
class Run:
    """The people's steps and the kills between them."""

    town: Town
    plan: Plan
    ledger: Ledger = field(default_factory=Ledger)
    killed: int = 0
    _answers: int = 0
    _news: threading.Condition = field(default_factory=threading.Condition)

    def carry_out(self) -> Sequence[str]:
        """Do all that is planned; return what is wrong."""
        with ThreadPoolExecutor(len(self.plan.people) + 1) as pool:
            kills = pool.submit(self._kill_all)
            talks = [pool.submit(self._talk, number) for number in range(len(self.plan.people))]
            missing = [problem for talk in talks for problem in talk.result()]
            kills.result()
        _until_settled(self.town.database)
        for parley in self.town.parleys:  # what a start would write back must be in the account
            parley.terminate()
            parley.start()
        _until_settled(self.town.database)
        for parley in self.town.parleys:
            parley.terminate()
        return [*missing, *self.ledger.problems(_kept(self.town))]

    def _talk(self, person: int) -> Sequence[str]:
        script, told, problems = self.plan.people[person], list[int](), list[str]()
        for at, step in enumerate(script):
            if step.kind == "tell":
                self._ask(person, step, f"Remember that I own the boat {word(person, step).text}", "Noted:")
                told.append(step.number)
            elif step.kind == "erase":
                self._ask(person, step, "/memory clear yes", "forgotten")
                self.ledger.erased[person].append(step.number)
            elif at == len(script) - 3:
                problems += self._ask_until_known(person, step, told)
            else:
                self._which(person, step)
            with self._news:
                self._answers += 1
                self._news.notify_all()
        return problems

    def _which(self, person: int, step: Step) -> Answer:
        text = self._ask(person, step, f"Ask{step.number} which boats do I own?", f"Ask{step.number} knows")
        answer = Answer(person, step.place, step.number, text)
        self.ledger.answers.append(answer)
        return answer

    def _ask_until_known(self, person: int, step: Step, told: Sequence[int]) -> Sequence[str]:
        """Ask again where a process died under a tool's call; return what is not known in the end."""
        for _ in range(_TRIES):
            missing = self.ledger.missing(self._which(person, step), told)
            if not missing:
                return ()
        return [f"person {person} is not told their words {missing}"]

    def _ask(self, person: int, step: Step, text: str, expected: str) -> str:
        private = step.place == PRIVATE
        return self.town.chat(person, step.place).ask(text, expected, mention=not private).text

    def _kill_all(self) -> None:
        for kill in self.plan.kills:
            self._until(kill)
            time.sleep(kill.delay)
            victim = self.town.parleys[kill.victim]
            victim.kill()
            victim.start()
            self.killed += 1

    def _until(self, kill: Kill) -> None:
        with self._news:
            assert self._news.wait_for(lambda: self._answers >= kill.answers, SETTLED * 5), (
                "nobody is answered"
            )


@contextmanager
def town(folder: Path, people: int, nodes: int, variables: Mapping[str, str]) -> Iterator[Town]:
    """One process on SQLite with the agent inside, or several `nodes` on PostgreSQL with it beside them."""
    with ExitStack() as stack:
        telegram = stack.enter_context(TelegramSimulator())
        common: dict[str, object] = {
            "agent": GRAPH,
            "memory": {"debounce_seconds": 0.3, "max_wait": 2},
            "channels": {"telegram": telegram_config(telegram, burst_window=0)},
        }
        database: Path | str = folder / "parley0" / "data" / "parley.db"
        if nodes > 1:
            database = new_database(stack).url
            common["store"] = {"url": database, "lease": LEASE}
            common["agent"] = asking(_agent(stack, folder / "agent"))
        parleys = []
        for number in range(nodes):
            (place := folder / f"parley{number}").mkdir(parents=True)
            config = {**common, "console": {"port": free_port()}}
            parleys.append(Process(place, config, variables=variables))
            stack.callback(parleys[-1].kill)
        for parley in parleys:
            parley.start()
        accounts = [telegram.people.add_person(f"Person{number}").id for number in range(people)]
        groups = {name: telegram.people.add_group(f"Group {name}", accounts) for name in GROUPS}
        yield Town(folder, telegram, parleys, database, accounts, groups)


def _agent(stack: ExitStack, folder: Path) -> str:
    """Start the agent's server, and return its address."""
    folder.mkdir(parents=True)
    port = free_port()
    server = Process(folder, {"agent": {**GRAPH, "api_key": AGENT_KEY}}, ("agent", "--port", str(port)))
    stack.callback(server.kill)
    server.start()
    return f"http://127.0.0.1:{port}"


def _until_settled(database: Path | str) -> None:
    """Wait until nothing is to be done any more: no turn, no command, and nothing to learn from."""
    end = time.monotonic() + SETTLED
    while unfinished(database) or unlearned(database):
        assert time.monotonic() < end, waiting(database)
        time.sleep(0.2)


def _kept(town: Town) -> str:
    """All that is stored of memories: documents, files and vectors."""
    files = [
        path.read_bytes().decode(errors="replace")
        for parley in town.parleys
        for path in (parley.folder / "data").rglob("*")
        if path.is_file() and {"memory", VECTORS} & set(path.parts)
    ]
    return "\n".join((*files, *remembered(town.database)))
