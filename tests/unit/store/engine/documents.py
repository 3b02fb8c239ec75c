"""Documents: compare and swap, alone and as part of finishing."""

from __future__ import annotations

import asyncio

import pytest

from parley.core.model.errors import DocumentConflict
from parley.core.ports.journal import Document, NewQueueItem
from parley.store.interface import Store
from tests.kit.store.nodes import bodies, claim_one


class DocumentPromises:
    async def test_an_absent_document_is_empty_and_of_version_0(self, a: Store) -> None:
        assert await a.get("k") == Document("k", "", 0)

    async def test_what_was_set_is_got_with_its_new_version(self, a: Store, b: Store) -> None:
        written = await a.set(Document("k", "one", 0))
        assert written.version > 0
        assert await b.get("k") == written
        again = await b.set(Document("k", "two", written.version))
        assert again.version > written.version
        assert await a.get("k") == again

    async def test_several_documents_are_got_in_the_order_of_their_keys(self, a: Store) -> None:
        one, two = [await a.set(Document(key, key.upper(), 0)) for key in ("k%", 'l"]')]
        found = await a.get_all(('l"]', "absent", "k%", 'l"]'))
        assert found == (two, Document("absent", "", 0), one, two)
        assert await a.get_all(()) == ()

    async def test_a_stale_writer_is_refused(self, a: Store, b: Store) -> None:
        written = await a.set(Document("k", "one", 0))
        await b.set(Document("k", "two", written.version))
        for stale in (written, Document("k", "new", 0), Document("absent", "x", 3)):
            with pytest.raises(DocumentConflict):
                await a.set(stale)
        assert (await a.get("k")).body == "two"

    async def test_of_many_who_create_one_wins(self, a: Store, b: Store) -> None:
        writes = [store.set(Document("k", str(n), 0)) for n in range(10) for store in (a, b)]
        results = await asyncio.gather(*writes, return_exceptions=True)
        winners = [result for result in results if isinstance(result, Document)]
        assert winners == [await a.get("k")]
        assert sum(isinstance(result, DocumentConflict) for result in results) == 19

    async def test_a_deleted_document_is_absent_and_its_versions_do_not_return(self, a: Store) -> None:
        written = await a.set(Document("k", "one", 0))
        await a.delete("k")
        await a.delete("k")
        assert await a.get("k") == Document("k", "", 0)
        assert (await a.set(Document("k", "two", 0))).version > written.version

    async def test_a_list_is_in_key_order_by_prefix(self, a: Store) -> None:
        keys = ["t:b", "t:a", "t:", "s:z", "u:a", "t:ü", "t:🦜", "T:a", "t%a", "t_a"]
        for key in keys:
            await a.set(Document(key, key, 0))
        expected = sorted(key for key in keys if key.startswith("t:"))
        assert [found.key for found in await a.list("t:")] == expected
        assert len(await a.list("")) == len(keys)

    async def test_a_list_is_paged(self, a: Store) -> None:
        for n in range(5):
            await a.set(Document(f"t:{n}", "", 0))
        first = await a.list("t:", limit=3)
        rest = await a.list("t:", limit=3, after=first[-1].key)
        assert [found.key for found in (*first, *rest)] == [f"t:{n}" for n in range(5)]

    async def test_done_writes_documents_with_the_rest(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        await a.done(claim, claim.items, documents=[Document("k", "one", 0), Document("l", "two", 0)])
        assert [(await a.get(key)).body for key in ("k", "l")] == ["one", "two"]

    async def test_a_conflict_undoes_all_of_done_and_keeps_the_claim(self, a: Store) -> None:
        await a.set(Document("taken", "theirs", 0))
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        with pytest.raises(DocumentConflict):
            await a.done(
                claim,
                claim.items,
                puts=[NewQueueItem("out", "x", "reply", dedupe="r1")],
                documents=[Document("mine", "1", 0), Document("taken", "ours", 0)],
            )
        assert await a.waiting("out", "x") == ()
        assert (await a.get("mine")).version == 0
        assert await a.claim("in", 1) == ()
        await a.done(claim, claim.items, puts=[NewQueueItem("out", "x", "reply", dedupe="r1")])
        assert bodies(await a.waiting("out", "x")) == ["reply"]

    async def test_a_failed_operation_leaves_its_neighbours_alone(self, a: Store) -> None:
        taken = await a.set(Document("taken", "theirs", 0))
        results = await asyncio.gather(
            *(a.put(NewQueueItem("in", str(n), "")) for n in range(5)),
            a.set(Document("taken", "ours", taken.version + 7)),
            *(a.put(NewQueueItem("in", str(n), "")) for n in range(5)),
            return_exceptions=True,
        )
        assert [type(result) for result in results].count(DocumentConflict) == 1
        assert len(await a.claim("in", 10)) == 5
