"""The promises as the table of docs/contract.md; `python -m tests.contract.table` writes it there."""

from __future__ import annotations

from tests.contract.drivers import DRIVERS
from tests.contract.promises import PROMISES
from tests.kit.documents import GeneratedPart

PART = GeneratedPart("contract.md", "promises", "tests.contract.table")


def table() -> str:
    """One row a promise, one column a channel."""
    rows = ["| Promise | " + " | ".join(DRIVERS) + " |", "|---|" + ":-:|" * len(DRIVERS)]
    for promise in PROMISES.values():
        held = ["✓" if promise.applies(driver.traits) else "–" for driver in DRIVERS.values()]
        rows.append(f"| {promise.sentence} | {' | '.join(held)} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    PART.write(table())
