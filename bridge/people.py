"""Accounts linked into persons: whose memory a message belongs to.

Every account is a person of its own until somebody links it to another with a code that only both know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bridge.codec import decode, encode
from bridge.codes import CODE_SECONDS as CODE_SECONDS
from bridge.codes import digest_of, new_code
from bridge.errors import DocumentConflict
from bridge.journal import Document, Documents, every
from bridge.types import Conversation, User

_ACCOUNTS, _OFFERS = "account/", "link/"
_TRIES = 5
_TRIES_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class PersonRecord:
    """The accounts that are one person; `founded` counts the persons that left it.

    `language` is the one that they chose, or empty.
    """

    accounts: tuple[str, ...] = ()
    founded: int = 0
    language: str = ""


@dataclass(frozen=True, slots=True)
class _Account:
    person: str


@dataclass(frozen=True, slots=True)
class _Offer:
    """A code's other half: whom it leads to, and, once it is used, by which account and person."""

    person: str
    until: float
    account: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class _Tries:
    count: int = 0
    since: float = 0.0


@dataclass(frozen=True, slots=True)
class Linked:
    """A link that was made: the person that joined, and the one it joined."""

    source: str
    into: str


class People:
    """Reads and changes who is whom. Every method raises StoreUnavailable."""

    def __init__(self, documents: Documents, clock: Callable[[], float]) -> None:
        self._documents = documents
        self._clock = clock

    async def person_of(self, user: User) -> str:
        """The id of the person whose account this is: at first the account's own key."""
        return await _person_of(self._documents, account_key(user))

    async def accounts_of(self, person: str) -> tuple[str, ...]:
        """The keys of all accounts of a person, in the order in which they were linked."""
        return (await _record(self._documents, person)).accounts or (person,)

    async def language_of(self, user: User) -> str:
        """The language that this person chose, or "" where the platform's counts."""
        return await chosen_language(self._documents, user)

    async def speak(self, user: User, language: str) -> None:
        """From now on this person is spoken to in `language`; "" goes back to the platform's."""
        await self._change(await self.person_of(user), lambda record: replace(record, language=language))

    async def offer(self, user: User) -> str:
        """A new code that links another account to this person: once, and for ten minutes."""
        code = new_code()
        offer = _Offer(await self.person_of(user), self._clock() + CODE_SECONDS)
        key = _offer_key(code)
        await self._documents.set(Document(key, encode(offer), (await self._documents.get(key)).version))
        return code

    async def may_try(self, user: User) -> bool:
        """Whether this account may name a code now; counts it: five an hour, so that none can be guessed."""
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

    async def accept(self, user: User, code: str) -> Linked | None:
        """Join the person who offered `code`, with all accounts of this one; None where it is no good.

        Called again after a crash it goes on where it was.
        """
        offer = await self._take(user, code)
        if offer is None:
            return None
        moved = await self.accounts_of(offer.source)
        await self._change(
            offer.person, lambda record: replace(record, accounts=_joined(record, offer.person, moved))
        )
        for account in moved:
            await self._move(account, offer.person)
        await self._change(offer.source, lambda record: replace(record, accounts=()))
        return Linked(offer.source, offer.person)

    async def _take(self, user: User, code: str) -> _Offer | None:
        """The offer, used by this account now or before a crash."""
        account = account_key(user)
        document = await self._documents.get(_offer_key(code))
        if not document.body:
            return None
        offer = decode(_Offer, document.body)
        if offer.until < self._clock() or offer.account not in ("", account):
            return None
        if not offer.account:
            source = await self.person_of(user)
            if source == offer.person:
                return None
            offer = replace(offer, account=account, source=source)
            try:
                await self._documents.set(replace(document, body=encode(offer)))
            except DocumentConflict:
                return None
        return offer

    async def leave(self, user: User) -> bool:
        """Make this account a person of its own again; False where it is alone already."""
        account = account_key(user)
        person = await self.person_of(user)
        accounts = await self.accounts_of(person)
        if len(accounts) < 2:
            return False
        left = await self._change(
            person,
            lambda record: replace(
                record,
                accounts=tuple(each for each in accounts if each != account),
                founded=record.founded + 1,
            ),
        )
        # The name of an account may be that of the person that it leaves behind.
        await self._move(account, account if person != account else f"{account}~{left.founded}")
        return True

    async def whole(self, name: str) -> tuple[str, tuple[str, ...]]:
        """The person of this name, a person's id or an account's key, and the keys of all their accounts."""
        person = await _person_of(self._documents, name)
        linked = (await _record(self._documents, person)).accounts
        moved = [
            document.key.removeprefix(_ACCOUNTS)
            async for document in every(self._documents, _ACCOUNTS)
            if decode(_Account, document.body).person == person
        ]
        return person, tuple(dict.fromkeys((*linked, *moved))) or (person,)

    async def noted(self, person: str, accounts: Sequence[str]) -> list[Document]:
        """All that is noted of a person: who they are, codes that they were given, and tries."""
        keys = [*(f"link-tries/{account}" for account in accounts)]
        keys += [account_document(account) for account in accounts]
        keys += [person_document(each) for each in await self._own(person, accounts)]
        found = [document for key in keys if (document := await self._documents.get(key)).version]
        async for document in every(self._documents, _OFFERS):
            offer = decode(_Offer, document.body)
            if person in (offer.person, offer.source) or offer.account in accounts:
                found.append(document)
        return found

    async def forget(self, person: str, accounts: Sequence[str]) -> int:
        """Remove all that; returns how many things it was. The accounts are persons of their own then."""
        noted = await self.noted(person, accounts)
        for document in noted:
            await self._documents.delete(document.key)
        return len(noted)

    async def _own(self, person: str, accounts: Sequence[str]) -> list[str]:
        """The persons of these names, but for those whom others go on being: an account that left a person
        may have given that one its name.
        """
        records = {name: await _record(self._documents, name) for name in dict.fromkeys((person, *accounts))}
        return [name for name, record in records.items() if set(record.accounts) <= set(accounts)]

    async def _move(self, account: str, person: str) -> None:
        while True:
            document = await self._documents.get(account_document(account))
            try:
                await self._documents.set(replace(document, body=encode(_Account(person))))
            except DocumentConflict:
                continue
            return

    async def _change(self, person: str, change: Callable[[PersonRecord], PersonRecord]) -> PersonRecord:
        while True:
            document = await self._documents.get(person_document(person))
            record = change(person_record_in(document))
            try:
                await self._documents.set(replace(document, body=encode(record)))
            except DocumentConflict:
                continue
            return record


