"""Who was let in, as this process knows it: read whole once, and then by what has changed.

A document for each account says that it was let in. One more counts the changes and names the last ones, so
that a look at it is all that it takes to know what others have done.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass

from parley.core.model.codec import decode, encode
from parley.core.ports.journal import Document, DocumentRepository, iter_documents, update_document
from parley.core.ports.lease import uptime
from parley.core.ports.pubsub import Notifier
from parley.core.ports.subjects import subject_number
from parley.core.state.readable_documents import iter_readable, log_unreadable

log = logging.getLogger(__name__)

PAIRED_PREFIX = "paired/"

_CHANGES = "pairing/changes"
_NAMED = 200
"""Changes of which it is kept whom they were about: who missed more of them reads everybody anew."""
_WHOLE_EVERY = 600.0
"""Seconds after which everybody is read all the same: a process that dies between a change and its count
leaves one that nobody is told of, and it may be that somebody was let out."""
_TOPIC = "paired"
_FORGOTTEN = "#"


@dataclass(frozen=True, slots=True)
class PairedAccount:
    """Somebody who was let in; `by` is the administrator's account, `code` the digest that it took."""

    account: str
    name: str
    by: str
    at: float
    code: str


@dataclass(frozen=True, slots=True)
class _Changes:
    """How often somebody was let in or out, and who it was the last times.

    Of who was forgotten there is a number only, with a # before it (core.ports.subjects).
    """

    number: int = 0
    accounts: tuple[str, ...] = ()


class PairedAccounts:
    """Answers `account in paired` from what this process knows. Every coroutine raises StoreUnavailable."""

    def __init__(
        self, documents: DocumentRepository, news: Notifier, clock: Callable[[], float] = uptime
    ) -> None:
        self._documents = documents
        self._clock = clock
        self._whole_at = clock()
        self._news = news
        self._changed = asyncio.Event()
        news.subscribe(_TOPIC, self)
        self._known: set[str] = set()
        self._seen = 0  # changes
        self._unnamed = False
        self._learning = asyncio.Lock()  # an older look must not come after a newer one

    def __contains__(self, account: object) -> bool:
        return account in self._known

    async def load(self) -> None:
        """Read everybody."""
        async with self._learning:
            await self._load()

    async def refresh(self) -> None:
        """Learn what has changed since the last look."""
        async with self._learning:
            changes = _read_changes(await self._documents.get(_CHANGES))
            missed = changes.number - self._seen
            newest = changes.accounts[max(len(changes.accounts) - missed, 0) :]
            whole = self._unnamed or self._clock() - self._whole_at >= _WHOLE_EVERY
            if whole or len(newest) != missed:
                await self._load()
                return
            gone = {each for each in newest if each.startswith(_FORGOTTEN)}
            for account in (*dict.fromkeys(each for each in newest if each not in gone), *self._find(gone)):
                await self._learn(account)
            self._seen = changes.number

    async def wait(self, seconds: float) -> None:
        """Return when other nodes may have changed something, or after so many seconds, and look."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        self._changed.clear()
        await self.refresh()

    async def count_change(self, account: str, *, named: bool = True) -> None:
        """Let every node learn that an account was let in or out. Call it after the change.

        Unless it is `named` nothing stays here that says which account it was.
        """
        entry = account if named else f"{_FORGOTTEN}{subject_number(account)}"

        def counted(document: Document) -> tuple[None, str]:
            before = _read_changes(document)
            accounts = before.accounts
            if not named:
                accounts = tuple(entry if each == account else each for each in accounts)
            return None, encode(_Changes(before.number + 1, (*accounts, entry)[-_NAMED:]))

        await update_document(self._documents, _CHANGES, counted)
        await self.refresh()
        await self._news.publish(_TOPIC, entry)

    async def iter(self, after: str = "") -> AsyncIterator[PairedAccount]:
        """Yield everybody who was let in, by account, from the one after `after`."""
        start = f"{PAIRED_PREFIX}{after}" if after else ""
        async for account, _ in iter_readable(self._documents, PairedAccount, PAIRED_PREFIX, start):
            yield account

    def on_message(self, text: str) -> None:
        """Another node let somebody in, or out. An older Parley does not say whom, and keeps no count."""
        self._unnamed = self._unnamed or not text
        self._changed.set()

    def on_gap(self) -> None:
        """Look again: perhaps one did."""
        self._changed.set()

    def _find(self, gone: Collection[str]) -> list[str]:
        """Return whom of those who were in the numbers of forgotten ones mean."""
        if not gone:
            return []
        return [each for each in self._known if f"{_FORGOTTEN}{subject_number(each)}" in gone]

    async def _load(self) -> None:
        self._unnamed, self._whole_at = False, self._clock()
        self._seen = _read_changes(await self._documents.get(_CHANGES)).number
        self._known = {
            document.key.removeprefix(PAIRED_PREFIX)
            async for document in iter_documents(self._documents, PAIRED_PREFIX)
            if _lets_in(document)
        }

    async def _learn(self, account: str) -> None:
        if _lets_in(await self._documents.get(f"{PAIRED_PREFIX}{account}")):
            self._known.add(account)
        else:
            self._known.discard(account)


def _read_changes(document: Document) -> _Changes:
    return decode(_Changes, document.body) if document.body else _Changes()


def _lets_in(document: Document) -> bool:
    """Return whether a document is that of an account that was let in, and not damaged."""
    named = json.dumps(document.key.removeprefix(PAIRED_PREFIX), ensure_ascii=False)
    if document.body.startswith(f'{{"account":{named},') and document.body.endswith("}"):
        return True  # in a tenth of the time that reading all of it takes
    try:
        return bool(document.body) and bool(decode(PairedAccount, document.body))
    except (ValueError, RecursionError):
        log_unreadable(document.key)
        return False
