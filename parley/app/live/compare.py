"""A recording of a platform, compared with what its simulator answers to the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from parley.app.live.shapes import LEFT_OUT, Fields, PlatformShape

_PLAIN = re.compile(r"[^\x20-\x7e]")
_LONGEST = 320
MOST_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Comparison:
    """`differences`, a line each, and what only one of both was `asked` or sent, which proves nothing."""

    differences: tuple[str, ...]
    only_one: tuple[str, ...]


def compare(platform: PlatformShape, simulator: PlatformShape) -> Comparison:
    """Return in what the simulator is not like the platform."""
    differences = [
        *_results(platform, simulator),
        *_outcomes(platform, simulator),
        *_orders(platform, simulator),
    ]
    only_one = []
    for what, theirs, ours in (
        ("answer", platform.answers, simulator.answers),
        ("event", platform.events, simulator.events),
    ):
        for name in sorted(theirs.keys() & ours.keys()):
            differences += [f"{what} {name}: {each}" for each in _fields(theirs[name], ours[name])]
        only_one += [f"{what} {name}: from the platform only" for name in sorted(theirs.keys() - ours.keys())]
        only_one += [
            f"{what} {name}: from the simulator only" for name in sorted(ours.keys() - theirs.keys())
        ]
    return Comparison(tuple(map(plain, differences)), tuple(map(plain, only_one)))


def _outcomes(platform: PlatformShape, simulator: PlatformShape) -> Iterator[str]:
    for endpoint in sorted(platform.outcomes.keys() & simulator.outcomes.keys()):
        theirs, ours = platform.outcomes[endpoint], simulator.outcomes[endpoint]
        if theirs.keys() != ours.keys():
            said = f"the platform answered {_with_steps(theirs)}, the simulator {_with_steps(ours)}"
            yield f"call {endpoint}: {said}"


def _with_steps(outcomes: Mapping[str, str]) -> str:
    return " and ".join(f"{outcome} (step {step})" for outcome, step in sorted(outcomes.items()))


def _results(platform: PlatformShape, simulator: PlatformShape) -> Iterator[str]:
    for step, theirs in platform.results.items():
        ours = simulator.results.get(step, LEFT_OUT)
        if LEFT_OUT != theirs != ours:
            yield f"step {step}: on the platform {theirs}, on the simulator {ours}"


def _orders(platform: PlatformShape, simulator: PlatformShape) -> Iterator[str]:
    for step in sorted(platform.orders.keys() & simulator.orders.keys()):
        theirs, ours = platform.orders[step], simulator.orders[step]
        for one, other in combinations(sorted(set(theirs) & set(ours)), 2):
            for first, second in ((one, other), (other, one)):
                if _precedes(first, second, theirs) and _precedes(second, first, ours):
                    yield f"order in step {step}: {first} before {second}, the simulator the other way round"


def _precedes(first: str, second: str, order: list[str]) -> bool:
    """Tell whether all of one kind come before all of another."""
    return len(order) - 1 - order[::-1].index(first) < order.index(second)


def _fields(theirs: Fields, ours: Fields) -> Iterator[str]:
    for path in sorted(theirs.keys() - ours.keys()):
        if _has_parent(path, ours):
            yield f"field {path or '.'} ({_types(theirs, path)}) is missing in the simulator"
    for path in sorted(ours.keys() - theirs.keys()):
        if _has_parent(path, theirs):
            yield f"field {path or '.'} ({_types(ours, path)}) is the simulator's own"
    for path in sorted(theirs.keys() & ours.keys()):
        if theirs[path] - {"null"} and ours[path] - {"null"} and theirs[path] != ours[path]:
            yield f"field {path or '.'} is {_types(theirs, path)}, in the simulator {_types(ours, path)}"


def _has_parent(path: str, fields: Fields) -> bool:
    """Tell whether the field's place is there: of what is missing as a whole only the top is named."""
    end = max(path.rfind("."), path.rfind("["), path.rfind("<"))
    return end <= 0 or path[:end] in fields


def _types(fields: Fields, path: str) -> str:
    return " or ".join(sorted(fields[path]))


def plain(line: str) -> str:
    """Return a line that a terminal shows as it is, whoever wrote the recording."""
    return _PLAIN.sub("?", line)[:_LONGEST]
