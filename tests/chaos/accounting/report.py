"""The account as a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.chaos.accounting.result import Result

_NAMES = {"inside": "embedded agent", "apart": "separate agent", "nodes": "three nodes"}


def table(results: Sequence[Result]) -> str:
    """A row for each figure, a column for each edition, in markdown."""
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


def write(results: Sequence[Result], engine: str, seed: int, document: Path) -> None:
    """Put the table into its engine's place in the document."""
    begin, end = f"<!-- {engine} -->", f"<!-- end of {engine} -->"
    before, _, rest = document.read_text("utf-8").partition(begin)
    _, _, after = rest.partition(end)
    document.write_text(f"{before}{begin}\nSeed {seed}:\n\n{table(results)}\n{end}{after}", "utf-8")


def _column(result: Result) -> dict[str, str]:
    return {"": _NAMES[result.edition]} | _what_happened(result) | _what_came_out(result)


def _what_happened(result: Result) -> dict[str, str]:
    blows = result.blows
    counts = {
        "installations side by side": result.installations,
        "conversations": result.conversations,
        "messages": result.turns,
        **{f"... on {name}": count for name, count in result.said.items()},
        "`kill -9` of Parley": result.parley_kills,
        "`kill -9` of the agent server": result.agent_kills,
        "failed starts that were repeated": result.ended,
        "freezes (SIGSTOP, SIGCONT)": blows.get("freeze", 0),
        "clock steps": blows.get("clock", 0),
        "times the disk was full": blows.get("disk", 0),
        "packets of a node lost without a word": blows.get("partition", 0),
        "everything of a node held, and later delivered": blows.get("hold", 0),
        "a node's way to the database held": blows.get("database hold", 0),
        "rolling restarts": blows.get("update", 0),
        "database crashes": blows.get("database", 0),
        "database read-only": blows.get("read-only", 0),
        "database's disk full": blows.get("full", 0),
        "pooler crashes": blows.get("pooler", 0),
        "steps to a newer schema": blows.get("schema", 0),
        "times a busy machine kept a node waiting": result.stalls,
        "platform faults": result.faults,
        "posts repeated by web clients": result.repeated_posts,
    }
    return {name: f"{count:,}" for name, count in counts.items()}


def _what_came_out(result: Result) -> dict[str, str]:
    counts = {
        "**answered in full**": result.answered,
        "**lost**": len(result.lost) + len(result.files_lost),
        "**out of order**": len(result.reordered),
        "**duplicate answers**": len(result.doubled),
        "**two processes on one answer**": len(result.overlaps),
        "... while a busy machine kept one waiting": result.excused,
        "**turns run twice by the agent**": len(result.runs_doubled),
        "answers continued by another process": result.moved,
        "never delivered by DingTalk": result.missed,
        "delivered in another order by the platform": result.swapped,
        "duplicate plain messages on DingTalk": len(result.repeated),
        "duplicate files": len(result.files_doubled),
        "receipts in doubt": result.doubtful,
        "stubs that remained": result.stubs,
        "unfinished work, dead letters": result.unfinished + result.dead,
    }
    seconds = {
        "slowest start after a kill": result.slowest_start,
        "slowest answer after a start": result.slowest_answer,
        "median wait for an answer": result.usual_wait,
        "longest wait for an answer": result.longest_wait,
        "whole run": result.slowest_run,
    }
    return {name: f"{count:,}" for name, count in counts.items()} | {
        f"{name}, seconds": f"{value:.1f}" for name, value in seconds.items()
    }
