"""What is done now and then: what is past its time goes. The store removes finished work by itself."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from parley.app.settings.schema.retention import RetentionSection
from parley.core.hitl import audit
from parley.core.model.errors import StoreUnavailable
from parley.core.model.options import ChannelOptions
from parley.core.ports.journal import DocumentRepository, log_store_failure
from parley.core.ports.memory.past_turns import NO_PAST_TURNS, PastTurns
from parley.core.privacy.heard import delete_old_heard
from parley.core.privacy.retention import (
    delete_settled_questions,
    redact_idle_conversations,
)
from parley.core.privacy.sent import delete_old_sent
from parley.core.state.feedback import delete_feedback_before
from parley.store.retention import DAY

log = logging.getLogger("parley.app")

_EVERY = 3_600.0


async def run_retention(
    documents: DocumentRepository,
    files: Path,
    read_retention: Callable[[], RetentionSection],
    clock: Callable[[], float],
    channels: Mapping[str, ChannelOptions],
    past_turns: PastTurns = NO_PAST_TURNS,
) -> None:
    """Remove what is past its time, every hour, until cancelled."""
    while True:
        try:
            await apply_retention(documents, files, read_retention(), clock(), channels, past_turns)
        except StoreUnavailable as error:
            log_store_failure(log.warning, "what is past its time stays for now: %s", error)
        except OSError as error:
            log_store_failure(log.warning, "old files stay for now: %s", error)
        await asyncio.sleep(_EVERY)


async def apply_retention(
    documents: DocumentRepository,
    files: Path,
    retention: RetentionSection,
    now: float,
    channels: Mapping[str, ChannelOptions],
    past_turns: PastTurns = NO_PAST_TURNS,
) -> None:
    """Remove once what is past its time at `now`. Raises StoreUnavailable, OSError."""
    await delete_old_heard(documents, channels, now)
    await delete_old_sent(documents, now)
    await past_turns.expire(now)
    while await audit.delete_before(documents, now - retention.audit_days * DAY):
        pass
    if retention.questions_days:
        await delete_settled_questions(documents, now - retention.questions_days * DAY)
        await delete_feedback_before(documents, now - retention.questions_days * DAY)
    if retention.conversations_days:
        await redact_idle_conversations(documents, now - retention.conversations_days * DAY)
    await asyncio.to_thread(_remove_folders, files, now - retention.files_days * DAY)


def _remove_folders(root: Path, until: float) -> None:
    """Remove the folders of turns whose files were all written before `until`."""
    for folder in root.iterdir() if root.is_dir() else ():
        if folder.is_dir() and _newest(folder) < until:
            shutil.rmtree(folder)


def _newest(folder: Path) -> float:
    """Return when anything in it changed last; what somebody else removes just now does not count."""
    times = [folder.stat().st_mtime]
    for path in folder.rglob("*"):
        try:
            times.append(path.stat().st_mtime)
        except FileNotFoundError:
            continue
    return max(times)
