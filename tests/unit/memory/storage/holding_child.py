"""Hold a lock until the input ends: `python -m tests.unit.memory.storage.holding_child lock`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from parley.memory.storage.atomic_files import locked

if __name__ == "__main__":
    with locked(Path(sys.argv[1])):
        os.write(1, b"held\n")
        sys.stdin.read()
