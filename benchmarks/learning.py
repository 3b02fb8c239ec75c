"""Learning under load: many people write for a while; is each learned from in time, and what does a turn pay?

`python -m benchmarks.learning [--people 200] [--seconds 60] [--debounce 6] [--max-wait 24] [--facts 200]`

First everybody is recalled once, one after the other. Then everybody writes every few seconds, with
pauses. Each message is a turn: recall, then record; at once the same is done by NullMemory, so that both see
the same machine. The model is a rule behind a pause that a small model's call would take. A turn's learning
delay is from its recording to the end of that call.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.kit.stats import cpu_seconds, percentile, rss_mb
from parley.app.process.event_loop import run_loop, tune_garbage_collection
from parley.core.model.address import Conversation, User
from parley.core.model.types import CompletedTurn
from parley.core.ports.memory.port import Memory, NullMemory, RecallQuery
from parley.memory.learning.extraction.diff import Diff, ProposedFact
from parley.memory.learning.extraction.extractor import FactSearch
from parley.memory.learning.extraction.turn_filter import LearnableTurns
from parley.memory.model.document import Fact, MemoryDocument
from parley.memory.options import MemoryOptions
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.memory.text.token_counting import token_counter
from parley.store.sqlite import SqliteStore

_THINGS = ("tea", "jazz", "chess", "Ulm", "rowing", "bread", "maps", "Go", "moss", "ferries")


@dataclass(frozen=True, slots=True)
class Load:
    """How much: `pace` is seconds between two messages of a person, `call` seconds that the model takes."""

    people: int
    seconds: float
    debounce: float
    max_wait: float
    facts: int
    pace: float
    call: float
    extractors: int


@dataclass(slots=True)
class Seen:
    """Seconds: what turns paid with memory and without, how late each turn was learned from, loop stalls."""

    firsts: list[float] = field(default_factory=list)
    recalls: list[float] = field(default_factory=list)
    records: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    stalls: list[float] = field(default_factory=list)
    recorded: dict[str, float] = field(default_factory=dict)
    recalled: int = 0


@dataclass(frozen=True, slots=True)
class SlowRules:
    """A model of a known speed: one fact a turn, after a pause."""

    seen: Seen
    pause: float
    name: str = "a pause and a rule"

    async def open(self) -> None:
        """There is nothing to make ready."""

    def corrects(self, said: str) -> bool:
        """Nobody corrects anything here."""
        return False

    async def extract(
        self, material: LearnableTurns, document: MemoryDocument, index: FactSearch, now: float
    ) -> Diff:
        """One fact for each turn."""
        await asyncio.sleep(self.pause)
        done = time.perf_counter()
        self.seen.delays += [done - self.seen.recorded.pop(turn.id) for turn in material.turns]
        return Diff(
            tuple(ProposedFact(turn.said, confidence=0.9, turns=(turn.id,)) for turn in material.turns)
        )


async def _person(name: str, load: Load, memory: Memory, seen: Seen, until: float) -> None:
    """Writes until the time is over, with pauses of very different lengths."""
    chance, number = random.Random(name), 0
    await asyncio.sleep(chance.random() * load.pace)
    while time.perf_counter() < until:
        number += 1
        said = f"Hello, I like {chance.choice(_THINGS)} and {chance.choice(_THINGS)}."
        recall, record = await _turn(memory, name, number, said, seen)
        seen.recalls.append(recall)
        seen.records.append(record)
        seen.plain.append(sum(await _turn(NullMemory(), name, number, said, None)))
        await asyncio.sleep(chance.expovariate(1 / load.pace))


async def _first(memory: Memory, person: str) -> float:
    """A person's first recall since the start, which reads their file and makes their index."""
    began = time.perf_counter()
    await memory.recall(RecallQuery(person, "agent", "", ("Who am I?",), private=True))
    return time.perf_counter() - began


async def _turn(
    memory: Memory, person: str, number: int, said: str, seen: Seen | None
) -> tuple[float, float]:
    """The parts of a turn that are memory's: seconds before the run, and after the answer was delivered."""
    conversation = Conversation("bench", person)
    turn = CompletedTurn(
        id=f"{person}-{number}",
        person=person,
        speaker=User("bench", person),
        conversation=conversation,
        thread=f"thread-{person}",
        assistant="agent",
        language="en",
        user_text=said,
        reply_text="Noted.",
        at=time.time(),
        private=True,
    )
    began = time.perf_counter()
    block = await memory.recall(RecallQuery(person, "agent", turn.thread, (said,), private=True))
    recalled = time.perf_counter()
    if seen is not None:
        seen.recalled += bool(block)
        seen.recorded[turn.id] = recalled
    await memory.record(turn)
    return recalled - began, time.perf_counter() - recalled


