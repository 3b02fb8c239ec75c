"""Accounts and persons, also when the process dies between two writes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from parley.core.model.address import User
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import Document, DocumentRepository
from parley.core.state.account_links import AccountLinks, LinkResult
from parley.core.state.one_time_codes import CODE_SECONDS
from parley.core.state.people import PersonRepository, UnlinkedAccount
from parley.store.sqlite import SqliteStore

ANN, BOB, EVE = (User("chat", name) for name in ("ann", "bob", "eve"))


class Dying:
    """Documents of a process that dies at its `writes`-th write."""

    def __init__(self, store: SqliteStore, writes: int) -> None:
        self._store = store
        self._left = writes
        self.get, self.list = store.get, store.list

    async def set(self, document: Document) -> Document:
        self._write()
        return await self._store.set(document)

    async def delete(self, key: str) -> None:
        self._write()
        await self._store.delete(key)

    def _write(self) -> None:
        if self._left == 0:
            raise StoreUnavailable("gone")
        self._left -= 1


def on(documents: DocumentRepository, now: float = 0.0) -> tuple[PersonRepository, AccountLinks]:
    people = PersonRepository(documents, lambda: now)
    return people, AccountLinks(people, documents, lambda: now)


async def agreed(store: SqliteStore, offering: User, typing: User) -> AccountLinks:
    """Links of two who agreed, but for the last word."""
    _, links = on(store)
    await links.type(typing, await links.offer(offering))
    await links.agree(typing)
    await links.show(offering)
    return links


async def link(store: SqliteStore, offering: User, typing: User) -> LinkResult | None:
    return await (await agreed(store, offering, typing)).link(offering)


async def survives(
    store: SqliteStore, step: Callable[[PersonRepository, AccountLinks], Awaitable[object]]
) -> object:
    """What a step gives whose process dies at each of its writes in turn, until one gets through."""
    for writes in range(20):
        try:
            return await step(*on(Dying(store, writes)))
        except StoreUnavailable:
            continue
    raise AssertionError("it never gets through")


async def test_a_code_is_good_for_ten_minutes(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        code = await on(store)[1].offer(ANN)
        people, links = on(store, CODE_SECONDS + 1)
        assert await links.type(BOB, code) is None
        assert await people.person_of(BOB) == "chat:bob"


async def test_every_step_has_ten_minutes(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        await agreed(store, ANN, BOB)
        assert await on(store, CODE_SECONDS + 1)[1].link(ANN) is None


async def test_linking_goes_on_where_it_was_cut_off(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        await agreed(store, ANN, BOB)
        made = await survives(store, lambda people, links: links.link(ANN))
        assert made == LinkResult("chat:bob", "chat:ann", "chat:bob")
        people, _ = on(store)
        assert await people.person_of(BOB) == "chat:ann"
        assert await people.accounts_of("chat:ann") == ("chat:ann", "chat:bob")


async def test_leaving_goes_on_where_it_was_cut_off(tmp_path: Path) -> None:
    for user in (ANN, BOB):
        async with SqliteStore.open(tmp_path / f"{user.id}.db") as store:
            await link(store, ANN, BOB)

            async def leave(
                people: PersonRepository, links: AccountLinks, user: User = user
            ) -> UnlinkedAccount | None:
                left = await people.leave(user)
                await people.settle(user)
                return left

            left = await survives(store, leave)
            assert isinstance(left, UnlinkedAccount)
            assert (left.person, left.named) == ("chat:ann", user is ANN)
            people, _ = on(store)
            assert await people.person_of(user) == left.own != "chat:ann"
            assert len(await people.accounts_of("chat:ann")) == 1
            assert await people.leave(user) is None


async def test_all_accounts_of_a_person_move_together(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        await link(store, BOB, EVE)
        await link(store, ANN, BOB)
        people, _ = on(store)
        assert {await people.person_of(user) for user in (ANN, BOB, EVE)} == {"chat:ann"}


async def test_who_was_linked_elsewhere_meanwhile_is_not_taken_along(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        links = await agreed(store, ANN, BOB)
        people, _ = on(store)
        await people.join("chat:bob", "chat:eve")
        assert await links.link(ANN) is None
        assert await people.person_of(BOB) == "chat:eve"


async def test_who_leaves_its_own_name_behind_gets_a_new_one(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        await link(store, ANN, BOB)
        people, _ = on(store)
        assert await people.leave(ANN) == UnlinkedAccount("chat:ann", "chat:ann~1", named=True)
        await people.settle(ANN)
        assert await people.person_of(BOB) == "chat:ann"
        assert await people.person_of(ANN) == "chat:ann~1"
        assert await people.leave(BOB) is None
