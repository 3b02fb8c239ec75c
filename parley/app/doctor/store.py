"""The store: written to, synced, read back, with its schema, its locks and its clock."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

from parley.app.doctor.context import DoctorContext
from parley.app.doctor.network import compare_clocks
from parley.app.doctor.result import CheckResult, failed, remarked, succeeded
from parley.app.settings.load import LoadedSettings
from parley.app.storage.store import count_waiting_items, describe_store, probe_store
from parley.app.supervision.waiting_work import count_waiting, describe_waiting
from parley.core.model.errors import ConfigError, StoreUnavailable
from parley.core.ports.health import WAITING
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
    where = ""
    try:
        where = describe_store(loaded)
        async with asyncio.timeout(_PATIENCE):
            found = await probe_store(loaded, context.clock)
    except ConfigError as error:
        text, _, remedy = error.user_text.partition("; ")
        yield failed("store.write", text, remedy, place)
    except StoreUnavailable as error:
        yield _unavailable(error.user_text, where, place)
    except TimeoutError:
        text = f"a write took longer than {_PATIENCE:.0f} s"
        yield failed("store.write", text, "look at the server's load and its locks", place, plain=True)
    else:
        yield _written(found, where)
        yield _schema(found)
        if not embedded:
            for result in _server(found, itself=context.running is not None):
                yield result


async def probe_waiting_work(context: DoctorContext) -> AsyncIterator[CheckResult]:
    """Yield what waits for channels that are not on, if anything does and the store can be read."""
    if context.running is not None:
        report = context.running.reports.get(WAITING)
        text = report.detail if report is not None else ""
    else:
        text = await _waiting_in_store(context.loaded)
    if text:
        what, _, why = text.partition("; ")
        yield remarked(
            "store.waiting", what, f"{why}; bring a section back to have its work done", "channels"
        )


async def _waiting_in_store(loaded: LoadedSettings) -> str:
    try:
        async with asyncio.timeout(_PATIENCE):
            waiting = await count_waiting_items(loaded)
    except (ConfigError, StoreUnavailable, TimeoutError):
        return ""  # the probe of the store says so
    found = count_waiting(waiting.items(), loaded.channels)
    return describe_waiting(found) if found else ""


def _asked(unready: str) -> CheckResult:
    if not unready:
        return succeeded("store.write", "the running Parley writes to it", plain=True)
    text = f"the running Parley cannot take messages: {unready}"
    return failed("store.write", text, "see its log, and `parley check`")


def _unavailable(text: str, where: str, place: str) -> CheckResult:
    """Take apart what the engine says: where, what is wrong, and the remedy, with colons between."""
    if text.startswith("Parley is already running here"):
        what, _, remedy = text.partition(". ")
        return failed(
            "store.lock", f"{what}; it does not answer at console.host and console.port", remedy, place
        )
    what, _, remedy = text.removeprefix(f"{where}: ").partition(": ")
    if not remedy or what.count("(") > what.count(")"):  # a server's own words, with a colon in them
        return failed("store.write", text, f"correct {place}", place)
    return failed("store.write", f"{where}: {what}" if where else what, remedy, place)


def _written(found: StoreProbe, where: str) -> CheckResult:
    text = f"{where} took a synced write in {found.write * 1000:.1f} ms"
    text += f", read back in {found.read * 1000:.1f} ms" if found.read else ""
    text += f" ({found.server})"
    if found.write > _SLOW:
        return remarked("store.write", text, _DISK)
    return succeeded("store.write", text)


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


def _server(found: StoreProbe, *, itself: bool) -> Iterator[CheckResult]:
    yield _durable(found)
    yield _locks(found)
    yield _nodes(found, itself=itself)
    yield _tls(found)
    yield _log_compression(found)
    yield compare_clocks("store.clock", "the database", -found.ahead)


def _durable(found: StoreProbe) -> CheckResult:
    if not found.unsafe:
        return succeeded("store.durability", "the server syncs what it acknowledges", plain=True)
    named = ", ".join(found.unsafe)
    text = f"the server runs with {named} = off: if its machine fails, acknowledged messages can be lost"
    return failed("store.durability", text, f"set {named} = on in postgresql.conf", "store.url", plain=True)


def _locks(found: StoreProbe) -> CheckResult:
    if not found.waiting_locks:
        return succeeded("store.lock", "no session of the server waits for a lock", plain=True)
    text = f"{found.waiting_locks} sessions of the server wait for locks"
    remedy = "see who holds them: SELECT * FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    return remarked("store.lock", text, remedy, plain=True)


def _nodes(found: StoreProbe, *, itself: bool) -> CheckResult:
    count = len(found.nodes)
    if count <= itself:
        return succeeded("store.nodes", "no other Parley works on this database", plain=True)
    text = f"{count} nodes of Parley work on this database: {', '.join(found.nodes)}"
    if itself:
        return succeeded("store.nodes", text)
    remedy = "nodes with the same settings share the work (docs/nodes.md); another bot needs another database"
    return remarked("store.nodes", text, remedy, "store.url")


def _tls(found: StoreProbe) -> CheckResult:
    if found.encrypted:
        return succeeded("store.tls", "the connection is encrypted, or stays on this machine", plain=True)
    text = "the connection to the database is not encrypted: whoever is on the way can read it"
    remedy = "add ?sslmode=require to store.url, or verify-full with sslrootcert=FILE"
    return remarked("store.tls", text, remedy, "store.url", plain=True)


def _log_compression(found: StoreProbe) -> CheckResult:
    name = "store.log"
    if found.compressed:
        return succeeded(name, "whole pages in the server's log are compressed", plain=True)
    text = "whole pages in the server's log are not compressed: of a large store it is about twice as long"
    remedy = (
        "as a superuser: GRANT SET ON PARAMETER wal_compression TO the user of store.url (PostgreSQL 15 and "
        "newer), or wal_compression = on in postgresql.conf"
    )
    return remarked(name, text, remedy, "store.url", plain=True)
