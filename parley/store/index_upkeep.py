"""The index of whom rows are about, made for rows of an older Parley while the store is at work."""

from __future__ import annotations

import asyncio
import logging

from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import log_store_failure
from parley.core.ports.store_admin import StoreAdmin

log = logging.getLogger("parley.store")

INDEXED = 100
"""Rows that are indexed in one operation."""
INDEXED_CHARS = 500_000
"""Characters of their bodies after which it ends before that: turns wait behind it."""

_PAUSE = 0.02
"""Seconds at least between two slices: there may be millions of rows, and people write meanwhile."""
_LOOK = 60.0
"""Seconds until the next look for rows that an older node wrote."""


async def keep_index(store: StoreAdmin) -> None:
    """Index what is not indexed yet, a slice at a time, and look again now and then, until cancelled.

    It pauses as long as a slice took: a slow disk has half of its time for others.
    """
    loop = asyncio.get_running_loop()
    while True:
        began = loop.time()
        try:
            more = await store.index_slice()
        except StoreUnavailable as error:
            log_store_failure(log.warning, "the index of persons is not whole yet: %s", error)
            more = False
        await asyncio.sleep(max(_PAUSE, loop.time() - began) if more else _LOOK)
