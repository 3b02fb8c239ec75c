"""Faults in how a channel begins, ends and remembers."""

from __future__ import annotations

import asyncio
import atexit
import socket

from parley.core.model.errors import AuthenticationRefused, ChannelError, ChannelUnavailable
from parley.core.model.types import OutboundMessage
from parley.core.ports.channel import Channel, Inbox
from parley.core.ports.journal import Claim, Journal
from tests.contract.driver import Driver
from tests.contract.faults.fault import Around, AroundReply, Fault, replying
from tests.contract.harness.parley_process import Seed
from tests.contract.harness.unreliable_journal import UnreliableJournal

# Kept in sight, so that Python does not tidy up behind the fault.
_LEFT: list[socket.socket] = []


@atexit.register
def _close() -> None:
    for end in _LEFT:
        end.close()


class KnocksForEver(Around):
    """Takes refused credentials for a bad day."""

    async def listen(self, inbox: Inbox) -> None:
        try:
            await self.inner.listen(inbox)
        except AuthenticationRefused as error:
            raise ChannelUnavailable("unauthorized") from error


class StaysAway(Around):
    """Does not come back when its connection has ended."""

    async def listen(self, inbox: Inbox) -> None:
        try:
            await self.inner.listen(inbox)
        except ChannelError:
            await asyncio.Event().wait()


class LeavesATask(Around):
    async def listen(self, inbox: Inbox) -> None:
        self.left = asyncio.create_task(asyncio.sleep(3600), name="left behind")
        await self.inner.listen(inbox)


class LeavesASocket(Around):
    async def listen(self, inbox: Inbox) -> None:
        _LEFT.extend(socket.socketpair())
        await self.inner.listen(inbox)


class WillNotEnd(Around):
    """Swallows its cancellation."""

    async def listen(self, inbox: Inbox) -> None:
        try:
            await self.inner.listen(inbox)
        except asyncio.CancelledError:
            await asyncio.Event().wait()


class ForgetfulJournal(UnreliableJournal):
    """Keeps no checkpoints."""

    async def note(self, claim: Claim, item: int, note: str) -> None:
        return None


class StartsClean(UnreliableJournal):
    """Forgets at its start what was waiting."""

    def __init__(self, inner: Journal) -> None:
        super().__init__(inner, lambda: None)
        self._clean: set[str] = set()

    async def claim(self, queue: str, limit: int) -> tuple[Claim, ...]:
        claims = await super().claim(queue, limit)
        if queue in self._clean:
            return claims
        self._clean.add(queue)
        for claim in claims:
            await super().bury(claim, claim.items, "forgotten")
        return ()


class TakesThePlatformsName(Around):
    """Is called after its platform, whatever the settings call it."""

    def __init__(self, inner: Channel, driver: Driver) -> None:
        super().__init__(inner, driver)
        self.name = driver.name


class KeepsPulsing(AroundReply):
    """Starts something with each snapshot that nobody ends."""

    async def show(self, snapshot: OutboundMessage) -> None:
        self.pulse = asyncio.create_task(asyncio.sleep(3600), name="pulse")
        await self.inner.show(snapshot)


def forgetful(journal: Journal) -> Journal:
    """A journal that keeps no checkpoints."""
    return ForgetfulJournal(journal, lambda: None)


FAULTS = (
    Fault("retry refused credentials", "refused_credentials_are_final", Seed(KnocksForEver)),
    Fault(
        "stay away after a dropped connection",
        "dropped_connections_come_back",
        Seed(StaysAway),
        ("dials",),
    ),
    Fault("leave a task behind", "ends_when_told", Seed(LeavesATask)),
    Fault("leave a socket behind", "ends_when_told", Seed(LeavesASocket)),
    Fault("swallow cancellation", "ends_when_told", Seed(WillNotEnd)),
    replying("go on pulsing after the end", "ends_in_the_middle", KeepsPulsing),
    Fault("mix up two apps", "two_apps_answer_as_themselves", Seed(TakesThePlatformsName)),
    Fault("forget what waits", "crash_after_accepting", Seed(journal=StartsClean)),
    Fault("forget at each start", "crash_again_and_again", Seed(journal=StartsClean)),
    Fault("keep no checkpoints", "crash_before_sending", Seed(journal=forgetful)),
    Fault("forget the run in a crash", "crash_while_growing", Seed(journal=forgetful)),
)
