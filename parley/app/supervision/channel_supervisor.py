"""One supervisor for each channel: listens again and again, and says honestly how it goes."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeAlias

from parley.app.supervision.channel_names import named_click, named_message
from parley.app.supervision.connection_lease import ConnectionLease, ConnectionLeaseLost, NoLease
from parley.core.model.address import Conversation, User
from parley.core.model.errors import AuthenticationRefused, ChannelError, LaneLost, RateLimited
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage
from parley.core.ports.channel import CURRENT_CHANNEL, Channel, ConnectionTrouble, PersonOverview
from parley.core.ports.health import CONNECTED, Health, HealthReport

log = logging.getLogger("parley.app")


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses between connections, in seconds: doubling from `first` up to `most`, each shortened by chance.

    A connection that stood for `steady` seconds starts the row anew.
    """

    first: float = 1.0
    most: float = 60.0
    steady: float = 5.0

    def pause(self, failures: int, chance: float) -> float:
        """Return how long to wait after `failures` in a row (from 1); `chance` lies in 0..1."""
        whole = min(self.most, self.first * 2.0 ** min(failures - 1, 16))
        return max(self.first, whole * (0.5 + chance / 2))


@dataclass(frozen=True, slots=True)
class TimeAndRandom:
    """Time and chance."""

    clock: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


OverviewReader: TypeAlias = "Callable[[User, Conversation], Awaitable[PersonOverview | None]]"


async def _no_overview(user: User, chat: Conversation) -> PersonOverview | None:
    """For supervisors without a core behind them."""
    return None


class ChannelSupervisor:
    """Keeps one channel connected until it is cancelled; whatever the channel does stays in here."""

    def __init__(
        self,
        channel: Channel,
        accept: Callable[[InboundMessage], Awaitable[object]],
        decide: Callable[[Click], Awaitable[str]],
        backoff: Backoff = Backoff(),
        surroundings: TimeAndRandom = TimeAndRandom(),
        seat: ConnectionLease = NoLease(),  # noqa: B008 - it has no state
        overview: OverviewReader = _no_overview,
        first: Health = Health.STARTING,
    ) -> None:
        self._channel = channel
        self._overview = overview
        self._accept = accept
        self._decide = decide
        self._backoff = backoff
        self._around = surroundings
        self._seat = seat
        self._failures = 0
        self._up_since: float | None = None
        self._report = HealthReport(channel.name, first, "connecting", surroundings.clock())
        self._started = asyncio.Event()

    @property
    def name(self) -> str:
        """The channel's name."""
        return self._channel.name

    def report(self) -> HealthReport:
        """Return how the channel is now, and since when."""
        trouble = self._channel.trouble if isinstance(self._channel, ConnectionTrouble) else ""
        if trouble and self._report.health is Health.UP:
            return replace(self._report, detail=f"{CONNECTED}, but {trouble}")
        return self._report

    async def wait_until_started(self) -> None:
        """Return once the first connection stands, or did not come about."""
        await self._started.wait()

    async def accept(self, message: InboundMessage) -> None:
        """Inbox: durable on return. Raises StoreUnavailable."""
        await self._accept(named_message(self._channel.name, message))

    async def decide(self, click: Click) -> str:
        """Inbox: what to tell who pressed a button; durable on return. Raises StoreUnavailable."""
        return await self._decide(named_click(self._channel.name, click))

    async def overview(self, user: User, chat: Conversation) -> PersonOverview | None:
        """Inbox: what somebody's own affairs are. Raises StoreUnavailable, MemoryFailed."""
        name = self._channel.name
        return await self._overview(replace(user, channel=name), replace(chat, channel=name))

    def online(self) -> None:
        """Inbox: the connection stands."""
        if self._up_since is None:
            self._up_since = self._around.clock()
        self._show(Health.UP, CONNECTED)

    async def run(self) -> None:
        """Listen until cancelled, or until the platform refuses our credentials."""
        CURRENT_CHANNEL.set(self._channel.name)
        while True:
            try:
                async with self._seat.acquire(self._stand_by):
                    pause = await self._connection()
            except ConnectionLeaseLost as error:
                log.warning("%s: %s", self._channel.name, error)
                continue
            except AuthenticationRefused as error:
                detail = stop_reason(self._channel.name, error)
                self._show(Health.REFUSED, detail)
                log.error("%s is stopped: %s", self._channel.name, detail)
                return
            await self._around.sleep(pause)

    async def _connection(self) -> float:
        """Live through one connection; returns the pause before the next."""
        self._up_since = None
        try:
            await self._channel.listen(self)
            detail = "the connection ended"
            log.info("%s: %s", self._channel.name, detail)
        except AuthenticationRefused:
            raise
        except RateLimited as error:
            self._show(Health.RETRYING, error.user_text)
            log.warning("%s: %s; next try in %.0f s", self._channel.name, error.user_text, error.retry_after)
            return error.retry_after
        except (ChannelError, LaneLost) as error:
            detail = error.user_text
            log.warning("%s: %s", self._channel.name, detail)
        except Exception as error:  # a channel's fault must not reach the others
            detail = f"unexpected {type(error).__name__}: {error}"
            log.exception("%s failed", self._channel.name)
        self._count()
        self._show(Health.RETRYING, detail)
        return self._backoff.pause(self._failures, self._around.chance())

    def _stand_by(self, why: str) -> None:
        self._show(Health.STANDBY, why)

    def _count(self) -> None:
        stood = 0.0 if self._up_since is None else self._around.clock() - self._up_since
        self._failures = 1 if stood >= self._backoff.steady else self._failures + 1

    def _show(self, health: Health, detail: str) -> None:
        since = self._report.since if health is self._report.health else self._around.clock()
        self._report = HealthReport(self._channel.name, health, detail, since)
        self._started.set()


