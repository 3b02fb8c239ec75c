"""The troubles as the table of docs/reconnects.md; `python -m tests.reconnect.table` writes it there."""

from __future__ import annotations

from pathlib import Path

from tests.reconnect.disruptions import DISRUPTIONS
from tests.reconnect.platform_rigs import RIGS

DOCUMENT = Path(__file__).parents[2] / "docs" / "reconnects.md"
_BEGIN, _END = "<!-- reconnects: begin -->\n", "<!-- reconnects: end -->"


def table() -> str:
    """One row a trouble, one column a channel."""
    rows = ["| What happens | " + " | ".join(RIGS) + " |", "|---|" + ":-:|" * len(RIGS)]
    for trouble in DISRUPTIONS:
        outcomes = [trouble.outcome(rig) for rig in RIGS.values()]
        rows.append(f"| {trouble.sentence} | {' | '.join(outcomes)} |")
    return "\n".join(rows) + "\n"


def with_table(document: str) -> str:
    """The document with the table as it should be."""
    head, _, rest = document.partition(_BEGIN)
    return f"{head}{_BEGIN}{table()}{_END}{rest.partition(_END)[2]}"


if __name__ == "__main__":
    DOCUMENT.write_text(with_table(DOCUMENT.read_text("utf-8")), "utf-8")
