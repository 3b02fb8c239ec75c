"""Strangers who were let in: they ask for a code, and an administrator who is told it approves.

A request and an account that was let in are a document each; of a code only a digest is kept.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from parley.core.model.address import User, account_key
from parley.core.model.codec import decode, encode
from parley.core.model.errors import DocumentConflict, StoreUnavailable
from parley.core.model.sanitize import sanitize_name
from parley.core.ports.journal import (
    Document,
    DocumentRepository,
    iter_documents,
    log_store_failure,
    update_document,
)
from parley.core.ports.pubsub import NULL_NOTIFIER, Notifier
from parley.core.ports.subject_index import iter_about
from parley.core.state.one_time_codes import CODE_SECONDS, code_digest, new_code
from parley.core.state.paired_accounts import PAIRED_PREFIX, PairedAccount, PairedAccounts
from parley.core.state.readable_documents import iter_readable

log = logging.getLogger(__name__)

CODES_OF_ONE = 5
"""Most codes that one account is given in an hour; what others ask for does not count."""
OPEN_REQUESTS = 2000
"""Most requests that this process lets stand open, of everybody together; beyond it the oldest go."""

_HOUR = 3600.0
_REQUESTS, _COUNTS, _TAKEN = "pairing/request/", "pairing/count/", "pairing/taken/"
_SEEN_AGAIN = 2.0
_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class PairingRequest:
    """Somebody who asks to be let in, until when (Unix seconds)."""

    account: str
    channel: str
    name: str
    until: float


@dataclass(frozen=True, slots=True)
class _Named:
    """What documents of an account have in common."""

    account: str


@dataclass(frozen=True, slots=True)
class _Taken:
    """Whom a code let in, and when."""

    account: str
    at: float


@dataclass(frozen=True, slots=True)
class _Count:
    count: int = 0
    since: float = 0.0
    code: str = ""


class Pairing:
    """Reads and changes who was let in; `account in pairing` is answered from what this process knows.

    Every coroutine raises StoreUnavailable.
    """

    def __init__(
        self, documents: DocumentRepository, clock: Callable[[], float], news: Notifier = NULL_NOTIFIER
    ) -> None:
        self._documents = documents
        self._clock = clock
        self._paired = PairedAccounts(documents, news)
        self._open = 0  # requests, at most: counted anew when they could be too many

    @classmethod
    async def open(
        cls, documents: DocumentRepository, clock: Callable[[], float], news: Notifier = NULL_NOTIFIER
    ) -> Pairing:
        """Return one that knows who was let in."""
        made = cls(documents, clock, news)
        await made.load()
        return made

    def __contains__(self, account: object) -> bool:
        return account in self._paired

    async def load(self) -> None:
        """Learn who was let in, here or by another node."""
        await self._paired.load()

    async def follow(self, pause: float = _SEEN_AGAIN) -> None:
        """Go on learning what other nodes change, at once and every `pause` seconds, and forget old requests,
        until cancelled.
        """
        swept = 0.0
        while True:
            try:
                await self._paired.wait(pause)
                if self._clock() - swept > _HOUR / 4:
                    await self.sweep()
                    swept = self._clock()
            except StoreUnavailable as error:
                log_store_failure(log.warning, "who was let in is not known anew: %s", error)
                await asyncio.sleep(pause)

    async def ask(self, user: User) -> str | None:
        """A code with which `user` can be let in: once, and for ten minutes. It replaces their last one.

        None when they had too many within the hour.
        """
        code, account = new_code(), account_key(user)
        replaced = await self._count(account, CODES_OF_ONE, code_digest(code))
        if replaced is None:
            return None
        if replaced:
            await self._documents.delete(f"{_REQUESTS}{replaced}")
        await self._make_room()
        request = PairingRequest(account, user.channel, plain_name(user), self._clock() + CODE_SECONDS)
        await self._documents.set(Document(f"{_REQUESTS}{code_digest(code)}", encode(request), 0))
        return code

    async def approve(self, code: str, by: str, channel: str = "") -> PairedAccount | None:
        """Let in who was given `code`, of one channel where it is named; None for a code that is no good.

        Called again by the same administrator after a crash it gives the same answer, and changes nothing.
        """
        digest = code_digest(code)
        document = await self._documents.get(f"{_REQUESTS}{digest}")
        request = decode(PairingRequest, document.body) if document.body else None
        if request is None:
            return await self._let_in_before(digest, by)
        if request.until < self._clock() or channel not in ("", request.channel):
            return None
        paired = await self._let_in(PairedAccount(request.account, request.name, by, self._clock(), digest))
        if paired is not None:
            taken = encode(_Taken(paired.account, self._clock()))
            await update_document(self._documents, f"{_TAKEN}{digest}", lambda _: (None, taken))
            await self._paired.count_change(paired.account)
            await self._documents.delete(document.key)
        return paired

    async def revoke(self, account: str) -> bool:
        """Let an account in no more, nor with a code that it has; False where it was not let in."""
        key = f"{PAIRED_PREFIX}{account}"
        known = bool((await self._documents.get(key)).body)
        async for request, digest in self._requests():
            if request.account == account:
                await self._documents.delete(f"{_REQUESTS}{digest}")
        await self._documents.delete(key)
        await self._paired.count_change(account)
        return known

    async def list_documents(self, account: str) -> list[Document]:
        """Return all that is noted of an account: that it was let in, that it asks, how often it asked."""
        keys = (f"{PAIRED_PREFIX}{account}", f"{_COUNTS}{account}")
        found = [document for key in keys if (document := await self._documents.get(key)).version]
        for prefix in (_REQUESTS, _TAKEN):
            named = iter_documents(self._documents, prefix)
            found += [each async for each in named if decode(_Named, each.body).account == account]
        return found

    async def forget(self, account: str) -> int:
        """Remove all that, so that the account is let in no more; returns how many things it was."""
        noted = await self.list_documents(account)
        for document in noted:
            await self._documents.delete(document.key)
        await self._paired.count_change(account, named=False)
        return len(noted)

    async def anonymise_approver(self, account: str, sign: str) -> int:
        """Let those whom this administrator let in have `sign` for its name; returns how many they are."""
        changed = 0
        async for document in iter_about(self._documents, (account,), PAIRED_PREFIX):
            paired = decode(PairedAccount, document.body)
            if paired.by == account:
                with suppress(DocumentConflict):  # revoked just now
                    await self._documents.set(replace(document, body=encode(replace(paired, by=sign))))
                    changed += 1
        return changed

    async def accounts(self, after: str = "") -> AsyncIterator[PairedAccount]:
        """Yield everybody who was let in, by account, from the one after `after`."""
        async for account in self._paired.iter(after):
            yield account

    async def accounts_page(self, limit: int, after: str = "") -> tuple[list[PairedAccount], str]:
        """Return at most so many accounts after one, and what leads to the next page ("" at the end)."""
        found: list[PairedAccount] = []
        async for account in self.accounts(after):
            found.append(account)
            if len(found) > limit:
                break
        return found[:limit], found[limit - 1].account if len(found) > limit else ""

    async def requests(self) -> AsyncIterator[PairingRequest]:
        """Yield everybody who may be let in now."""
        async for request, _ in self._requests():
            if request.until >= self._clock():
                yield request

    async def sweep(self) -> None:
        """Forget what no longer counts."""
        now = self._clock()
        async for request, digest in self._requests():
            if request.until < now:
                await self._documents.delete(f"{_REQUESTS}{digest}")
        async for document in iter_documents(self._documents, _COUNTS):
            if now - decode(_Count, document.body).since > _HOUR:
                await self._documents.delete(document.key)
        async for document in iter_documents(self._documents, _TAKEN):
            if now - decode(_Taken, document.body).at > _HOUR:
                await self._documents.delete(document.key)

    async def _make_room(self) -> None:
        """Let one more request be open; of what could be too many keep nine tenths, the newest."""
        self._open += 1
        if self._open <= OPEN_REQUESTS:
            return
        known = sorted([(request.until, digest) async for request, digest in self._requests()])
        most = OPEN_REQUESTS * 9 // 10
        for _, digest in known[:-most]:
            await self._documents.delete(f"{_REQUESTS}{digest}")
        self._open = min(len(known), most) + 1

    async def _let_in(self, wanted: PairedAccount) -> PairedAccount | None:
        """Return the account as let in by `wanted.by` with this code; None where another was quicker."""
        document = await self._documents.get(f"{PAIRED_PREFIX}{wanted.account}")
        if document.body:
            known = decode(PairedAccount, document.body)
            return known if (known.by, known.code) == (wanted.by, wanted.code) else None
        try:
            await self._documents.set(replace(document, body=encode(wanted)))
        except DocumentConflict:
            return None
        return wanted

    async def _let_in_before(self, digest: str, by: str) -> PairedAccount | None:
        """Return whom an administrator let in with a code that is used up."""
        taken = await self._documents.get(f"{_TAKEN}{digest}")
        if not taken.body:
            return None
        document = await self._documents.get(f"{PAIRED_PREFIX}{decode(_Taken, taken.body).account}")
        known = decode(PairedAccount, document.body) if document.body else None
        return known if known is not None and (known.by, known.code) == (by, digest) else None

    async def _count(self, who: str, most: int, code: str = "") -> str | None:
        """Count one code more and keep its digest; the digest before, or None beyond `most` in an hour."""
        for _ in range(_ATTEMPTS):
            document = await self._documents.get(f"{_COUNTS}{who}")
            known = decode(_Count, document.body) if document.body else _Count()
            now = self._clock()
            if now - known.since > _HOUR:
                known = replace(known, count=0, since=now)
            if known.count >= most:
                return None
            counted = replace(known, count=known.count + 1, code=code)
            try:
                await self._documents.set(replace(document, body=encode(counted)))
            except DocumentConflict:
                continue
            return known.code
        return None

    async def _requests(self) -> AsyncIterator[tuple[PairingRequest, str]]:
        async for request, document in iter_readable(self._documents, PairingRequest, _REQUESTS):
            yield request, document.key.removeprefix(_REQUESTS)


def plain_name(user: User) -> str:
    """Return a stranger's name for administrators: a few words, and nothing that could look like ours."""
    kept = "".join(
        letter if letter.isalnum() or letter in " .-'" else " " for letter in sanitize_name(user.name)
    )
    return " ".join(kept.split())[:60]
