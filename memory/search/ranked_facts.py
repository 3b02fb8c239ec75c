"""Facts in the order of a ranking, of which only so many are looked at as are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from parley.memory.model.document import Fact


@dataclass(frozen=True, slots=True)
class RankedFacts:
    """The `best` facts, then those of `resting` that are not among them (`found`, by identity).

    `kinds` has the resting facts by category, in their order. Only what `keep` wants counts.
    """

    best: Sequence[Fact]
    resting: Sequence[Fact] = ()
    kinds: Mapping[str, Sequence[Fact]] | None = None
    found: frozenset[int] = frozenset()
    keep: Callable[[Fact], bool] | None = None

    def __iter__(self) -> Iterator[Fact]:
        yield from self._chosen(self.best)
        found = self.found
        yield from self._chosen(fact for fact in self.resting if id(fact) not in found)

    def of_kind(self, category: str) -> list[Fact]:
        """Return the facts of a category, best first."""
        resting = self.resting if self.kinds is None else self.kinds.get(category, ())
        rest = (fact for fact in resting if id(fact) not in self.found)
        return [
            fact for facts in (self.best, rest) for fact in self._chosen(facts) if fact.category == category
        ]

    def only(self, keep: Callable[[Fact], bool]) -> RankedFacts:
        """Return those of these facts that are to be kept."""
        before = self.keep
        return replace(self, keep=keep if before is None else lambda fact: before(fact) and keep(fact))

    def _chosen(self, facts: Iterable[Fact]) -> Iterable[Fact]:
        return facts if self.keep is None else filter(self.keep, facts)


def ranked_facts(
    best: Sequence[Fact], resting: Sequence[Fact], kinds: Mapping[str, Sequence[Fact]] | None
) -> RankedFacts:
    """Return the best facts first, then the others."""
    return RankedFacts(best, resting, kinds, frozenset(map(id, best)))
