"""Says when the process runs out of descriptors: without one no connection is taken, and nobody is told."""

from __future__ import annotations

import asyncio
import errno
import logging
import resource
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

log = logging.getLogger("parley.app")

_EVERY = 5.0
_SAID_AGAIN_AFTER = 60.0
_SHARE = 0.9
_OPEN = Path("/dev/fd")


def describe_exhaustion() -> str:
    """Return what is wrong with the number of open files, or ""."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    try:
        used = sum(1 for _ in _OPEN.iterdir())
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            return ""
        return f"all of the {limit} files that this process may have open are"
    return (
        f"{used} of the {limit} files that this process may have open are" if used >= _SHARE * limit else ""
    )


async def watch_descriptors(
    look: Callable[[], str] = describe_exhaustion,
    clock: Callable[[], float] | None = None,
) -> None:
    """Look every few seconds until cancelled, and log once a minute while they run out."""
    clock = clock or asyncio.get_running_loop().time
    said = -_SAID_AGAIN_AFTER
    while True:
        with suppress(OSError):
            if (trouble := look()) and clock() - said >= _SAID_AGAIN_AFTER:
                said = clock()
                log.error(
                    "%s: new connections wait, or are refused; raise the limit (ulimit -n 65536, "
                    "or LimitNOFILE=65536 in systemd) and start again",
                    trouble,
                )
        await asyncio.sleep(_EVERY)
