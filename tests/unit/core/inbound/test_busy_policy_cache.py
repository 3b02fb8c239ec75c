"""Nobody is looked up until somebody chooses; from then on all are, on every node and after a restart."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from parley.core.inbound.busy_policy_cache import BusyPolicyCache
from parley.core.model.address import Conversation
from parley.core.model.errors import StoreUnavailable
from parley.core.model.options import BusyPolicy, ChannelOptions
from parley.core.model.types import SessionSettings
from parley.core.ports.journal import Document
from parley.core.ports.pubsub import Subscriber
from parley.core.state.conversations import ConversationRepository
from parley.store.sqlite import SqliteStore

CHAT = Conversation("test", "chat")
OPTIONS = ChannelOptions(SessionSettings("agent"), allowed_users=frozenset({"*"}))


class Documents:
    """A store's documents, and which of them were read."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.read: list[str] = []

    async def get(self, key: str) -> Document:
        self.read.append(key)
        return await self.store.get(key)

    async def get_all(self, *keys: str) -> tuple[Document, ...]:
        return await self.store.get_all(*keys)

    async def set(self, document: Document) -> Document:
        return await self.store.set(document)

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> tuple[Document, ...]:
        return tuple(await self.store.list(prefix, limit, after))

    async def delete(self, key: str) -> None:
        await self.store.delete(key)


class Away(Documents):
    """Out of reach until it is back."""

    def __init__(self, documents: Documents) -> None:
        super().__init__(documents.store)
        self.back = False

    async def get(self, key: str) -> Document:
        if not self.back:
            raise StoreUnavailable("away")
        return await super().get(key)


class Wire:
    """News between nodes of one process."""

    shared = True
    deaf = False

    def __init__(self) -> None:
        self.followers: list[Subscriber] = []

    async def publish(self, topic: str, text: str) -> None:
        for follower in self.followers:
            follower.on_message(text)

    def subscribe(self, topic: str, follower: Subscriber) -> None:
        self.followers.append(follower)


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Documents]:
    async with SqliteStore.open(folder / "parley.db") as store:
        yield Documents(store)


async def choose(documents: Documents, chosen: BusyPolicy) -> None:
    conversations = await ConversationRepository.open(documents)
    await conversations.change(CHAT, lambda record: replace(record, when_busy=chosen))


async def test_until_somebody_chooses_nothing_is_read(tmp_path: Path):
    async with opened(tmp_path) as documents:
        choices = BusyPolicyCache(documents)
        assert await choices.get(OPTIONS, CHAT) is BusyPolicy.QUEUE
        documents.read.clear()
        assert await choices.get(OPTIONS, CHAT) is BusyPolicy.QUEUE
        assert not documents.read
        await choices.enable()
        await choose(documents, BusyPolicy.REJECT)
        assert await choices.get(OPTIONS, CHAT) is BusyPolicy.REJECT
        assert await choices.get(OPTIONS, Conversation("test", "other")) is BusyPolicy.QUEUE


async def test_a_choice_is_known_to_other_nodes_and_after_a_restart(tmp_path: Path):
    wire = Wire()
    async with opened(tmp_path) as documents:
        here, there = [BusyPolicyCache(documents, wire) for _ in range(2)]
        assert await there.get(OPTIONS, CHAT) is BusyPolicy.QUEUE
        await here.enable()
        await choose(documents, BusyPolicy.MERGE)
        assert await there.get(OPTIONS, CHAT) is BusyPolicy.MERGE
    async with opened(tmp_path) as documents:
        assert await BusyPolicyCache(documents).get(OPTIONS, CHAT) is BusyPolicy.MERGE


async def test_a_node_that_may_have_missed_it_finds_out_again(tmp_path: Path):
    async with opened(tmp_path) as documents:
        here, there = BusyPolicyCache(documents), BusyPolicyCache(documents)
        assert await there.get(OPTIONS, CHAT) is BusyPolicy.QUEUE
        await here.enable()
        await choose(documents, BusyPolicy.MERGE)
        there.on_gap()
        assert await there.get(OPTIONS, CHAT) is BusyPolicy.MERGE


async def test_after_a_false_alarm_nothing_is_read_again(tmp_path: Path):
    async with opened(tmp_path) as documents:
        choices = BusyPolicyCache(documents)
        choices.on_gap()
        await choices.get(OPTIONS, CHAT)
        documents.read.clear()
        assert await choices.get(OPTIONS, CHAT) is BusyPolicy.QUEUE
        assert not documents.read


async def test_what_was_chosen_before_this_was_noted_is_found(tmp_path: Path):
    async with opened(tmp_path) as documents:
        await choose(documents, BusyPolicy.INTERRUPT)
        assert await BusyPolicyCache(documents).get(OPTIONS, CHAT) is BusyPolicy.INTERRUPT


async def test_two_who_choose_at_once_both_have_it_noted(tmp_path: Path):
    async with opened(tmp_path) as documents:
        first, second = BusyPolicyCache(documents), BusyPolicyCache(documents)
        await asyncio.gather(first.enable(), second.enable())
        await choose(documents, BusyPolicy.MERGE)
        assert await BusyPolicyCache(documents).get(OPTIONS, CHAT) is BusyPolicy.MERGE


async def test_many_who_ask_at_once_look_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as documents:
        choices = BusyPolicyCache(documents)
        ways = await asyncio.gather(*(choices.get(OPTIONS, CHAT) for _ in range(1000)))
        assert set(ways) == {BusyPolicy.QUEUE}
        assert len(documents.read) == 2


async def test_a_failed_look_is_told_to_all_and_made_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as documents:
        away = Away(documents)
        choices = BusyPolicyCache(away)
        failed = await asyncio.gather(*(choices.get(OPTIONS, CHAT) for _ in range(9)), return_exceptions=True)
        assert [type(each) for each in failed] == [StoreUnavailable] * 9
        away.back = True
        assert await choices.get(OPTIONS, CHAT) is BusyPolicy.QUEUE


async def test_who_goes_away_takes_the_look_from_nobody(tmp_path: Path) -> None:
    async with opened(tmp_path) as documents:
        choices = BusyPolicyCache(documents)
        first, second = (asyncio.create_task(choices.get(OPTIONS, CHAT)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        assert await second is BusyPolicy.QUEUE
