"""One run: people tell, ask and erase in private chats and groups of Telegram, while processes are killed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.kit.free_ports import free_port
from parley.app.storage.paths import VECTORS
from parley.simulator.telegram import TelegramSimulator
from tests.chaos.accounting.store_queries import remembered, unfinished, unlearned, waiting
from tests.chaos.injection.database import faulty_database
from tests.chaos.memory.ledger import Answer, Ledger
from tests.chaos.memory.lesson_hold import VARIABLE, LessonHolds
from tests.chaos.memory.plan import GROUPS, Kill, Plan, Step, word
from tests.chaos.memory.words import PRIVATE
from tests.chaos.planning.process_faults import LEASE
from tests.kit.checkout import ROOT
from tests.kit.machine import patience
from tests.kit.product.process import AGENT_KEY, Process, asking
from tests.kit.product.telegram_chat import Chat, telegram_config

GRAPH = {"graphs": {"agent": f"{ROOT / 'tests/chaos/memory/agent_graph.py'}:graph"}, "assistant": "agent"}
SETTLED = patience(60.0)
_MEETING = 10 * SETTLED
_AGAIN = 0.2


@dataclass
class Town:
    """Processes on one store, and people on Telegram: each alone with the bot, and all in each group.

    `holds` is None where the process that learns is another than that of the agent's code.
    """

    folder: Path
    telegram: TelegramSimulator
    parleys: Sequence[Process]
    database: Path | str
    people: Sequence[int]
    groups: Mapping[str, int]
    holds: LessonHolds | None

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
    _steps: int = 0
    _news: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        self._meeting = threading.Barrier(len(self.plan.people), timeout=_MEETING)

    def carry_out(self, *, restart: bool = True) -> Sequence[str]:
        """Do all that is planned; return what is wrong. A `restart` may write back what was erased."""
        with ThreadPoolExecutor(len(self.plan.people) + 1) as pool:
            kills = pool.submit(self._kill_all)
            talks = [pool.submit(self._talk, number) for number in range(len(self.plan.people))]
            missing = _results(talks)
            kills.result()
        _until_settled(self.town.database)
        if restart:
            for parley in self.town.parleys:
                parley.terminate()
                parley.start()
            _until_settled(self.town.database)
        for parley in self.town.parleys:
            parley.terminate()
        return [*missing, *self.ledger.problems(_kept(self.town))]

    @property
    def least(self) -> Mapping[str, int]:
        """How often each situation comes about at least; a kill may cut tools and lessons off."""
        people, killed = len(self.plan.people), bool(self.plan.kills)
        lessons = 1 if killed else 2 * people
        return {
            "private_facts_offered_in_groups": 3 * people,
            "questions_beside_known_words_of_others": 3 * people,
            "past_words_at_an_erasure": people if killed else 3 * people,
            "lessons_under_way_at_an_erasure": lessons if self.town.holds else 0,
        }

    def _talk(self, person: int) -> Sequence[str]:
        told, problems = list[int](), list[str]()
        try:
            for step in self.plan.people[person]:
                problems += self._do(person, step, told)
                with self._news:
                    self._steps += 1
                    self._news.notify_all()
        except BaseException:
            self._meeting.abort()  # nobody waits for who does not come
            raise
        return problems

    def _do(self, person: int, step: Step, told: list[int]) -> Sequence[str]:
        match step.kind:
            case "tell":
                self._tell(person, step)
                told.append(step.number)
            case "ask":
                self._which(person, step)
            case "know":
                return self._ask_until_known(person, step, told)
            case "erase":
                self._erase(person, step)
            case "meet":
                self._meeting.wait()
        return ()

    def _tell(self, person: int, step: Step) -> None:
        self._ask(person, step, f"Remember that I own the boat {word(person, step).text}", "Noted:")

    def _erase(self, person: int, step: Step) -> None:
        holds, account = self.town.holds, self.town.people[person]
        if holds is not None:
            holds.hold(account)
        self._tell(person, step)
        under_way = holds is not None and holds.begun(account)
        self._ask(person, step, "/memory clear yes", "forgotten")
        with self._news:
            self.ledger.erase(person, step.number, under_way=under_way)
        if holds is not None:
            holds.release(account)

    def _which(self, person: int, step: Step) -> Answer:
        with self._news:
            others = self.ledger.known_of_others(person)
        text = self._ask(person, step, f"Ask{step.number} which boats do I own?", f"Ask{step.number} knows")
        answer = Answer(person, step.place, step.number, text)
        with self._news:
            self.ledger.add(answer, others)
        return answer

    def _ask_until_known(self, person: int, step: Step, told: Sequence[int]) -> Sequence[str]:
        """Ask until all is learned, and again where a process died under a tool's call.

        Return what is not known in the end.
        """
        end = time.monotonic() + SETTLED
        while missing := self.ledger.missing(self._which(person, step), told):
            if time.monotonic() > end:
                return [f"person {person} is not told their words {missing}"]
            time.sleep(_AGAIN)
        return ()

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
            assert self._news.wait_for(lambda: self._steps >= kill.steps, SETTLED * 5), "nobody is answered"


def _results(talks: Sequence[Future[Sequence[str]]]) -> Sequence[str]:
    """Return what is wrong in all of them. Raises what ended one, and not that others waited for it."""
    errors = [error for talk in talks if (error := talk.exception()) is not None]
    for error in sorted(errors, key=lambda each: isinstance(each, threading.BrokenBarrierError)):
        raise error
    return [problem for talk in talks for problem in talk.result()]


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
            database = stack.enter_context(faulty_database(mounting=False)).cluster.url
            common["store"] = {"url": database, "lease": LEASE}
            common["agent"] = asking(_agent(stack, folder / "agent"))
        holds = LessonHolds(folder / "lessons") if nodes == 1 else None
        variables = {**variables, VARIABLE: str(folder / "lessons")} if holds else variables
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
        yield Town(folder, telegram, parleys, database, accounts, groups, holds)


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
