"""Whom rows are about is found by an index that every write keeps."""

from __future__ import annotations

from dataclasses import replace

from parley.core.model.address import Conversation, User, account_key
from parley.core.model.codec import encode
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Document, NewQueueItem
from parley.core.state.conversations import ConversationRecord
from parley.store.interface import Store
from parley.store.retention import DAY
from tests.kit.store.nodes import Clock, bodies, finish_next

ANN, BOB = User("test", 'an"n:1', "Ann"), User("test", "bob", "Bob")


def said(user: User, chat: str) -> str:
    place = Conversation("test", chat, "a topic")
    return encode(InboundMessage("m", place, user, "hello", addressed=True, private=True, sent_at=1.0))


async def about(store: Store, user: User) -> list[str]:
    """The chats of their items."""
    word, chats = f'"id":{encode(user).partition(chr(34) + "id" + chr(34) + ":")[2].partition(",")[0]}', []
    after, more = 0, True
    while more:
        page = await store.search((word,), (), after, (account_key(user),))
        chats += [kept.item.lane for kept in page.items]
        after, more = page.after, page.more
    return chats


async def documents(store: Store, user: User) -> list[str]:
    return [each.key for each in await store.documents_about((account_key(user),), "thread/")]


class SubjectIndexPromises:
    async def test_items_are_found_by_whom_they_are_about(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", said(ANN, "c1")))
        await a.put(*(NewQueueItem("in", f"y{n}", said(BOB if n % 2 else ANN, "c2")) for n in range(6)))
        assert await about(a, ANN) == ["x", "y0", "y2", "y4"]
        assert await about(a, BOB) == ["y1", "y3", "y5"]
        assert await about(a, User("test", "nobody")) == []

    async def test_an_item_is_found_by_its_lane_whatever_its_body(self, a: Store) -> None:
        await a.put(
            NewQueueItem("in", "x", "nothing"), NewQueueItem("out", "x", ""), NewQueueItem("in", "y", "x")
        )
        page = await a.search((), ("x",), 0, ("test:nobody",))
        assert bodies(kept.item for kept in page.items) == ["nothing", ""]

    async def test_a_replaced_item_is_about_whom_it_names_now(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", said(ANN, "c1"), slot="s", delay=10))
        await a.put(NewQueueItem("in", "x", said(BOB, "c1"), slot="s", delay=10))
        assert await about(a, ANN) == []
        assert await about(a, BOB) == ["x"]

    async def test_what_is_removed_or_pruned_is_in_the_index_no_more(self, a: Store, clock: Clock) -> None:
        (first, _) = await a.put(
            NewQueueItem("in", "x", said(ANN, "1")), NewQueueItem("in", "y", said(ANN, "2"))
        )
        await a.remove([first or 0])
        assert await about(a, ANN) == ["y"]
        await finish_next(a)
        clock.advance(30 * DAY)
        await a.prune(clock.now)
        assert await about(a, ANN) == []

    async def test_documents_are_found_by_whom_they_are_about_now(self, a: Store) -> None:
        ann, bob = account_key(ANN), account_key(BOB)
        both = encode(ConversationRecord(voices=((ann,), (bob,)), said=("hello",)))
        first = await a.set(Document("thread/test:1", both, 0))
        await a.set(Document("thread/test:2", encode(ConversationRecord(owner=bob)), 0))
        await a.set(Document("other/test:3", both, 0))
        assert await documents(a, ANN) == ["thread/test:1"]
        assert await documents(a, BOB) == ["thread/test:1", "thread/test:2"]
        page = await a.documents_about((ann, bob), "thread/", 1, "thread/test:1")
        assert [each.key for each in page] == ["thread/test:2"]
        await a.set(replace(first, body=encode(ConversationRecord(owner=ann))))
        await a.delete("thread/test:2")
        assert await documents(a, ANN) == ["thread/test:1"]
        assert await documents(a, BOB) == []

    async def test_documents_of_a_finished_item_are_in_the_index(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", said(ANN, "c1")))
        (claim,) = await a.claim("in", 1)
        record = Document("thread/test:1", encode(ConversationRecord(owner=account_key(ANN))), 0)
        await a.done(claim, claim.items, puts=[NewQueueItem("out", "z", said(ANN, "c1"))], documents=[record])
        assert await about(a, ANN) == ["x", "z"]
        assert await documents(a, ANN) == ["thread/test:1"]
        assert not await a.index_slice()
