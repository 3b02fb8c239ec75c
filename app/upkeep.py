"""What is done now and then: old lines of the record go."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from bridge import audit
from bridge.errors import StoreUnavailable
from bridge.journal import Documents

log = logging.getLogger(__name__)

DAY = 86_400.0
_EVERY = 3_600.0


async def forget_old_audits(documents: Documents, days: float, clock: Callable[[], float]) -> None:
    """Remove what is older than `days`, every hour, until cancelled."""
    while True:
        try:
            removed = 1
            while removed:
                removed = await audit.forget_before(documents, clock() - days * DAY)
        except StoreUnavailable as error:
            log.warning("old lines of the audit record stay for now: %s", error)
        await asyncio.sleep(_EVERY)
