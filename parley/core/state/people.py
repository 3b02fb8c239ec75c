"""Accounts linked into persons: whose memory a message belongs to.

Every account is a person of its own until somebody links it to another with a code that only both know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from parley.core.model.address import User, account_key
from parley.core.model.codec import decode, encode
from parley.core.ports.journal import Document, DocumentRepository, update_document
from parley.core.ports.subject_index import iter_about

LINK_OFFER_PREFIX, OPEN_LINK_PREFIX = "link/", "link-with/"
"""Where offers to link are kept, by the digest of their code, and which one an account has to do with."""

_ACCOUNTS = "account/"


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
    """Whose account it is; until that is settled, which person it left, and if it named that one."""

    person: str
    left: str = ""
    named: bool = False


@dataclass(frozen=True, slots=True)
class _Offer:
    """What concerns persons in an offer to link two accounts (`parley/core/state/account_links.py`)."""

    person: str
    account: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class UnlinkedAccount:
    """An account that left one person and is another now; `named`: the first one is named after it."""

    person: str
    own: str
    named: bool


class PersonRepository:
    """Reads and changes who is whom. Every method raises StoreUnavailable."""

    def __init__(self, documents: DocumentRepository, clock: Callable[[], float]) -> None:
        self._documents = documents
        self._clock = clock

    async def person_of(self, user: User) -> str:
        """Return the id of the person whose account this is: at first the account's own key."""
        return await _person_of(self._documents, account_key(user))

    async def accounts_of(self, person: str) -> tuple[str, ...]:
        """Return the keys of all accounts of a person, in the order in which they were linked."""
        return (await _record(self._documents, person)).accounts or (person,)

    async def language_of(self, user: User) -> str:
        """Return the language that this person chose, or "" where the platform's counts."""
        return await load_chosen_language(self._documents, user)

    async def set_language(self, user: User, language: str) -> None:
        """From now on this person is spoken to in `language`; "" goes back to the platform's."""
        await self._change(await self.person_of(user), lambda record: replace(record, language=language))

    async def person_named(self, account: str) -> str:
        """Return the person whose account this key names."""
        return await _person_of(self._documents, account)

    async def named_after(self, person: str) -> str:
        """Return the account after which a person is named: what nothing else is noted about is its own."""
        accounts = await self.accounts_of(person)
        return person if person in accounts else accounts[0]

    async def join(self, source: str, into: str) -> None:
        """Make all accounts of one person those of another. Called again after a crash it goes on."""
        moved = await self.accounts_of(source)
        await self._change(into, lambda record: replace(record, accounts=_joined(record, into, moved)))
        for account in moved:
            await self._move(account, into)
        await self._change(source, lambda record: replace(record, accounts=()))

    async def leave(self, user: User) -> UnlinkedAccount | None:
        """Make this account a person of its own again; None where it is alone already.

        The same again until `settle`, so that a crash in between loses nothing.
        """
        account = account_key(user)
        noted = await self._account(account)
        accounts = await self.accounts_of(noted.person)
        if len(accounts) > 1:
            person, named = noted.person, await self.named_after(noted.person) == account
            record = await self._change(person, lambda old: replace(old, founded=old.founded + 1))
            # The name of an account may be that of the person that it leaves behind.
            own = account if person != account else f"{account}~{record.founded}"
            noted = _Account(own, person, named)
            await self._write(account, noted)
        if not noted.left:
            return None
        await self._change(noted.left, lambda record: _without(record, account))
        return UnlinkedAccount(noted.left, noted.person, noted.named)

    async def settle(self, user: User) -> None:
        """Note that an account that left has what is its own."""
        account = account_key(user)
        await self._write(account, _Account((await self._account(account)).person))

    async def load_merged(self, name: str) -> tuple[str, tuple[str, ...]]:
        """Return the person of this name (an id, or an account's key) and the keys of all their accounts."""
        person = await _person_of(self._documents, name)
        linked = (await _record(self._documents, person)).accounts
        moved = [
            document.key.removeprefix(_ACCOUNTS)
            async for document in iter_about(self._documents, (person,), _ACCOUNTS)
            if decode(_Account, document.body).person == person
        ]
        return person, tuple(dict.fromkeys((*linked, *moved))) or (person,)

    async def list_documents(self, person: str, accounts: Sequence[str]) -> list[Document]:
        """Return all that is noted of a person: who they are, codes that they were given, and tries."""
        keys = [f"{kind}{account}" for account in accounts for kind in ("link-tries/", OPEN_LINK_PREFIX)]
        keys += [account_document_key(account) for account in accounts]
        keys += [person_document_key(each) for each in await self._own(person, accounts)]
        found = [document for key in keys if (document := await self._documents.get(key)).version]
        async for document in iter_about(self._documents, (person, *accounts), LINK_OFFER_PREFIX):
            offer = decode(_Offer, document.body)
            if person in (offer.person, offer.source) or offer.account in accounts:
                found.append(document)
        return found

    async def forget(self, person: str, accounts: Sequence[str]) -> int:
        """Remove all that; returns how many things it was. The accounts are persons of their own then."""
        noted = await self.list_documents(person, accounts)
        for document in noted:
            await self._documents.delete(document.key)
        return len(noted)

    async def _own(self, person: str, accounts: Sequence[str]) -> list[str]:
        """The persons of these names, but for those whom others go on being: an account that left a person
        may have given that one its name.
        """
        records = {name: await _record(self._documents, name) for name in dict.fromkeys((person, *accounts))}
        return [name for name, record in records.items() if set(record.accounts) <= set(accounts)]

    async def _account(self, account: str) -> _Account:
        document = await self._documents.get(account_document_key(account))
        return decode(_Account, document.body) if document.body else _Account(account)

    async def _move(self, account: str, person: str) -> None:
        await self._write(account, _Account(person))

    async def _write(self, account: str, noted: _Account) -> None:
        key = account_document_key(account)
        await update_document(self._documents, key, lambda _: (None, encode(noted)))

    async def _change(self, person: str, change: Callable[[PersonRecord], PersonRecord]) -> PersonRecord:
        def changed(document: Document) -> tuple[PersonRecord, str]:
            record = change(decode_person(document))
            return record, encode(record)

        return await update_document(self._documents, person_document_key(person), changed)


async def load_chosen_language(documents: DocumentRepository, user: User) -> str:
    """Return the language that the person behind an account chose, or "". Raises StoreUnavailable."""
    return (await _record(documents, await _person_of(documents, account_key(user)))).language


def account_document_key(account: str) -> str:
    """Return where it is kept whose account this is."""
    return f"{_ACCOUNTS}{account}"


def person_document_key(person: str) -> str:
    """Return where a person's record is kept."""
    return f"person/{person}"


def decode_person_id(document: Document, account: str) -> str:
    """Return the person that an account's document names: without one, the account is a person of its own."""
    return decode(_Account, document.body).person if document.body else account


def decode_person(document: Document) -> PersonRecord:
    """Return the record that a person's document holds."""
    return decode(PersonRecord, document.body) if document.body else PersonRecord()


async def _person_of(documents: DocumentRepository, account: str) -> str:
    return decode_person_id(await documents.get(account_document_key(account)), account)


async def _record(documents: DocumentRepository, person: str) -> PersonRecord:
    return decode_person(await documents.get(person_document_key(person)))


def _without(record: PersonRecord, account: str) -> PersonRecord:
    return replace(record, accounts=tuple(each for each in record.accounts if each != account))


def _joined(record: PersonRecord, person: str, moved: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*(record.accounts or (person,)), *moved)))
