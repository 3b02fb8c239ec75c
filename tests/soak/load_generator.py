"""A platform and the people on it, in a process of their own.

`python -m tests.soak.load_generator PLATFORM CONVERSATIONS MESSAGES TOKENS` prints the platform's section of
`config.yaml`. After the line `go URL` (of Parley) everybody talks, each one message after the answer to the
last one, until the line `stop`; then it prints what came of it, as JSON. Meanwhile it answers `since TIME`
with the number of messages that were said since then and are answered.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import httpx

from parley.simulator.registry import simulator_class
from tests.chaos.accounting.ledger import settle
from tests.chaos.accounting.progress import ProgressBoard
from tests.chaos.planning.plan import KINDS, Line, Said
from tests.chaos.platforms import web as on_web
from tests.chaos.platforms.conversations import ChaosConversation, FaultyPlatform, SimulatedConversation
from tests.chaos.platforms.dingtalk import FaultyDingTalk
from tests.chaos.platforms.feishu import FaultyFeishu
from tests.chaos.platforms.slack import FaultySlack
from tests.chaos.platforms.telegram import FaultyTelegram
from tests.chaos.platforms.web import Door, WebConversation
from tests.kit.machine import patience
from tests.kit.product.process import way_in
from tests.soak.echo_agent import END
from tests.soak.scale import ELSEWHERE, INTERVAL

_PLATFORMS: dict[str, Callable[[Any], FaultyPlatform]] = {
    "telegram": FaultyTelegram,
    "slack": FaultySlack,
    "feishu": FaultyFeishu,
    "dingtalk": partial(FaultyDingTalk, patience=patience(30.0)),
}
_FOREVER = 1e9
_LOOK, _SLOWER, _LONGEST_LOOK = 0.02, 1.3, 1.0
"""Seconds between two looks for an answer that is due; each pause is so much longer than the one before.
Looking costs: a thousand who look all the time for what is late would make it later."""


@dataclass
class Crowd:
    """Conversations; of each answer when its message was said and when it was there (monotonic seconds)."""

    places: Sequence[ChaosConversation]
    board: ProgressBoard
    turn: float
    answers: list[tuple[float, float]] = field(default_factory=list)
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    async def talk(self) -> None:
        """Everybody talks until it is stopped and the last answer is there."""
        await asyncio.gather(*(self._talk(place) for place in self.places))
        # Only what was said counts.
        for place in self.places:
            said = tuple(each for each in place.line.said if each.id in self.board.answered)
            place.line = Line(place.line.kind, said)

    def count(self, since: float) -> int:
        """How many messages were said since then (monotonic seconds) and are answered."""
        return sum(said >= since for said, _ in self.answers)

    async def _talk(self, place: ChaosConversation) -> None:
        # Nobody begins at the same time as somebody else.
        with suppress(TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), random.uniform(0, self.turn))
        for said in place.line.said:
            if self.stopping.is_set():
                return
            began = time.monotonic()
            await place.say(said, self.board)
            if said.id not in place.missed:
                await self._answered(place, said, began)
                self.answers.append((began, time.monotonic()))

    async def _answered(self, place: ChaosConversation, said: Said, began: float) -> None:
        if not isinstance(place, SimulatedConversation):
            await self.board.until(lambda: said.id in self.board.answered)
            return
        # Nothing to see before; looking costs.
        await asyncio.sleep(began + self.turn - time.monotonic())
        pause = _LOOK
        while said.id not in self.board.answered:
            await asyncio.sleep(pause)
            pause = min(pause * _SLOWER, _LONGEST_LOOK)
            self.board.mark(shown.answers for shown in place.look() if shown.whole)


def lines(platform: str, conversations: int, messages: int) -> list[Line]:
    """What may be said, conversation by conversation."""
    kinds = [kind for kind in KINDS if kind.platform == platform]
    return [
        Line(kinds[number % len(kinds)], tuple(_said(f"c{number}n{turn:03}") for turn in range(messages)))
        for number in range(conversations)
    ]


def _said(name: str) -> Said:
    return Said(name, f"{name} please", re.compile(rf"{name} .*{END}$"), pause=0, ahead=0, repeats=0)


@asynccontextmanager
async def standing(platform: str) -> AsyncIterator[FaultyPlatform | None]:
    """The platform; the web needs none."""
    if platform == "web":
        yield None
    else:
        with simulator_class(platform)() as simulator:
            yield _PLATFORMS[platform](simulator)


async def main(platform: str, conversations: int, messages: int, tokens: int) -> None:
    """The whole life of a crowd."""
    board = ProgressBoard(_FOREVER)
    told = await _input()
    async with AsyncExitStack() as stack:
        chaotic = await stack.enter_async_context(standing(platform))
        print(json.dumps({} if chaotic is None else dict(chaotic.section(apart=False))), flush=True)
        _, _, url = (await told.readline()).decode().strip().partition(" ")
        http = httpx.AsyncClient(**way_in(url), timeout=patience(300))
        await stack.enter_async_context(http)
        places: list[ChaosConversation] = []
        web: list[WebConversation] = []
        for number, line in enumerate(lines(platform, conversations, messages)):
            if chaotic is None:
                web.append(WebConversation(Door([http], lambda: None), line, number))
            else:
                places.append(chaotic.open(line, number))
        crowd = Crowd(places or web, board, tokens * INTERVAL)
        watching = asyncio.create_task(on_web.watch(http, web, board)) if web else None
        talking = asyncio.create_task(crowd.talk())
        async for order in told:
            word, _, since = order.decode().strip().partition(" ")
            if word == "stop":
                break
            print(json.dumps({"count": crowd.count(float(since))}), flush=True)
        crowd.stopping.set()
        await talking
        account = settle([await place.told() for place in crowd.places])
        print(json.dumps({"answers": crowd.answers, "account": asdict(account)}), flush=True)
        if watching is not None:
            watching.cancel()


async def _input() -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


if __name__ == "__main__":
    os.nice(ELSEWHERE)
    asyncio.run(main(sys.argv[1], *map(int, sys.argv[2:])))
