"""One run of the chaos: people talk, everything is hit, and in the end every message is accounted for."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx

from parley.store.interface import Store
from parley.store.postgres import PostgresStore
from parley.store.sqlite import SqliteStore
from tests.chaos.accounting.ledger import Account, settle, transcript
from tests.chaos.accounting.overlaps import Runs, runs, writers
from tests.chaos.accounting.progress import ProgressBoard, Stalled
from tests.chaos.accounting.result import Result
from tests.chaos.accounting.stalls import StallWatch
from tests.chaos.accounting.store_queries import unfinished, waiting
from tests.chaos.injection.injector import FaultInjector
from tests.chaos.planning.plan import AT_ONCE, TROUBLES, Line, Plan
from tests.chaos.platforms import web as on_web
from tests.chaos.platforms.conversations import ChaosConversation, SimulatedConversation
from tests.chaos.platforms.platform_faults import inject_platform_faults
from tests.chaos.platforms.web import Door, WebConversation
from tests.chaos.scene import Scene
from tests.kit.machine import patience
from tests.kit.product.process import Process, way_in

PATIENCE = patience(90.0)
"""Seconds that work which nobody waits for may take in the end."""
_STALLED = patience(300.0)
"""Seconds without a single answer after which a run is given up. The last who talk may meet all the faults
that their platform still has in store, one at each try, and Parley waits for up to a minute between two."""
_DOUBTFUL = re.compile(r"turn ([\w-]+): the answer may have been shown twice")
_LOOK_EVERY = 0.5
_HASTE = 3
"""So many messages more are sent ahead where a platform hands over backwards."""
_MOST_DUE = 1
"""So many faults may be late."""


@dataclass
class Crowd:
    """Everybody who talks, and the clients of those on the web."""

    places: Sequence[ChaosConversation]
    clients: Sequence[httpx.AsyncClient]
    repeated_posts: int = 0
    stalls: StallWatch = field(default_factory=StallWatch)

    @property
    def on_web(self) -> Sequence[WebConversation]:
        """Those on the web."""
        return [place for place in self.places if isinstance(place, WebConversation)]

    def cut_off(self) -> None:
        """Note that somebody who was handed something may not have acknowledged it."""
        for place in self.places:
            if isinstance(place, SimulatedConversation):
                place.comes_later()


async def carry_out(plan: Plan, scene: Scene) -> Result:
    """Do all that is planned; when nothing is answered for too long, what is missing is lost."""
    began = time.monotonic()
    await _start(scene.processes)
    striker = FaultInjector(scene.targets, ProgressBoard(_STALLED))
    async with _crowd(plan, scene) as crowd:
        striker.cut_off = crowd.cut_off
        try:
            await _talk(plan, scene, crowd, striker)
        except* Stalled as stalled:
            print(stalled.exceptions[0], flush=True)
            (scene.folder / "stalled.txt").write_text(waiting(scene.database), "utf-8")
        seconds = time.monotonic() - began
        # What a last start would send once more must be in the account too.
        await _stop(scene.parleys)
        await _start(scene.parleys)
        left = await _left(scene)
        told = [await place.told() for place in crowd.places]
        (scene.folder / "told.txt").write_text("\n".join(map(transcript, told)), "utf-8")
        await _stop(scene.parleys)
        await _stop([scene.agent] if scene.agent else [])
    account = settle(told)
    async with _store(scene.database) as store:
        ran = runs(scene.agent_database)
        end = _End(plan, account, striker, crowd.stalls, ran, left, len(await store.dead()))
    return end.result(scene, crowd.repeated_posts, seconds)


@dataclass(frozen=True, slots=True)
class _End:
    plan: Plan
    account: Account
    striker: FaultInjector
    stalls: StallWatch
    runs: Runs
    unfinished: int
    dead: int
    said: Counter[str] = field(default_factory=Counter)

    def result(self, scene: Scene, repeated_posts: int, seconds: float) -> Result:
        account, striker, log = self.account, self.striker, "\n".join(scene.logs.values())
        start, answer = striker.slowest()
        waits = striker.board.waits() or [0.0]
        writes = scene.targets.ear.writes
        wrote = writers(writes, [*striker.spans, *self.stalls.spans])
        found = writers(writes, striker.spans).overlaps
        # Where the clock was put off with the agent inside, its times tell nothing.
        at_once = self.runs.at_once if scene.agent else ()
        return Result(
            edition=scene.edition,
            conversations=len(self.plan.lines),
            turns=account.turns,
            said=_by_platform(self.plan.lines),
            answered=account.answered,
            lost=tuple(account.lost),
            doubled=tuple(account.doubled),
            reordered=tuple(account.reordered),
            files_lost=tuple(account.files_lost),
            files_doubled=tuple(account.files_doubled),
            repeated=tuple(account.repeated),
            missed=len(account.missed),
            swapped=len(account.swapped),
            stubs=len(account.stubs),
            blows=dict(striker.struck),
            parley_kills=sum(striker.killed[each.folder.name] for each in scene.parleys),
            agent_kills=striker.killed[scene.agent.folder.name] if scene.agent else 0,
            ended=striker.ended.total(),
            stalls=self.stalls.unplanned(striker.spans),
            faults=len(self.plan.faults),
            repeated_posts=repeated_posts,
            doubtful=len(set(_DOUBTFUL.findall(log))),
            tracebacks=log.count("Traceback"),
            unfinished=self.unfinished,
            dead=self.dead,
            runs=self.runs.count,
            runs_doubled=(*self.runs.doubled, *at_once),
            moved=wrote.moved,
            overlaps=wrote.overlaps,
            excused=len(found) - len(wrote.overlaps),
            slowest_start=start,
            slowest_answer=answer,
            longest_wait=waits[-1],
            usual_wait=waits[len(waits) // 2],
            slowest_run=seconds,
        )


def _by_platform(lines: Sequence[Line]) -> dict[str, int]:
    said: Counter[str] = Counter()
    for line in lines:
        said[line.kind.platform] += len(line.said)
    return {name: said[name] for name in ("web", *(each for each, _ in TROUBLES))}


@asynccontextmanager
async def _crowd(plan: Plan, scene: Scene) -> AsyncIterator[Crowd]:
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(httpx.AsyncClient(**way_in(parley.url), timeout=patience(30)))
            for parley in scene.parleys
        ]
        crowd = Crowd([], clients)

        def again() -> None:
            crowd.repeated_posts += 1

        crowd.places = [
            WebConversation(Door(clients, again), line, number)
            if line.kind.platform == "web"
            else scene.platforms[line.kind.platform].open(line, number)
            for number, line in enumerate(plan.lines)
        ]
        yield crowd


async def _talk(plan: Plan, scene: Scene, crowd: Crowd, striker: FaultInjector) -> None:
    """Everybody talks while everything is hit, until all is answered and all is up."""
    board, seats = striker.board, asyncio.Semaphore(AT_ONCE)
    async with asyncio.TaskGroup() as group:
        watchers = [
            *(group.create_task(on_web.watch(client, crowd.on_web, board)) for client in crowd.clients),
            *(group.create_task(platform.watch(board)) for platform in scene.platforms.values()),
            group.create_task(_progress(board, striker)),
            group.create_task(crowd.stalls.watch_here()),
            *(
                group.create_task(crowd.stalls.watch(parley.folder.name, client))
                for parley, client in zip(scene.parleys, crowd.clients, strict=True)
            ),
        ]
        group.create_task(inject_platform_faults(scene.platforms, plan.faults, board))
        striking = group.create_task(striker.run(plan.blows))
        for place in crowd.places:
            group.create_task(_say_all(place, striker, seats))
        await board.until_answers(plan.scale.turns)
        await striking
        await asyncio.gather(*(place.close() for place in crowd.places))
        for watcher in watchers:
            watcher.cancel()


async def _progress(board: ProgressBoard, striker: FaultInjector) -> None:
    """Say now and then how far it is."""
    while True:
        print(f"{len(board.answered)} {striker.struck.total()}", flush=True)
        await asyncio.sleep(5)


async def _say_all(place: ChaosConversation, striker: FaultInjector, seats: asyncio.Semaphore) -> None:
    said, board = place.line.said, striker.board
    async with seats:
        for number, each in enumerate(said):
            await board.until(partial(_may_say, place, number, striker))
            board.say(each.id)
            if striker.unreachable:
                place.may_come_later(each.id)
            await place.say(each, board)
            await asyncio.sleep(each.pause)
        await board.until(lambda: all(each.id in board.answered for each in said))


def _may_say(place: ChaosConversation, number: int, striker: FaultInjector) -> bool:
    """Whether it is time for a message: where order is upset now, people are hasty, so that it shows.

    Nobody talks on while faults are late: they would hit processes that have nothing to do.
    """
    if striker.due > _MOST_DUE:
        return False
    said, board = place.line.said, striker.board
    ahead = said[number].ahead + (_HASTE if place.backwards else 0)
    return all(one.id in board.answered for one in said[: max(0, number - ahead)])


async def _start(processes: Sequence[Process]) -> None:
    for process in processes:
        process.spawn()
    await asyncio.gather(*(asyncio.to_thread(process.wait_until_up) for process in processes))


async def _stop(processes: Sequence[Process]) -> None:
    await asyncio.gather(*(asyncio.to_thread(process.terminate) for process in processes))


async def _left(scene: Scene) -> int:
    """Wait for work that nobody waits for: a receipt that is in doubt, or a message that came too late.

    Returns how many messages are not finished even so. They are counted while Parley runs: DingTalk may push
    one again a minute later, just when Parley stops, and that one waits for the next start.
    """
    left = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            while left := await asyncio.to_thread(unfinished, scene.database):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(_LOOK_EVERY)
    if left:
        (scene.folder / "left.txt").write_text(waiting(scene.database), "utf-8")
    return left


@asynccontextmanager
async def _store(database: Path | str) -> AsyncIterator[Store]:
    if isinstance(database, Path):
        async with SqliteStore.open(database) as file:
            yield file
    else:
        async with PostgresStore.open(database) as server:
            yield server
