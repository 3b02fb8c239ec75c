"""A person's messages, turns and what else went through the store's lanes; and the files of their turns."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from parley.core.inbound.turn_queue import BusySignal
from parley.core.model.codec import decode
from parley.core.model.queues import busy_signal_queue, command_queue, turn_queue
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import QueueItem
from parley.core.ports.store_admin import StoreAdmin, StoredItem
from parley.core.privacy.data_subject import DataSubject
from parley.core.state.conversations import ConversationRepository

_MESSAGES = (turn_queue(""), command_queue(""))


async def iter_items(archive: StoreAdmin, subject: DataSubject) -> AsyncIterator[tuple[StoredItem, ...]]:
    """Yield everything that they wrote or pressed, whatever became of it, a slice at a time."""
    lanes = (subject.person, *subject.accounts)
    after, more = 0, True
    while more:
        found = await archive.search(subject.words, lanes, after, subject.accounts)
        after, more = found.after, found.more
        if found.items:
            yield found.items


async def count_in_progress(archive: StoreAdmin, subject: DataSubject) -> int:
    """Return how many of their messages are being worked at this moment."""
    return sum([sum(kept.in_hand for kept in items) async for items in iter_items(archive, subject)])


def private_conversation(item: QueueItem) -> str:
    """Return the key of the private conversation that an item was written in, or ""."""
    message = _message(item)
    return message.conversation.key if message is not None and message.private else ""


def shared_conversation(item: QueueItem) -> str:
    """Return the key of the conversation with others that an item was written in, or ""."""
    message = _message(item)
    return message.conversation.key if message is not None and not message.private else ""


def item_folders(conversations: ConversationRepository, root: Path, item: QueueItem) -> tuple[Path, ...]:
    """Return where the files of an item's turn, or of its command, would be."""
    return (root / conversations.turn_id(item.id), root / f"memory-{item.id}")


async def remove_folders(folders: Sequence[Path]) -> int:
    """Remove folders with their files; returns how many files there were."""
    return await asyncio.to_thread(lambda: sum(map(_remove, folders)))


def list_files(folder: Path) -> list[Path]:
    """Return the files of a folder, or of none."""
    return sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []


def _remove(folder: Path) -> int:
    number = len(list_files(folder))
    if folder.is_dir():
        shutil.rmtree(folder, ignore_errors=False)
    return number


def _message(item: QueueItem) -> InboundMessage | None:
    try:
        if item.queue.startswith(_MESSAGES):
            return decode(InboundMessage, item.body)
        if item.queue.startswith(busy_signal_queue("")):
            return decode(BusySignal, item.body).message
    except ValueError:
        pass  # of another version: it is theirs all the same
    return None
