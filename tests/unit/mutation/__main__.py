"""`python -m tests.unit.mutation 100000 [CHANNEL ...]`: so many changed examples, and what became of them."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Sequence

from tests.unit.mutation.examples import CHANNELS, examples, mutated
from tests.unit.mutation.reading import Outcome, outcome

_UNSOUND = (AssertionError, AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError)


def main(count: int, channels: Sequence[str]) -> int:
    """Print one line a channel, and how many were not sound; the first of those in full."""
    unsound = Counter[str]()
    for channel in channels:
        found, chance, known, began = Counter[str](), random.Random(count), examples(channel), time.time()
        for _ in range(count):
            event = mutated(chance.choice(known), chance)
            try:
                found[outcome(channel, event)] += 1
            except _UNSOUND as error:
                if not unsound[channel]:
                    print(f"{channel}: {error!r:.300}\n{event!a}")
                unsound[channel] += 1
        told = ", ".join(f"{each} {found[each]}" for each in Outcome)
        print(f"{channel}: {told}, unsound {unsound[channel]}; {time.time() - began:.0f} s", flush=True)
    return unsound.total()


if __name__ == "__main__":
    _, wanted, *named = [*sys.argv, "100000"] if len(sys.argv) == 1 else sys.argv
    sys.exit(main(int(wanted), named or CHANNELS) > 0)
