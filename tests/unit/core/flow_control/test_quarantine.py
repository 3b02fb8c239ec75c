"""Work in whose midst the process ended again and again: tried alone, then set aside."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from parley.core.dead_letters import DeadLetter, DeadLetterKind, DeadLetters
from parley.core.flow_control.quarantine import PoisonLimits, Quarantine
from parley.core.model.address import Conversation, User
from parley.core.model.codec import encode
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunProgress, RunRef, RunRequest, RunStarted
from parley.core.ports.journal import Claim
from parley.core.scheduler.manager import Manager
from parley.core.state.turn_record import TurnRecord, TurnStage
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.core import Core, RecordingChannel, ScriptedAgent, core_on, default_options, message
from tests.kit.store.contents import given_up
from tests.kit.waiting import until

LEASE = 15.0
AT_ONCE = PoisonLimits(settling=0.0, alone_seconds=600.0)


@dataclass
class Clock:
    """The nodes' time; it moves when a lease is to lapse, or the doomed node's alone goes ahead."""

    now: float = 0.0
    ahead: float = 0.0

    def __call__(self) -> float:
        return self.now

    def doomed(self) -> float:
        return self.now + self.ahead


class Held(ScriptedAgent):
    """Says nothing new about "long" until it is let through, and counts how many it holds at once."""

    def __init__(self) -> None:
        super().__init__(self.play)
        self.through = asyncio.Event()
        self.under_way, self.most = 0, 0

    async def play(self, _: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(RunRef(request.thread, "r"))
        yield RunProgress("so far", ())
        if request.text.startswith("long"):
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            await self.through.wait()
            self.under_way -= 1
        yield RunEnded(Outcome.ANSWERED, f"you said {request.text}")


@dataclass
class Place:
    """A core that does not work yet, and a node beside it that dies when it is told to."""

    parley: Core
    doomed: SqliteStore
    clock: Clock

    async def say(self, text: str, chat: str, sender: User | None = None) -> None:
        who = sender or User("test", "ann", "Ann")
        await self.parley.bus.publish_inbound(
            message(text, conversation=Conversation("test", chat), sender=who)
        )

    async def crash(self, times: int, trials: int = 0, queue: str = "turns/test") -> None:
        """Let a node die so often with all that waits in hand; the first time it began the runs."""
        for life in range(times):
            for claim in await self.doomed.claim(queue, 100):
                head = claim.items[0]
                if not head.note and queue.startswith("turns"):
                    begun = TurnRecord(TurnStage.RUNNING, (head.id,), thread="t", run_id="r", began=1.0)
                    await self.doomed.note(claim, head.id, encode(begun))
                await self.doomed.set_trials(claim, trials if life else 0)
            self.clock.now += LEASE + 1

    async def take(self) -> Sequence[Claim]:
        """What works here is away for longer than its lease, and the other node takes its turns.

        Only the other node's clock says so: what works here lives, and would take what has lapsed by its own.
        """
        self.clock.ahead += LEASE + 1
        claims = await self.doomed.claim("turns/test", 10)
        assert claims
        return claims

    def work(self, limits: PoisonLimits = AT_ONCE) -> Quarantine:
        quarantine = Quarantine(limits)
        self.parley.manager = Manager(replace(self.parley.services, quarantine=quarantine))
        self.parley.task = asyncio.create_task(self.parley.manager.run())
        return quarantine

    @property
    def letters(self) -> DeadLetters:
        return DeadLetters(self.doomed)

    async def letters_are(self, number: int) -> Sequence[DeadLetter]:
        """The dead letters, once there are so many."""
        await until(lambda: given_up(self.letters), "it is set aside")
        letters = await given_up(self.letters)
        assert len(letters) == number
        return letters


@asynccontextmanager
async def place(folder: Path, agent: ScriptedAgent | None = None) -> AsyncIterator[Place]:
    clock, path, channel = Clock(time.time()), folder / "parley.db", RecordingChannel()
    options = default_options(backlog_rate=0.0, shutdown_grace=0.0)
    async with (
        SqliteStore.open(path, node="doomed", exclusive=False, lease=LEASE, clock=clock.doomed) as doomed,
        SqliteStore.open(path, node="well", exclusive=False, lease=LEASE, clock=clock) as journal,
        core_on(journal, folder, agent or ScriptedAgent(), channel, options, working=False) as parley,
    ):
        yield Place(parley, doomed, clock)


async def test_poison_is_set_aside_with_an_apology_and_others_are_answered(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        await here.say("kills", "a")
        await here.crash(7, trials=4)
        await here.say("after it", "a")
        await here.say("beside it", "b")
        here.work()
        texts = await here.parley.channel.until_finals(3)
        (letter,) = await here.letters_are(1)
        (apology,) = [text for text in texts if "will not be answered" in text]
        assert f"parley letters retry {letter.item}" in apology
        assert {"you said after it", "you said beside it"} < set(texts)
        assert (letter.kind, letter.said, letter.person) == (DeadLetterKind.TURN, "kills", "test:ann")
        assert letter.reason.startswith("the process ended 6 times in a row while it worked on this")
        assert "kills" not in [request.text for request in here.parley.agent.requests]
        await here.parley.agent.cancel_seen.wait()  # a run that may still go on is ended, too
        assert here.parley.agent.cancelled == [RunRef("t", "r")]


async def test_what_the_operator_lets_be_tried_again_begins_anew(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        await here.say("kills", "a")
        await here.crash(7, trials=4)
        here.work()
        await here.parley.channel.until_finals(1)
        (letter,) = await here.letters_are(1)
        assert await here.letters.retry(letter.item)
        assert (await here.parley.channel.until_finals(2))[1] == "you said kills"
        assert await given_up(here.letters) == ()


async def test_the_apology_is_in_the_persons_language(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        await here.say("kills", "a", User("test", "ann", "Ann", language="zh"))
        await here.crash(7, trials=4)
        here.work()
        assert "反复崩溃" in (await here.parley.channel.until_finals(1))[0]


async def test_where_the_apology_is_fatal_too_nobody_is_told(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        await here.say("kills", "a")
        await here.crash(8, trials=5)
        here.work()
        await here.letters_are(1)
        assert here.parley.channel.texts == []


async def test_a_command_that_kills_is_set_aside_too(tmp_path: Path) -> None:
    async with place(tmp_path) as here:
        await here.say("/help", "a")
        await here.crash(6, trials=4, queue="commands/test")
        here.work()
        assert "will not be answered" in (await here.parley.channel.until_finals(1))[0]
        assert [each.said for each in await here.letters_are(1)] == ["/help"]


async def test_suspects_are_tried_one_at_a_time_and_all_else_goes_on(tmp_path: Path) -> None:
    agent = Held()
    async with place(tmp_path, agent) as here:
        for chat in "abc":
            await here.say(f"long {chat}", chat)
        await here.crash(3)
        await here.say("hello", "d")
        here.work()
        assert await here.parley.channel.until_finals(1) == ["you said hello"]
        await until(lambda: agent.under_way, "a suspect is tried")
        agent.through.set()
        texts = await here.parley.channel.until_finals(4)
        assert (agent.most, sorted(texts[1:])) == (1, [f"you said long {chat}" for chat in "abc"])
        assert await given_up(here.letters) == ()


async def test_those_who_vanished_once_are_no_suspects(tmp_path: Path) -> None:
    agent = Held()
    async with place(tmp_path, agent) as here:
        for chat in "abc":
            await here.say(f"long {chat}", chat)
        await here.crash(2)  # the first time each of them got further
        here.work()
        await until(lambda: agent.under_way == 3, "all are worked at once")


async def test_a_trial_ends_when_it_has_lived_long_enough(tmp_path: Path) -> None:
    agent = Held()
    async with place(tmp_path, agent) as here:
        for chat in "ab":
            await here.say(f"long {chat}", chat)
        await here.crash(4, trials=1)
        here.work(replace(AT_ONCE, trial_seconds=0.0))
        await until(lambda: agent.under_way == 2, "the other one's turn has come")


async def test_who_makes_room_for_another_has_not_been_tried(tmp_path: Path) -> None:
    agent = Held()
    async with place(tmp_path, agent) as here:
        for chat in "ab":
            await here.say(f"long {chat}", chat)
        await here.crash(4, trials=1)
        here.work(replace(AT_ONCE, alone_seconds=0.0))
        await until(lambda: agent.under_way == 2, "the other one's turn has come")
        claims = await here.take()
        assert sorted(claim.trials for claim in claims) == [1, 2]


async def test_who_dies_in_a_trial_has_one_more_and_who_waited_for_it_has_not(tmp_path: Path) -> None:
    agent = Held()
    async with place(tmp_path, agent) as here:
        for chat in "ab":
            await here.say(f"long {chat}", chat)
        await here.crash(4, trials=1)
        here.work()
        await until(lambda: agent.under_way, "one is tried")
        claims = await here.take()
        assert [claim.crashes for claim in claims] == [4, 4]
        assert sorted(claim.trials for claim in claims) == [1, 2]


async def test_a_trial_ends_when_the_work_got_further(tmp_path: Path) -> None:
    agent = Held()
    async with place(tmp_path, agent) as here:
        for chat in "ab":
            await here.say(f"long {chat}", chat)
        await here.crash(3)
        here.work(replace(AT_ONCE, trial_seconds=600.0))
        await until(lambda: agent.under_way == 1, "one is tried")
        (turn,) = here.parley.manager._turns.values()
        await turn._log.write(heard=100)
        await until(lambda: agent.under_way == 2, "the next one's turn has come")


async def test_a_stop_gives_back_who_waits_to_be_tried(tmp_path: Path) -> None:
    agent = Held()
    async with place(tmp_path, agent) as here:
        for chat in "ab":
            await here.say(f"long {chat}", chat)
        await here.crash(3)
        here.work()
        await until(lambda: agent.under_way == 1, "one is tried")
        await here.parley.manager.drain()
        assert here.parley.task is not None
        await here.parley.task
        claims = await here.doomed.claim("turns/test", 10)
        assert [claim.crashes for claim in claims] == [0, 0]


async def test_each_trial_waits_until_the_process_is_older(tmp_path: Path) -> None:
    agent = Held()
    async with place(tmp_path, agent) as here:
        await here.say("long a", "a")
        await here.crash(3)
        here.work(PoisonLimits(settling=600.0))
        await here.say("hello", "b")
        assert await here.parley.channel.until_finals(1) == ["you said hello"]
        assert agent.most == 0
