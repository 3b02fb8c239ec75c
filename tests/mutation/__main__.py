"""Changed examples in numbers, and what became of them.

`python -m tests.mutation read [100000 [CHANNEL ...]]` reads them as the channels do; `listen` in place
of `read` has them handed over by the simulated platforms, to the channels' own clients.
"""

from __future__ import annotations

import asyncio
import logging
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.mutation.event_reading import Outcome, outcome
from tests.mutation.vendor_examples import CHANNELS, examples, mutated
from tests.mutation.wire_listening import listen

_UNSOUND = (AssertionError, AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError)


def main(how: str, count: int, channels: Sequence[str]) -> int:
    """Print one line a channel; how many events were not sound. Raises whatever ends a listener."""
    tried = _listened if how == "listen" else _read
    return sum(tried(channel, count) for channel in channels)


def _read(channel: str, count: int) -> int:
    found, unsound = Counter[str](), 0
    chance, known, began = random.Random(count), examples(channel), time.monotonic()
    for _ in range(count):
        event = mutated(chance.choice(known), chance)
        try:
            found[outcome(channel, event)] += 1
        except _UNSOUND as error:
            if not unsound:
                print(f"{channel}: {error!r:.300}\n{event!a}")
            unsound += 1
    told = ", ".join(f"{each} {found[each]}" for each in Outcome)
    print(f"{channel}: {told}, unsound {unsound}; {time.monotonic() - began:.0f} s", flush=True)
    return unsound


def _listened(channel: str, count: int) -> int:
    logging.disable(logging.CRITICAL)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        ear = asyncio.run(listen(channel, count, Path(folder)))
    took = time.monotonic() - began
    print(f"{channel}: heard {ear.heard}, connected {ear.connections} times; {took:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    _, wanted, number, *named = [*sys.argv, *("read", "100000")[len(sys.argv) - 1 :]]
    sys.exit(main(wanted, int(number), named or CHANNELS) > 0)
