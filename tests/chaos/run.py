"""One run of the chaos: people talk, processes die, and in the end every message is accounted for."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from bridge.queues import commands_of, turns_of
from store.sqlite import SqliteStore
from tests.chaos import web as on_web
from tests.chaos.board import Board, Stalled
from tests.chaos.killer import Killer
from tests.chaos.ledger import Account, settle
from tests.chaos.place import Chaotic, Place
from tests.chaos.plan import Line, Plan
from tests.chaos.trouble import trouble
from tests.chaos.web import WebPlace
from tests.e2e.process import Process, free_port

_DOUBTFUL = re.compile(r"turn (\w+): the answer may have been shown twice")

_HASTE = 3
"""So many messages more are sent ahead where a platform hands over backwards."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came out of a plan. `doubtful` and `tracebacks` are counted in the log, `unfinished` and `dead`
    in the store. `slowest_start` is from a kill to all being up, `slowest_answer` from there to the next
    answer, in seconds."""

    plan: Plan
    apart: bool
    account: Account
    parley_kills: int
    agent_kills: int
    repeated_posts: int
    doubtful: int
    tracebacks: int
    unfinished: int
    dead: int
    slowest_start: float
    slowest_answer: float
    seconds: float


@dataclass
class Scene:
    """Who takes part: processes that die, and platforms that do not."""

    folder: Path
    platforms: Mapping[str, Chaotic]
    parley: Process
    agent: Process | None
    repeated_posts: int = 0

    def count_repeat(self) -> None:
        """A client posts a message that it has posted before."""
        self.repeated_posts += 1

    def end(self) -> None:
        """Kill whatever runs."""
        for process in (self.parley, self.agent):
            if process is not None:
                process.kill()


def make_scene(folder: Path, platforms: Sequence[Chaotic], *, apart: bool) -> Scene:
    """A configured Parley that is not started yet; `apart`, its agent is a process of its own."""
    sections = {platform.name: dict(platform.section(apart=apart)) for platform in platforms}
    config: dict[str, object] = {"console": {"port": free_port()}, "channels": sections}
    agent = None
    if apart:
        port = free_port()
        config["agent"] = {"url": f"http://127.0.0.1:{port}"}
        (folder / "agent").mkdir()
        agent = Process(folder / "agent", {}, ("agent", "--port", str(port)))
    named: dict[str, Chaotic] = {platform.name: platform for platform in platforms}
    return Scene(folder, named, Process(folder, config), agent)


async def carry_out(plan: Plan, scene: Scene, patience: float) -> Result:
    """Do all that is planned; when nothing is answered for `patience` seconds, what is missing is lost."""
    began = time.monotonic()
    if scene.agent is not None:
        await asyncio.to_thread(scene.agent.start)
    url = await asyncio.to_thread(scene.parley.start)
    killer = Killer(scene.parley, scene.agent, Board(patience))
    async with httpx.AsyncClient(base_url=url, timeout=30, trust_env=False) as http:
        places = [_place(scene, http, line, number) for number, line in enumerate(plan.lines)]
        try:
            await _talk(plan, scene, places, killer)
        except* Stalled as stalled:
            print(stalled.exceptions[0])
        seconds = time.monotonic() - began
        # What a last start would send once more must be in the account too.
        await asyncio.to_thread(scene.parley.terminate)
        await asyncio.to_thread(scene.parley.start)
        account = settle([await place.told() for place in places])
        await asyncio.to_thread(scene.parley.terminate)
    start, answer = killer.slowest()
    unfinished, dead = await _left(scene.folder / "data" / "parley.db", ("web", *scene.platforms))
    return Result(
        plan=plan,
        apart=scene.agent is not None,
        account=account,
        parley_kills=killer.parley_kills,
        agent_kills=killer.agent_kills,
        repeated_posts=scene.repeated_posts,
        doubtful=len(set(_DOUBTFUL.findall(scene.parley.log))),
        tracebacks=scene.parley.log.count("Traceback"),
        unfinished=unfinished,
        dead=dead,
        slowest_start=start,
        slowest_answer=answer,
        seconds=seconds,
    )


def _place(scene: Scene, http: httpx.AsyncClient, line: Line, number: int) -> Place:
    if line.kind.platform == "web":
        return WebPlace(http, line, number, scene.count_repeat)
    return scene.platforms[line.kind.platform].open(line, number)


async def _talk(plan: Plan, scene: Scene, places: Sequence[Place], killer: Killer) -> None:
    """Everybody talks while processes die, until all is answered and all is up."""
    board = killer.board
    web = [place for place in places if isinstance(place, WebPlace)]
    async with (
        asyncio.TaskGroup() as group,
        httpx.AsyncClient(base_url=scene.parley.url, timeout=60, trust_env=False) as pages,
    ):
        watchers = [
            group.create_task(on_web.watch(pages, web, board)),
            *(group.create_task(platform.watch(board)) for platform in scene.platforms.values()),
        ]
        group.create_task(trouble(scene.platforms, plan.faults, board))
        killing = group.create_task(killer.run(plan.kills))
        for place in places:
            group.create_task(_say_all(place, board))
        await board.until_answers(plan.scale.turns)
        await killing
        await asyncio.gather(*(place.close() for place in places))
        for watcher in watchers:
            watcher.cancel()


async def _say_all(place: Place, board: Board) -> None:
    said = place.line.said
    for number, each in enumerate(said):
        await board.until(lambda number=number: _may_say(place, number, board))
        await place.say(each, board)
        await asyncio.sleep(each.pause)


def _may_say(place: Place, number: int, board: Board) -> bool:
    """Whether it is time for a message: where order is upset now, people are hasty, so that it shows."""
    said = place.line.said
    ahead = said[number].ahead + (_HASTE if place.backwards else 0)
    return all(one.id in board.answered for one in said[: max(0, number - ahead)])


async def _left(database: Path, channels: Sequence[str]) -> tuple[int, int]:
    """How many items of the store are unfinished, and how many are dead letters."""
    async with SqliteStore.open(database) as store:
        queues = [queue(channel) for channel in channels for queue in (turns_of, commands_of)]
        held = [claim for queue in queues for claim in await store.claim(queue, 1000)]
        return sum(len(claim.items) for claim in held), len(await store.dead())
