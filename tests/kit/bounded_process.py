"""Processes of tests that end with their block, whatever happens."""

from __future__ import annotations

import subprocess
import threading
from types import TracebackType
from typing import AnyStr

from tests.kit.machine import patience

_FAREWELL = 60.0


class BoundedProcess(subprocess.Popen[AnyStr]):
    """A process whose block ends: `Popen` would wait for ever for one that does not end by itself.

    It is killed at once where the block raises, as it does at a test's time limit.
    """

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close its pipes, and wait for it."""
        if exc_type is not None:
            self.kill()
        limit = threading.Timer(patience(_FAREWELL), self.kill)
        limit.start()
        try:
            super().__exit__(exc_type, value, traceback)
        finally:
            limit.cancel()
