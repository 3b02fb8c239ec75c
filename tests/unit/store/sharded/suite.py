"""What two databases promise together, whichever they are.

A test module offers the fixture `addresses`: of two databases that are there, or can be made.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from parley.core.hitl import audit
from parley.core.model.address import Conversation, account_key
from parley.core.model.types import OutboundMessage
from parley.core.ports.journal import NewQueueItem
from parley.core.privacy.service import PrivacyService
from parley.core.state.conversations import ConversationRepository
from parley.store.buckets import bucket_of
from tests.kit.doubles.core import Core, ScriptedAgent, core_on, default_options
from tests.kit.samples.person_history import ANN as ANNABEL
from tests.kit.samples.person_history import BOBS, FORUM, HOME, TEAM, TRACES, ThreadShelf, live_on, sources
from tests.kit.samples.questions import ANN, MAIL, asking, click, keys, with_buttons
from tests.kit.waiting import until
from tests.unit.store.sharded.crash_child import LEARNING, QUEUE, work
from tests.unit.store.sharded.databases import LEASE, is_handed_over, open_stores, prepare, read_rows
from tests.unit.store.sharded.placement import OF_CONVERSATIONS
from tests.unit.store.sharded.sharded_store import Moment, ShardedStore

CHATS = tuple(Conversation("test", f"chat-{number}") for number in range(8))
MESSAGES = 12
"""In each lane of the process that is killed."""


class ShardedPromises:
    async def test_a_parley_works_on_two_databases_as_on_one(
        self, addresses: Sequence[str], tmp_path: Path
    ) -> None:
        assert {_place(chat.key) for chat in CHATS} == {0, 1}
        await prepare(addresses)
        agent, options = ScriptedAgent(asking(MAIL)), default_options()
        async with (
            open_stores(addresses) as stores,
            ShardedStore.over(stores) as sharded,
            core_on(sharded, tmp_path, agent, with_buttons(), options) as parley,
        ):
            await _talk(parley)
            # The record of the runs that went on comes with the end of their turns, after what people saw.
            await until(lambda: _is_recorded(sharded), "all is in the audit record")
            await until(lambda: is_handed_over(sharded), "all is handed over")
        threads = {request.turn_id: request.thread for request in agent.requests}
        assert len(threads) == 4 * len(CHATS)
        assert len(set(threads.values())) == len(CHATS)
        await _assert_parted(addresses, turns=3 * len(CHATS))  # one that goes on is not counted again

        # After a start each conversation is where it was, and knows what it was told.
        later = ScriptedAgent(asking(MAIL))
        async with (
            open_stores(addresses) as stores,
            ShardedStore.over(stores) as sharded,
            core_on(sharded, tmp_path, later, with_buttons(), options) as parley,
        ):
            for chat in CHATS:
                again = await parley.say("said before", conversation=chat, id=f"first in {chat.key}")
                assert not again
                await parley.say("later", conversation=chat)
            await parley.channel.until_finals(len(CHATS))
        assert {request.thread for request in later.requests} == set(threads.values())
        assert len(later.requests) == len(CHATS)

    async def test_a_persons_erasure_finds_what_is_in_either(
        self, addresses: Sequence[str], tmp_path: Path
    ) -> None:
        assert {_place(chat.key) for chat in (HOME, TEAM, FORUM, BOBS)} == {0, 1}
        await prepare(addresses)
        async with open_stores(addresses) as stores, ShardedStore.over(stores) as sharded:
            shelf = ThreadShelf(await live_on(sharded, tmp_path))
        async with open_stores(addresses) as stores, ShardedStore.over(stores) as sharded:
            await until(lambda: is_handed_over(sharded), "all is handed over")
        before = [await _traces(address) for address in addresses]
        async with open_stores(addresses) as stores, ShardedStore.over(stores) as sharded:
            conversations = await ConversationRepository.open(sharded)
            service = PrivacyService(sources(sharded, tmp_path, conversations, threads=shelf))
            report = await service.erase(account_key(ANNABEL))
            await until(lambda: is_handed_over(sharded), "all is handed over")
        assert all(before)
        assert report.done
        assert [await _traces(address) for address in addresses] == [[], []]

    async def test_kill_9_around_a_hand_over_loses_nothing_and_doubles_nothing(
        self, addresses: Sequence[str]
    ) -> None:
        lanes = [chat.key for chat in CHATS]
        numbers = [str(number) for number in range(MESSAGES)]
        await prepare(addresses)
        async with open_stores(addresses, LEASE) as stores, ShardedStore.over(stores) as sharded:
            for lane in lanes:
                await sharded.put(*(NewQueueItem(QUEUE, lane, number) for number in numbers))
        for moment in (Moment.COMMITTED, Moment.HANDED_OVER):
            for times in (1, 3):
                await _kill_at(moment, times, addresses)
        async with open_stores(addresses) as stores, ShardedStore.over(stores) as sharded:
            working = asyncio.create_task(work(sharded))

            async def is_done() -> bool:
                left = [item for lane in lanes for item in await sharded.waiting(QUEUE, lane)]
                return not left and await is_handed_over(sharded)

            await until(is_done, "what was killed goes on")
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working
            for lane in lanes:
                learned = [item.body for item in await sharded.waiting(LEARNING, lane)]
                assert learned == numbers, lane  # each once, in the order in which they were said
                (count,) = await sharded.counted([f"account/{lane}"])
                assert count.turns == MESSAGES
                kept = await sharded.list(f"audit/{lane}/")
                assert {document.body for document in kept} == set(numbers)


async def _talk(parley: Core) -> None:
    """Two messages in each chat, and then one that makes its agent ask, and go on once it may."""
    for chat in CHATS:
        await parley.say("first", conversation=chat, id=f"first in {chat.key}")
    for chat in CHATS:
        await parley.say("second", conversation=chat)
    for chat in CHATS:
        await parley.say("ask for a mail", conversation=chat)
    await until(lambda: len(keys(parley)) == len(CHATS), "each question is shown")
    for final in [final for final in parley.channel.finals if final.question]:
        assert final.question is not None
        pressed = click(final.question.id, "approve")
        await parley.clicks.submit(replace(pressed, conversation=final.conversation))
    await until(lambda: len(_given(parley)) == len(CHATS), "each run goes on")
    assert {final.conversation for final in _given(parley)} == set(CHATS)
    assert len(parley.agent.requests) == 4 * len(CHATS)


async def _is_recorded(sharded: ShardedStore) -> bool:
    kinds = [entry.kind async for entry in audit.list_entries(sharded)]
    return sorted(kinds) == sorted(["asked", "decided", "ended"] * len(CHATS))


async def _assert_parted(addresses: Sequence[str], turns: int) -> None:
    """What is of a conversation is in the database of its bucket, and all else in the first."""
    counted = 0
    for place, address in enumerate(addresses):
        rows = await read_rows(address)
        for _, queue, lane, *_ in rows["items"]:
            kind = queue.partition("/")[0]
            if kind in OF_CONVERSATIONS:
                assert _place(lane) == place, lane
            else:
                assert place == 0 or kind == "outbox", queue
        documents = [key for key, *_ in rows["documents"]]
        conversations = [key.removeprefix("thread/") for key in documents if key.startswith("thread/")]
        assert set(conversations) == {chat.key for chat in CHATS if _place(chat.key) == place}
        assert place == 0 or len(conversations) == len(documents)
        counted += sum(row[2] for row in rows["tallies"] if f"/account/test:{ANN.id}/" in row[0])
        assert place == 0 or not rows["tallies"]
        named = {bucket % 2 for queue, _, _, bucket in rows["names"] if queue == QUEUE}
        assert named == {place}
    assert counted == turns


async def _kill_at(moment: str, times: int, addresses: Sequence[str]) -> None:
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "tests.unit.store.sharded.crash_child", moment, str(times), *addresses),
        stdout=asyncio.subprocess.PIPE,
    )
    assert child.stdout is not None
    said = await child.stdout.readline()
    child.kill()
    await child.wait()
    assert said == b"reached\n"


async def _traces(address: str) -> list[str]:
    """Rows that have anything of Annabel's."""
    rows = [f"{table}: {row}" for table, found in (await read_rows(address)).items() for row in found]
    return [row for row in rows if any(trace in row for trace in TRACES)]


def _given(parley: Core) -> list[OutboundMessage]:
    return [final for final in parley.channel.finals if final.text.startswith("given")]


def _place(key: str) -> int:
    return bucket_of(key) % 2
