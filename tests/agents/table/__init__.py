"""The table: every graph with what it is asked and what must come of it."""

from __future__ import annotations

from collections.abc import Sequence

from tests.agents.rows import Row
from tests.agents.table import answers, asking, packages, shapes

ROWS: Sequence[Row] = (*shapes.ROWS, *answers.ROWS, *asking.ROWS, *packages.ROWS)
GRAPHS = {row.graph for row in ROWS} | {
    "failing.blocks",
    "attachments.presented",
    "attachments.additional_files",
}
