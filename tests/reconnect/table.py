"""The troubles as the table of docs/reconnects.md; `python -m tests.reconnect.table` writes it there."""

from __future__ import annotations

from tests.kit.documents import GeneratedPart
from tests.reconnect.disruptions import DISRUPTIONS
from tests.reconnect.platform_rigs import RIGS

PART = GeneratedPart("reconnects.md", "reconnects", "tests.reconnect.table")


def table() -> str:
    """One row a trouble, one column a channel."""
    rows = ["| What happens | " + " | ".join(RIGS) + " |", "|---|" + ":-:|" * len(RIGS)]
    for trouble in DISRUPTIONS:
        outcomes = [trouble.outcome(rig) for rig in RIGS.values()]
        rows.append(f"| {trouble.sentence} | {' | '.join(outcomes)} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    PART.write(table())
