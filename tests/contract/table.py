"""The promises as the table of docs/contract.md; `python -m tests.contract.table` writes it there."""

from __future__ import annotations

from pathlib import Path

from tests.contract.drivers import DRIVERS
from tests.contract.promises import PROMISES

DOCUMENT = Path(__file__).parents[2] / "docs" / "contract.md"
_BEGIN, _END = "<!-- promises: begin -->\n", "<!-- promises: end -->"


def table() -> str:
    """One row a promise, one column a channel."""
    rows = ["| Promise | " + " | ".join(DRIVERS) + " |", "|---|" + ":-:|" * len(DRIVERS)]
    for promise in PROMISES.values():
        held = ["✓" if promise.applies(driver.traits) else "–" for driver in DRIVERS.values()]
        rows.append(f"| {promise.sentence} | {' | '.join(held)} |")
    return "\n".join(rows) + "\n"


def with_table(document: str) -> str:
    """The document with the table as it should be."""
    head, _, rest = document.partition(_BEGIN)
    return f"{head}{_BEGIN}{table()}{_END}{rest.partition(_END)[2]}"


if __name__ == "__main__":
    DOCUMENT.write_text(with_table(DOCUMENT.read_text("utf-8")), "utf-8")
