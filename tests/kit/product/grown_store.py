"""What must hold of a store that was multiplied: people who never were there are found as all others are."""

from __future__ import annotations

from benchmarks.kit.arrivals import SEEDED, person_name
from parley.core.model.codec import decode
from parley.core.model.queues import turn_queue
from parley.core.state.conversations import CONVERSATION_PREFIX, ConversationRecord
from parley.memory.storage.sql import SqlMemoryStore
from parley.store.interface import Store

COPIES = 3
CONVERSATIONS = COPIES * SEEDED


async def check_grown(store: Store) -> None:
    """Compare a person of the last copy with the one who was copied."""
    first, last = person_name(7), person_name(2 * SEEDED + 7)
    assert not await store.index_slice()
    items, copied = await _items_of(store, first), await _items_of(store, last)
    assert [each[1:] for each in items] == [each[1:] for each in copied]
    assert {queue for _, queue, *_ in copied} >= {turn_queue("null"), "memory"}
    assert not {id_ for id_, *_ in items} & {id_ for id_, *_ in copied}
    (talk,) = await store.documents_about([f"null:{last}"], CONVERSATION_PREFIX)
    assert talk.key == f"{CONVERSATION_PREFIX}null:{last}"
    assert decode(ConversationRecord, talk.body).owner == f"null:{last}"
    remembered = await SqlMemoryStore(store).load(f"null:{last}")
    assert "I am left-handed" in {fact.content for fact in remembered.document.facts}
    assert len(await store.list(CONVERSATION_PREFIX, 10 * CONVERSATIONS)) == CONVERSATIONS
    assert len(await store.dead(10)) == COPIES
    assert not await store.backlog()


async def _items_of(store: Store, person: str) -> list[tuple[int | str, ...]]:
    """What the index finds, with the id first, and the person's name left out."""
    found: list[tuple[int | str, ...]] = []
    after, more, name = 0, True, f"null:{person}"
    while more:
        page = await store.search((), (name,), after, (name,))
        for each in page.items:
            item = each.item
            texts = (item.queue, item.lane, item.body, item.note, each.fate.value)
            found.append((item.id, *(text.replace(person, "") for text in texts)))
        after, more = page.after, page.more
    return found
