"""What runs use: tokens as the agent tells them, and counts that grow with every turn (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """What one model read and wrote in a run; `model` is its name as the server reports it, or empty."""

    model: str
    input: int
    output: int


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """Of a million tokens, in a currency that the operator names."""

    input: float
    output: float


@dataclass(frozen=True, slots=True)
class Usage:
    """A count. `metered` are those `turns` of which the server reported tokens, `unpriced` the tokens of
    models that have no price, `cost` is in millionths of the currency.
    """

    turns: int = 0
    metered: int = 0
    input: int = 0
    output: int = 0
    unpriced: int = 0
    cost: int = 0

    @property
    def tokens(self) -> int:
        return self.input + self.output

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.turns + other.turns,
            self.metered + other.metered,
            self.input + other.input,
            self.output + other.output,
            self.unpriced + other.unpriced,
            self.cost + other.cost,
        )


NO_USAGE = Usage()


def sum_usage(counts: Iterable[Usage]) -> Usage:
    """Return all of them as one."""
    return sum(counts, NO_USAGE)


def price_tokens(
    tokens: Iterable[TokenUsage], prices: Mapping[str, TokenPrice], turns: int = 0, metered: int = 0
) -> Usage:
    """Return what tokens come to. The first pattern among `prices` that fits a model's name counts."""
    read, written, unpriced, cost = 0, 0, 0, 0.0
    for each in tokens:
        read += each.input
        written += each.output
        price = next((prices[pattern] for pattern in prices if fnmatchcase(each.model, pattern)), None)
        if price is None:
            unpriced += each.input + each.output
        else:
            # A price of a million tokens is that of one token in millionths.
            cost += each.input * price.input + each.output * price.output
    return Usage(turns, metered, read, written, unpriced, round(cost))