async def _watch(seen: Seen) -> None:
    """How late the loop is."""
    while True:
        before = time.perf_counter()
        await asyncio.sleep(0.01)
        seen.stalls.append(time.perf_counter() - before - 0.01)


async def _filled(store: FileMemoryStore, load: Load) -> None:
    """Give everybody a memory to begin with."""
    chance = random.Random(1)
    for number in range(load.people):
        name = f"p{number}"
        facts = tuple(
            Fact(f"fact_{place:08x}", f"User said {place} that {' '.join(chance.sample(_THINGS, 4))}",
                 confidence=0.8, created_at="2026-01-01T00:00:00.000000Z")
            for place in range(load.facts)
        )  # fmt: skip
        stored = await store.load(name)
        document = MemoryDocument(facts=facts, updated_at="2026-01-01T00:00:00.000000Z")
        await store.save(name, type(stored)(document, stored.notes, stored.revision))


async def measure(load: Load, folder: Path) -> Seen:
    """One run."""
    seen = Seen()
    options = MemoryOptions(
        debounce_seconds=load.debounce,
        max_wait=load.max_wait,
        max_concurrency=load.extractors,
        max_facts=10_000,
    )
    files = FileMemoryStore(folder / "memory")
    await _filled(files, load)
    token_counter(options).count("")  # asks for the vocabulary, as a start does
    async with SqliteStore.open(folder / "db") as journal:
        service = MemoryService(files, journal, SlowRules(seen, load.call), options)
        async with service.running():
            for number in range(load.people):
                seen.firsts.append(await _first(service, f"p{number}"))
            tune_garbage_collection()
            watching = asyncio.create_task(_watch(seen))
            until = time.perf_counter() + load.seconds
            async with asyncio.TaskGroup() as group:
                for number in range(load.people):
                    group.create_task(_person(f"p{number}", load, service, seen, until))
            for _ in range(int(load.max_wait * 20)):
                if seen.recorded:
                    await asyncio.sleep(0.1)
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching
    return seen


def _line(name: str, seconds: Sequence[float]) -> str:
    shown = [f"{percentile(seconds, part) * 1000:9.2f}" for part in (0.5, 0.9, 0.99, 1.0)]
    return f"{name:34}{''.join(shown)}"


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser("python -m benchmarks.learning", description=__doc__)
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--debounce", type=float, default=6.0)
    parser.add_argument("--max-wait", type=float, default=24.0)
    parser.add_argument("--facts", type=int, default=200, help="what everybody is known to begin with")
    parser.add_argument("--pace", type=float, default=4.0, help="seconds between two messages of a person")
    parser.add_argument("--call", type=float, default=0.3, help="seconds that the model takes")
    parser.add_argument("--extractors", type=int, default=16)
    load = Load(**vars(parser.parse_args()))
    cpu = cpu_seconds()
    with tempfile.TemporaryDirectory() as folder:
        seen = run_loop(measure(load, Path(folder)))
    late = sum(delay > load.max_wait for delay in seen.delays)
    print(load)
    print(f"{'milliseconds':34}{'p50':>9}{'p90':>9}{'p99':>9}{'most':>9}")
    print(_line("a person's first recall, alone", seen.firsts))
    print(_line("recall, before the run", seen.recalls))
    print(_line("record, after the answer", seen.records))
    print(_line("both with memory off", seen.plain))
    print(_line("the loop's lateness", seen.stalls))
    print(_line("from recorded to read by the model", seen.delays))
    print(f"turns {len(seen.records)}, recalled {seen.recalled}, learned {len(seen.delays)}, "
          f"later than max_wait {late}, never {len(seen.recorded)}")  # fmt: skip
    print(f"CPU {cpu_seconds() - cpu:.1f} s, {rss_mb():.0f} MB")
    return 0 if not seen.recorded else 1


if __name__ == "__main__":
    raise SystemExit(main())
