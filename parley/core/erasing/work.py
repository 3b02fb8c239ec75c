"""A person's messages, turns and what else went through the store's lanes; and the files of their turns."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from parley.core.busy import Knock
from parley.core.codec import decode
from parley.core.conversations import Conversations
from parley.core.erasing.archive import Archive, Kept
from parley.core.erasing.subject import Subject
from parley.core.journal import Item
from parley.core.queues import commands_of, knocks_of, turns_of
from parley.core.types import InboundMessage

_MESSAGES = (turns_of(""), commands_of(""))


async def work_of(archive: Archive, subject: Subject) -> AsyncIterator[tuple[Kept, ...]]:
    """Everything that they wrote or pressed, whatever became of it, a slice at a time."""
    after, more = 0, True
    while more:
        found = await archive.search(subject.words, (subject.person, *subject.accounts), after)
        after, more = found.after, found.more
        if found.items:
            yield found.items


async def in_hand(archive: Archive, subject: Subject) -> int:
    """How many of their messages are being worked at this moment."""
    return sum([sum(kept.in_hand for kept in items) async for items in work_of(archive, subject)])


def private_conversation(item: Item) -> str:
    """The key of the private conversation that an item was written in, or ""."""
    message = _message(item)
    return message.conversation.key if message is not None and message.private else ""


def shared_conversation(item: Item) -> str:
    """The key of the conversation with others that an item was written in, or ""."""
    message = _message(item)
    return message.conversation.key if message is not None and not message.private else ""


def folders_of(conversations: Conversations, root: Path, item: Item) -> tuple[Path, ...]:
    """Where the files of an item's turn, or of its command, would be."""
    return (root / conversations.turn_id(item.id), root / f"memory-{item.id}")


async def remove_folders(folders: Sequence[Path]) -> int:
    """Remove folders with their files; returns how many files there were."""
    return await asyncio.to_thread(lambda: sum(map(_remove, folders)))


def files_in(folder: Path) -> list[Path]:
    """The files of a folder, or of none."""
    return sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []


def _remove(folder: Path) -> int:
    number = len(files_in(folder))
    if folder.is_dir():
        shutil.rmtree(folder, ignore_errors=False)
    return number


def _message(item: Item) -> InboundMessage | None:
    try:
        if item.queue.startswith(_MESSAGES):
            return decode(InboundMessage, item.body)
        if item.queue.startswith(knocks_of("")):
            return decode(Knock, item.body).message
    except ValueError:
        pass  # of another version: it is theirs all the same
    return None
