"""What people said of answers is found by its time, by an index that every write keeps."""

from __future__ import annotations

from dataclasses import replace

from parley.core.model.codec import encode
from parley.core.model.feedback import Feedback, FeedbackChoice
from parley.core.ports.feedback import NEWEST_FEEDBACK
from parley.core.ports.journal import Document, NewQueueItem
from parley.core.state.feedback import (
    PROMPT_PREFIX,
    delete_feedback_before,
    feedback_key,
    feedback_prefix,
    list_feedback,
)
from parley.store.interface import Store
from tests.kit.store.nodes import claim_one

DAMAGED = (
    *("", "no JSON", "[1]", '"at"', "{}"),
    *('{"at":"soon"}', '{"at":null}', '{"at":15}', '{"at":1e999}', '{"at":{"at":1}}'),
)


def rating(who: str, at: float, turn: str = "t") -> Feedback:
    return Feedback(f"test:{who}", turn, "test:chat", FeedbackChoice.UP, at)


def rating_document(said: Feedback) -> Document:
    return Document(feedback_key(said.account, said.turn), encode(said), 0)


async def rate(store: Store, said: Feedback) -> Document:
    return await store.set(rating_document(said))


async def whose(store: Store, since: float = 0.0, most: int = 0) -> list[str]:
    return [said.account.removeprefix("test:") for said in await list_feedback(store, since, most)]


class FeedbackIndexPromises:
    async def test_feedback_is_listed_from_the_newest_on(self, a: Store, b: Store) -> None:
        for who, at in (("ann", 20.5), ("bob", 30), ("cid", 10.25)):
            await rate(a, rating(who, at))
        assert await whose(b) == ["bob", "ann", "cid"]
        assert await whose(b, most=2) == ["bob", "ann"]
        assert await whose(b, since=20.5) == ["bob", "ann"]
        assert await whose(b, since=20.75, most=5) == ["bob"]
        assert await whose(b, since=31) == []

    async def test_a_page_goes_on_where_the_last_one_ended(self, a: Store) -> None:
        at = {"ann": 10.0, "bob": 20.0, "cid": 20.0, "dan": 20.0, "eve": 30.0}
        for who, when in at.items():
            await rate(a, rating(who, when))
        found: list[tuple[float, Document]] = []
        before = NEWEST_FEEDBACK
        while page := await a.feedback_before(before, 0.0, 2):
            assert len(page) <= 2
            found += page
            before = (page[-1][0], page[-1][1].key)
        assert [document.key for _, document in found] == [
            feedback_key(f"test:{who}", "t") for who in ("eve", "dan", "cid", "bob", "ann")
        ]
        assert [when for when, _ in found] == [30.0, 20.0, 20.0, 20.0, 10.0]
        assert await whose(a) == ["eve", "dan", "cid", "bob", "ann"]

    async def test_who_thinks_again_comes_first(self, a: Store) -> None:
        first = await rate(a, rating("ann", 10))
        await rate(a, rating("bob", 20))
        again = await a.set(replace(first, body=encode(rating("ann", 30))))
        assert await whose(a) == ["ann", "bob"]
        await a.set(replace(again, body=encode(replace(rating("ann", 30), comment="the same time"))))
        assert await whose(a) == ["ann", "bob"]
        assert await whose(a, since=15) == ["ann", "bob"]

    async def test_feedback_of_a_finished_item_is_listed(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "a press"))
        claim = await claim_one(a)
        await a.done(claim, claim.items, documents=[rating_document(rating("ann", 10))])
        assert await whose(a) == ["ann"]

    async def test_what_is_deleted_is_listed_no_more_and_may_come_back(self, a: Store) -> None:
        kept = await rate(a, rating("ann", 10))
        await rate(a, rating("ann", 20, turn="u"))
        await a.delete(kept.key)
        assert [said.turn for said in await list_feedback(a)] == ["u"]
        await rate(a, rating("ann", 10))
        assert [said.turn for said in await list_feedback(a)] == ["u", "t"]

    async def test_only_feedback_is_listed(self, a: Store) -> None:
        """Also of what a key begins alike."""
        for key in (f"{PROMPT_PREFIX}test:1", "feedback0", "feedback", "feedbacks/test:ann/t"):
            await a.set(Document(key, encode(rating("bob", 10)), 0))
        assert await whose(a) == []

    async def test_what_is_damaged_hides_nothing(self, a: Store) -> None:
        for number, body in enumerate(DAMAGED):
            await a.set(Document(f"{feedback_prefix('test:bad')}{number}", body, 0))
        await rate(a, rating("ann", 10))
        await rate(a, rating("bob", 20))
        assert await whose(a, most=2) == ["bob", "ann"]
        for document in await a.list(feedback_prefix("test:bad")):
            await a.set(replace(document, body=encode(rating("bad", 30, document.key.rpartition("/")[2]))))
            await a.delete(document.key)
        assert await whose(a) == ["bob", "ann"]

    async def test_what_is_past_its_time_goes_and_nothing_else(self, a: Store) -> None:
        for number in range(7):
            await rate(a, rating("ann", number, turn=f"t{number}"))
        assert await delete_feedback_before(a, 4) == 4
        assert [said.turn for said in await list_feedback(a)] == ["t6", "t5", "t4"]
        assert await delete_feedback_before(a, 4) == 0
