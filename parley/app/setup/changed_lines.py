"""What would change in a YAML file: the lines, below the sections that they stand in."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence


def changed_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Yield lines that go ("- "), that come ("+ "), and once the sections around them ("  ")."""
    shown: set[int] = set()
    for what, start, end, begin, stop in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if what == "equal":
            continue
        for place in _sections(new, begin, new[begin:stop] or old[start:end]):
            if place not in shown:
                shown.add(place)
                yield f"  {new[place]}"
        yield from (f"- {line}" for line in old[start:end])
        yield from (f"+ {line}" for line in new[begin:stop])
        shown.update(range(begin, stop))


def _sections(lines: Sequence[str], begin: int, changed: Sequence[str]) -> list[int]:
    """Return where the sections begin that changed lines at `begin` stand in, the outermost first."""
    depth = min((_depth(line) for line in changed if line.strip()), default=0)
    found: list[int] = []
    for place in range(begin - 1, -1, -1):
        line = lines[place]
        if line.strip() and not line.lstrip().startswith("#") and _depth(line) < depth:
            depth = _depth(line)
            found.append(place)
    return found[::-1]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
