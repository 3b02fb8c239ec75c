"""The store: written to, synced, read back, with its schema, its locks and its clock."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

from parley.app.doctor.context import DoctorContext
from parley.app.doctor.network import compare_clocks
from parley.app.doctor.result import CheckResult, failed, remarked, skipped, succeeded
from parley.app.storage.store import describe_store, probe_store
from parley.core.model.errors import ConfigError, StoreUnavailable
from parley.store.diagnosis import StoreProbe

_PATIENCE = 15.0
_SLOW = 0.1
"""Seconds for one synced write from which on people wait noticeably: several are made for each message."""
_DISK = "look at the disk: a network file system or a full write cache makes each message wait"


async def probe_the_store(context: DoctorContext) -> AsyncIterator[CheckResult]:
    """Yield what came of a write; a running Parley that holds SQLite's file is asked to write instead."""
    loaded, embedded = context.loaded, context.loaded.settings.store.embedded
    context.say("store: one document is written, read back and removed")
    if embedded and context.running is not None:
        yield _asked(context.running.ready)
        return
    place = "data_dir" if embedded and not loaded.settings.store.file else "store"
    place = place if embedded else "store.url"
    try:
        async with asyncio.timeout(_PATIENCE):
            found = await probe_store(loaded)
    except ConfigError as error:
        text, _, remedy = error.user_text.partition("; ")
        yield failed("store.write", text, remedy, place)
    except StoreUnavailable as error:
        yield _unavailable(error.user_text, place)
    except TimeoutError:
        text = f"a write took longer than {_PATIENCE:.0f} s"
        yield failed("store.write", text, "look at the server's load and its locks", place, plain=True)
    else:
        for result in _read(found, describe_store(loaded), embedded=embedded):
            yield result


def _asked(unready: str) -> CheckResult:
    if not unready:
        return succeeded("store.write", "the running Parley writes to it", plain=True)
    text = f"the running Parley cannot take messages: {unready}"
    return failed("store.write", text, "see its log, and `parley check`")


def _unavailable(text: str, place: str) -> CheckResult:
    """Take apart what the engine says: the name, what is wrong, and behind the last colon the remedy."""
    if text.startswith("Parley is already running here"):
        what, _, remedy = text.partition(". ")
        return failed(
            "store.lock", f"{what}; it does not answer at console.host and console.port", remedy, place
        )
    what, colon, remedy = text.rpartition(": ")
    return failed("store.write", what if colon else text, remedy if colon else f"correct {place}", place)


def _read(found: StoreProbe, where: str, *, embedded: bool) -> Iterator[CheckResult]:
    current = found.schema == found.newest
    if embedded or current:
        text = f"{where} took a synced write in {found.write * 1000:.1f} ms, read back in "
        text += f"{found.read * 1000:.1f} ms ({found.server})"
        yield remarked("store.write", text, _DISK) if found.write > _SLOW else succeeded("store.write", text)
    else:
        yield skipped("store.write", "the tables are not current, so nothing was written to them")
    yield _schema(found)
    if not embedded:
        yield _locks(found)
        yield compare_clocks("store.clock", "the database", -found.ahead)


def _schema(found: StoreProbe) -> CheckResult:
    name = "store.schema"
    if found.schema == 0:
        return succeeded(
            name, f"there are no tables yet: `parley run` makes schema {found.newest}", plain=True
        )
    if found.schema < found.newest:
        text = f"schema {found.schema} is older than {found.newest}"
        return remarked(name, text, "`parley run` brings it forward: make a backup before", plain=True)
    return succeeded(name, f"schema {found.schema} is current", plain=True)


def _locks(found: StoreProbe) -> CheckResult:
    if not found.waiting_locks:
        return succeeded("store.lock", "no session of the server waits for a lock", plain=True)
    text = f"{found.waiting_locks} sessions of the server wait for locks"
    remedy = "see who holds them: SELECT * FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    return remarked("store.lock", text, remedy, plain=True)