def account_key(user: User) -> str:
    """An account's name among all: `channel:id`, escaped as in a conversation's key."""
    return Conversation(user.channel, user.id).key


async def chosen_language(documents: Documents, user: User) -> str:
    """The language that the person behind an account chose, or "". Raises StoreUnavailable."""
    return (await _record(documents, await _person_of(documents, account_key(user)))).language


def account_document(account: str) -> str:
    """Where it is kept whose account this is."""
    return f"{_ACCOUNTS}{account}"


def person_document(person: str) -> str:
    """Where a person's record is kept."""
    return f"person/{person}"


def person_in(document: Document, account: str) -> str:
    """The person that an account's document names: without one, the account is a person of its own."""
    return decode(_Account, document.body).person if document.body else account


def person_record_in(document: Document) -> PersonRecord:
    """The record that a person's document holds."""
    return decode(PersonRecord, document.body) if document.body else PersonRecord()


async def _person_of(documents: Documents, account: str) -> str:
    return person_in(await documents.get(account_document(account)), account)


async def _record(documents: Documents, person: str) -> PersonRecord:
    return person_record_in(await documents.get(person_document(person)))


def _joined(record: PersonRecord, person: str, moved: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*(record.accounts or (person,)), *moved)))


def _offer_key(code: str) -> str:
    return f"{_OFFERS}{digest_of(code)}"
