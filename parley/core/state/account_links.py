"""Two accounts become one person: a code leads the one to the other, and both confirm what they are shown.

An offer goes one step at a time: offered, typed at the other account, agreed to there, shown at the first
account, linked. Nothing moves before the last step, and every step may be done again after a crash.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from parley.core.model.address import User, account_key
from parley.core.model.codec import decode, encode
from parley.core.model.errors import DocumentConflict
from parley.core.ports.journal import Document, DocumentRepository, update_document
from parley.core.state.one_time_codes import CODE_SECONDS, code_digest, new_code
from parley.core.state.pairing import plain_name
from parley.core.state.people import LINK_OFFER_PREFIX, OPEN_LINK_PREFIX, PersonRepository

_TRIES = 5
_TRIES_SECONDS = 3600.0


class LinkStage(StrEnum):
    """How far two accounts are on their way to be one person."""

    OFFERED = "offered"
    TYPED = "typed"
    AGREED = "agreed"
    SHOWN = "shown"
    LINKED = "linked"


@dataclass(frozen=True, slots=True)
class LinkOffer:
    """`by` offered a code as part of `person`; `account`, part of `source`, typed it.

    `named` is the account after which the source was named when it joined.
    """

    person: str
    until: float
    by: str = ""
    by_name: str = ""
    account: str = ""
    account_name: str = ""
    source: str = ""
    named: str = ""
    stage: LinkStage = LinkStage.OFFERED


@dataclass(frozen=True, slots=True)
class LinkResult:
    """A link that was made: the person that joined, the one it joined, and after which account the first
    was named.
    """

    source: str
    into: str
    named: str


@dataclass(frozen=True, slots=True)
class _Tries:
    count: int = 0
    since: float = 0.0


class AccountLinks:
    """Offers of one account to another. Every method raises StoreUnavailable."""

    def __init__(
        self, people: PersonRepository, documents: DocumentRepository, clock: Callable[[], float]
    ) -> None:
        self._people = people
        self._documents = documents
        self._clock = clock

    async def offer(self, user: User) -> str:
        """Return a new code that leads another account to this one; it replaces the last one."""
        await self.drop(user)
        code, account = new_code(), account_key(user)
        person = await self._people.person_of(user)
        offer = LinkOffer(person, self._clock() + CODE_SECONDS, account, plain_name(user))
        key = f"{LINK_OFFER_PREFIX}{code_digest(code)}"
        await self._documents.set(Document(key, encode(offer), (await self._documents.get(key)).version))
        await self._point(account, code_digest(code))
        return code

    async def may_try(self, user: User) -> bool:
        """Count one try to name a code, and tell whether it is one of five an hour: none can be guessed."""
        key = f"link-tries/{account_key(user)}"
        document = await self._documents.get(key)
        tries = decode(_Tries, document.body) if document.body else _Tries()
        now = self._clock()
        if now - tries.since > _TRIES_SECONDS:
            tries = _Tries(0, now)
        if tries.count >= _TRIES:
            return False
        try:
            await self._documents.set(replace(document, body=encode(replace(tries, count=tries.count + 1))))
        except DocumentConflict:
            return False
        return True

    async def open_with(self, user: User) -> LinkOffer | None:
        """Return the offer that this account made or typed last, if it still counts."""
        return (await self._open(user))[1]

    async def type(self, user: User, code: str) -> LinkOffer | None:
        """Note that this account has the code, and return the offer; None where the code is no good."""
        account, digest = account_key(user), code_digest(code)
        document, offer = await self._read(digest)
        if offer is None or offer.account not in ("", account) or not offer.by:
            return None
        source = await self._people.person_of(user)
        if source == await self._people.person_named(offer.by):
            return None
        if not offer.account:
            typed = replace(
                offer, account=account, account_name=plain_name(user), source=source, stage=LinkStage.TYPED
            )
            if not await self._write(document, typed):
                return None
            offer = typed
        await self._point(account, digest)
        return offer

    async def agree(self, user: User) -> LinkOffer | None:
        """Note that who typed the code wants it; None where there is nothing of this account to agree to."""
        return await self._step(user, LinkStage.TYPED, LinkStage.AGREED)

    async def show(self, user: User) -> LinkOffer | None:
        """Note that who offered the code is told who wants it; None where nobody does."""
        return await self._step(user, LinkStage.AGREED, LinkStage.SHOWN)

    async def link(self, user: User) -> LinkResult | None:
        """Make both one person, once who offered the code was told and wants it; None where it is no good.

        Called again after a crash it goes on where it was.
        """
        document, offer = await self._open(user)
        if offer is None or offer.by != account_key(user):
            return None
        if offer.stage is LinkStage.SHOWN:
            source, into = [await self._people.person_named(each) for each in (offer.account, offer.by)]
            if (source, into) != (offer.source, offer.person) or source == into:
                return None
            offer = replace(offer, stage=LinkStage.LINKED, named=await self._people.named_after(source))
            if not await self._write(document, offer):
                return None
        elif offer.stage is not LinkStage.LINKED:
            return None
        await self._people.join(offer.source, offer.person)
        return LinkResult(offer.source, offer.person, offer.named)

    async def drop(self, user: User) -> bool:
        """Let the offer of this account, made or typed, count no more; False where there was none."""
        document, offer = await self._open(user)
        await self._documents.delete(f"{OPEN_LINK_PREFIX}{account_key(user)}")
        if offer is None:
            return False
        await self._documents.delete(document.key)
        return True

    async def _step(self, user: User, before: LinkStage, after: LinkStage) -> LinkOffer | None:
        document, offer = await self._open(user)
        if offer is None:
            return None
        mine = offer.by if after is LinkStage.SHOWN else offer.account
        if mine != account_key(user) or offer.stage not in (before, after):
            return None
        stepped = replace(offer, stage=after)
        if offer.stage is before and not await self._write(document, stepped):
            return None
        return stepped

    async def _open(self, user: User) -> tuple[Document, LinkOffer | None]:
        pointer = await self._documents.get(f"{OPEN_LINK_PREFIX}{account_key(user)}")
        if not pointer.body:
            return pointer, None
        return await self._read(pointer.body)

    async def _read(self, digest: str) -> tuple[Document, LinkOffer | None]:
        document = await self._documents.get(f"{LINK_OFFER_PREFIX}{digest}")
        offer = decode(LinkOffer, document.body) if document.body else None
        return document, None if offer is None or offer.until < self._clock() else offer

    async def _write(self, document: Document, offer: LinkOffer) -> bool:
        """Keep a step, and give the next one its ten minutes; False where somebody was quicker."""
        body = encode(replace(offer, until=self._clock() + CODE_SECONDS))
        try:
            await self._documents.set(replace(document, body=body))
        except DocumentConflict:
            return False
        return True

    async def _point(self, account: str, digest: str) -> None:
        await update_document(self._documents, f"{OPEN_LINK_PREFIX}{account}", lambda _: (None, digest))
