"""Accounts and persons, also when the process dies between two writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.errors import StoreUnavailable
from bridge.journal import Document
from bridge.people import CODE_SECONDS, Linked, People
from bridge.types import User
from store.sqlite import SqliteStore

ANN, BOB, EVE = (User("chat", name) for name in ("ann", "bob", "eve"))


class Dying:
    """Documents of a process that dies at its `writes`-th write."""

    def __init__(self, store: SqliteStore, writes: int) -> None:
        self._store = store
        self._left = writes
        self.get, self.list, self.delete = store.get, store.list, store.delete

    async def set(self, document: Document) -> Document:
        if self._left == 0:
            raise StoreUnavailable("gone")
        self._left -= 1
        return await self._store.set(document)


async def test_a_code_is_good_for_ten_minutes(tmp_path: Path) -> None:
    now = [0.0]
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        people = People(store, lambda: now[0])
        code = await people.offer(ANN)
        now[0] = CODE_SECONDS + 1
        assert await people.accept(BOB, code) is None
        assert await people.person_of(BOB) == "chat:bob"


async def test_linking_goes_on_where_it_was_cut_off(tmp_path: Path) -> None:
    for writes in range(4):
        async with SqliteStore.open(tmp_path / f"{writes}.db") as store:
            people = People(store, lambda: 0.0)
            code = await people.offer(ANN)
            with pytest.raises(StoreUnavailable):
                await People(Dying(store, writes), lambda: 0.0).accept(BOB, code)
            assert await people.accept(EVE, code) is None or writes == 0
            if writes:
                assert await people.accept(BOB, code) == Linked("chat:bob", "chat:ann")
                assert await people.person_of(BOB) == "chat:ann"
                assert await people.accounts_of("chat:ann") == ("chat:ann", "chat:bob")


async def test_all_accounts_of_a_person_move_together(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        people = People(store, lambda: 0.0)
        await people.accept(EVE, await people.offer(BOB))
        await people.accept(BOB, await people.offer(ANN))
        assert {await people.person_of(user) for user in (ANN, BOB, EVE)} == {"chat:ann"}


async def test_who_leaves_its_own_name_behind_gets_a_new_one(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        people = People(store, lambda: 0.0)
        await people.accept(BOB, await people.offer(ANN))
        assert await people.leave(ANN)
        assert await people.person_of(BOB) == "chat:ann"
        assert await people.person_of(ANN) == "chat:ann~1"
        assert not await people.leave(BOB)