class ChannelSupervisors:
    """Runs supervisors side by side for as long as it is entered.

    Leaving it cancels them and waits `patience` seconds at most for each of two attempts: a channel that
    hangs, or swallows its cancellation, is left behind with a line in the log.
    """

    def __init__(self, supervisors: Sequence[ChannelSupervisor], patience: float = 5.0) -> None:
        self._supervisors = {each.name: each for each in supervisors}
        self._patience = patience
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def reports(self) -> tuple[HealthReport, ...]:
        """Return how every channel is."""
        return tuple(each.report() for each in self._supervisors.values())

    def refused(self) -> tuple[str, ...]:
        """Return the channels that stopped because their platform refused them."""
        return tuple(one.name for one in self.reports() if one.health is Health.REFUSED)

    def start(self, supervisor: ChannelSupervisor) -> None:
        """Run one more; none of its name runs."""
        self._supervisors = dict(sorted({**self._supervisors, supervisor.name: supervisor}.items()))
        self._run(supervisor)

    async def stop(self, channel: str) -> None:
        """End the supervisor of a channel; what was accepted is on disk by then."""
        self._supervisors = {name: each for name, each in self._supervisors.items() if name != channel}
        task = self._tasks.pop(channel, None)
        if task is not None:
            await self._cancel({task})

    async def wait_until_started(self, channel: str) -> None:
        """Return once a channel's first connection stands or did not come about, or after `patience`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                if channel in self._supervisors:
                    await self._supervisors[channel].wait_until_started()

    async def __aenter__(self) -> ChannelSupervisors:
        for each in self._supervisors.values():
            self._run(each)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._cancel(set(self._tasks.values()))

    def _run(self, supervisor: ChannelSupervisor) -> None:
        self._tasks[supervisor.name] = asyncio.create_task(
            supervisor.run(), name=f"channel {supervisor.name}"
        )

    async def _cancel(self, left: set[asyncio.Task[None]]) -> None:
        for _ in range(2):
            for task in left:
                task.cancel()
            if left:
                _, left = await asyncio.wait(left, timeout=self._patience)
        for task in left:
            log.error("%s does not stop; leaving it behind", task.get_name())


def stop_reason(channel: str, error: AuthenticationRefused) -> str:
    """Return why a channel is stopped, and what to do about it."""
    places = " and ".join(error.places(channel))
    remedy = f"correct {places}, and it connects again" if places else "mend it, then send Parley SIGHUP"
    return f"{error.user_text}; {remedy}"
