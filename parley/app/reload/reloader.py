"""Keeps what runs in step with the files: reads them when they change, and takes over what may change."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from parley.app.reload.changes import ReloadPlan, plan_reload
from parley.app.reload.current_state import CurrentState
from parley.app.reload.file_watch import FileStamps, FileWatch, stamp_files
from parley.app.reload.source import ConfigSource
from parley.app.reload.torn_files import FileTexts, find_torn, may_be_half, read_texts
from parley.app.settings.load import LoadedSettings
from parley.core.model.errors import ConfigError
from parley.core.ports.health import Health, HealthReport

log = logging.getLogger("parley.app")

NAME = "configuration"
"""The name of the report about the files."""
_EVERY = 0.5
"""Seconds between two looks at the files; for so long they have to be at rest."""
_REST_OF_HALVES = 5.0
"""Seconds for which files have to be at rest that may be half of what is being written."""


@dataclass(frozen=True, slots=True)
class ReloadOutcome:
    """What came of a reload: the `plan` that was carried out, if any was.

    `problem` says why nothing was taken over. `waiting` are settings that differ on disk until a restart.
    """

    plan: ReloadPlan | None = None
    waiting: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ReloadTarget:
    """What is changed. `apply` does what a plan says; it raises ConfigError, and has changed nothing then.

    `code` are the files of users' graphs that run here.
    """

    apply: Callable[[ReloadPlan], Awaitable[None]]
    code: Callable[[], Sequence[Path]]


@dataclass(slots=True)
class Reloader:
    """Takes over edits, one after the other. `run` looks for them."""

    current: CurrentState
    source: ConfigSource
    target: ReloadTarget
    clock: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    every: float = _EVERY
    _outcome: ReloadOutcome = ReloadOutcome()
    _since: float = 0.0
    _told: frozenset[str] = frozenset()
    _texts: FileTexts = field(default_factory=dict)
    _code: FileStamps = field(default_factory=dict)
    _watch: FileWatch = field(default_factory=lambda: FileWatch({}))
    _owed: bool = False
    _requested: asyncio.Event = field(default_factory=asyncio.Event)

    def request(self) -> None:
        """Have the files read as soon as they are at rest; for a signal."""
        self._requested.set()

    def reports(self) -> tuple[HealthReport, ...]:
        """Return one where the files on disk are not what runs."""
        outcome = self._outcome
        waiting = f"waits for a restart: {', '.join(outcome.waiting)}" if outcome.waiting else ""
        detail = f"not taken over: {outcome.problem}" if outcome.problem else waiting
        return (HealthReport(NAME, Health.RETRYING, detail, self._since),) if detail else ()

    async def run(self) -> None:
        """Look at the files again and again until cancelled."""
        self._texts = self.source.texts
        await self._note_files(self.source.stamps, {})
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.every):
                    await self._requested.wait()
            self._owed = self._owed or self._requested.is_set()
            self._requested.clear()
            await self._look()

    async def _look(self) -> None:
        """Read the files where it is time."""
        rest = self._watch.look(await self._stamps(), self.monotonic())
        if rest is None:
            due = self._owed
        else:
            due = rest >= (self.every if self._owed else await self._rest_needed())
        if due:
            self._owed = False
            await self._try()

    async def _rest_needed(self) -> float:
        texts = await asyncio.to_thread(read_texts, self.source.files)
        return _REST_OF_HALVES if may_be_half(self._texts, texts) else self.every

    async def _try(self) -> None:
        """Reload; a fault of ours leaves what runs as it is."""
        try:
            await self.reload()
        except Exception:
            log.exception("the configuration could not be taken over; what ran before goes on")
            self._watch.know(await self._stamps())

    async def reload(self) -> ReloadOutcome:
        """Read the files and take over what may change; what is wrong is logged, and changes nothing."""
        stamps, code = await self._stamps(), await asyncio.to_thread(stamp_files, self._code)
        try:
            texts, loaded = await asyncio.to_thread(self._read)
            if stamps != await self._stamps():
                return self._outcome  # written to meanwhile: the next look finds it
            plan = plan_reload(self.current.loaded(), loaded)
            plan = replace(plan, graphs=plan.graphs or code != self._code)
            await self.target.apply(plan)
        except ConfigError as error:
            self._watch.know(stamps)
            return self._refused(error.user_text)
        self._texts = texts
        await self._note_files(stamps, code)
        return self._taken(plan)

    def _read(self) -> tuple[FileTexts, LoadedSettings]:
        texts = read_texts(self.source.files)
        if torn := find_torn(self._texts, texts):
            raise ConfigError(torn)
        return texts, self.source.read()

    async def _stamps(self) -> FileStamps:
        files = [*self.source.files, *self.target.code()]
        return await asyncio.to_thread(stamp_files, files)

    async def _note_files(self, read: FileStamps, code: FileStamps) -> None:
        """Remember the files as they were when they were read; those that are new, as they are."""
        now, files = await self._stamps(), list(self.target.code())
        self._code = {path: code.get(path, now.get(path)) for path in files}
        self._watch.know({path: read.get(path, stamp) for path, stamp in now.items()})

    def _refused(self, text: str) -> ReloadOutcome:
        first, *others = text.splitlines()
        more = f" (and {len(others)} more: `parley check` lists them)" if others else ""
        problem = f"{first}{more}"
        if problem != self._outcome.problem:
            log.error("the edit is not taken over, what ran before goes on: %s", problem)
            self._since = self.clock()
        self._outcome = ReloadOutcome(waiting=self._outcome.waiting, problem=problem)
        return self._outcome

    def _taken(self, plan: ReloadPlan) -> ReloadOutcome:
        before = self._outcome
        self._outcome = ReloadOutcome(plan, plan.waiting)
        if (before.problem, before.waiting) != ("", plan.waiting):
            self._since = self.clock()
        if done := describe_plan(plan):
            log.info("the configuration was taken over: %s", "; ".join(done))
        elif before.problem:
            log.info("the configuration is in order again; nothing has changed")
        if new := [place for place in plan.waiting if place not in self._told]:
            log.warning("%s: changed on disk, and waits for a restart of Parley", ", ".join(new))
        self._told = frozenset(plan.waiting)
        return self._outcome


def describe_plan(plan: ReloadPlan) -> Sequence[str]:
    """Return what was done, in a few words each; nothing where nothing was."""
    parts = (
        ("", plan.changed),
        ("switched on: ", plan.started),
        ("switched off: ", plan.stopped),
        ("connecting again: ", plan.reconnected),
        ("", ("new runs use the graphs as they are now",) if plan.graphs else ()),
    )
    return [f"{words}{', '.join(names)}" for words, names in parts if names]
