"""The account as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.chaos.plan import TROUBLES
from tests.chaos.run import Result

_BEGIN, _END = "<!-- table -->", "<!-- end of table -->"


def table(results: Sequence[Result]) -> str:
    """A row for each figure, a column for each run, in markdown."""
    columns = [_column(result) for result in results]
    names = list(columns[0])
    rows = [[name, *(column[name] for column in columns)] for name in names]
    widths = [max(len(row[place]) for row in rows) for place in range(len(columns) + 1)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def write(results: Sequence[Result], document: Path) -> None:
    """Put the table into its place in the document."""
    text = document.read_text("utf-8")
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    document.write_text(f"{before}{_BEGIN}\n{table(results)}\n{_END}{after}", "utf-8")


def _column(result: Result) -> dict[str, str]:
    plan, account = result.plan, result.account
    return {
        "": "agent apart" if result.apart else "agent inside",
        "seed": str(plan.scale.seed),
        "conversations": str(len(plan.lines)),
        "messages": str(account.turns),
        **_by_platform(result),
        "`kill -9` of Parley": str(result.parley_kills),
        "`kill -9` of the agent server": str(result.agent_kills),
        "faults of platforms": str(len(plan.faults)),
        "posts repeated by web clients": str(result.repeated_posts),
        "**answered in full**": str(account.answered),
        "**lost**": str(len(account.lost) + len(account.files_lost)),
        "**out of order**": str(len(account.reordered)),
        "**answers doubled**": str(len(account.doubled)),
        "never handed over by DingTalk": str(len(account.missed)),
        "handed over in another order by the platform": str(len(account.swapped)),
        "plain messages of DingTalk doubled": str(len(account.repeated)),
        "files doubled": str(len(account.files_doubled)),
        "receipts in doubt": str(result.doubtful),
        "stubs left": str(len(account.stubs)),
        "left unfinished, dead letters": f"{result.unfinished}, {result.dead}",
        "slowest start after a kill, seconds": f"{result.slowest_start:.1f}",
        "slowest answer after a start, seconds": f"{result.slowest_answer:.1f}",
        "whole run, seconds": f"{result.seconds:.0f}",
    }


def _by_platform(result: Result) -> dict[str, str]:
    said: Counter[str] = Counter()
    for line in result.plan.lines:
        said[line.kind.platform] += len(line.said)
    return {f"... on {name}": str(said[name]) for name in ("web", *(each for each, _ in TROUBLES))}
