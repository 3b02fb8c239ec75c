"""A soak in figures."""

from __future__ import annotations

from benchmarks.kit.stats import percentile
from benchmarks.kit.tables import Table
from tests.soak.process_meter import Part
from tests.soak.run import Heard, Result
from tests.soak.scale import CHANNELS, Scale


def tables(result: Result) -> tuple[Table, Table]:
    """How Parley was, and how long people waited."""
    return _process(result), _channels(result)


def _process(result: Result) -> Table:
    scale = result.scale
    title = (
        f"One Parley, five channels with {scale.conversations} conversations each: "
        f"{scale.turns_a_second:.1f} turns and {scale.tokens_a_second:.0f} tokens a second, "
        f"{scale.seconds:.0f} s for each row"
    )
    columns = (
        *("", "loop lag p50 ms", "p99", "max", "own lag p50 ms", "p99", "max"),
        *("RSS MB", "CPU, cores"),
    )
    note = (
        "Lag is how late a timer of the event loop fired. Own lag leaves out the time in which other "
        "programs used the core. RSS is the maximum."
    )
    rows = tuple((_name(part), *_figures(part)) for part in result.parts)
    return Table("soak", title, columns, rows, note)


def _name(part: Part) -> str:
    return f"{part.stuck} stuck" if part.stuck else "none stuck"


def _figures(part: Part) -> tuple[str, ...]:
    lags: list[float] = []
    for late in (part.late, part.own):
        lags += [percentile(late, 0.5), percentile(late, 0.99), max(late, default=0.0)]
    return (*(f"{each:.1f}" for each in lags), f"{part.rss:.0f}", f"{part.cpu:.2f}")


def _channels(result: Result) -> Table:
    scale = result.scale
    columns = ("channel", *(_name(part) for part in result.parts))
    before = ("", *(part.stuck for part in result.parts))
    pairs = tuple(zip(result.parts, before, strict=False))
    rows = tuple(
        (name, *(_waits(scale, result.channels[name], part, name, last) for part, last in pairs))
        for name in CHANNELS
    )
    note = (
        f"p50, p99 in ms, of the number of answers. It is the time from sending a message to seeing the "
        f"whole answer, without the {scale.turn:.0f} s that the agent takes for its {scale.tokens} tokens."
    )
    return Table("soak-channels", "Waiting time added for users", columns, rows, note)


def _waits(scale: Scale, heard: Heard, part: Part, name: str, before: str) -> str:
    """A cell; who was stuck `before` still waits for the answers of that time, which do not count."""
    if name == part.stuck:
        return ""
    found = [each for each in heard.in_(part) if name != before or part.has(each[0])]
    added = [1000 * (there - said - scale.turn) for said, there in found]
    return f"{percentile(added, 0.5):.0f}, {percentile(added, 0.99):.0f} of {len(found)}"
