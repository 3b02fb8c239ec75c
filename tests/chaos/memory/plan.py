"""Who says what, asks and erases where, and when a process is killed: all from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal

from tests.chaos.memory.words import PRIVATE, Word

GROUPS = ("g", "h")
StepKind = Literal["tell", "ask", "know", "meet", "erase"]


@dataclass(frozen=True, slots=True)
class Step:
    """What somebody does in a place; `number` is unique, of a word told its own.

    `know` asks until all that was told is known as facts, `meet` waits for everybody, and `erase` tells
    something and erases everything while that is learned.
    """

    kind: StepKind
    place: str
    number: int


@dataclass(frozen=True, slots=True)
class Kill:
    """After so many steps and a delay in seconds, the process of this number is killed."""

    steps: int
    delay: float
    victim: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of each person, in their order, and the kills."""

    people: Sequence[Sequence[Step]]
    kills: Sequence[Kill]


def make_plan(seed: int, people: int, steps: int, kills: int, processes: int) -> Plan:
    """A plan in which everybody comes into each situation, with twice so many `steps` by chance between."""
    dice, numbers = random.Random(f"{seed} memory"), count(1)
    scripts = [
        [Step(kind, place, next(numbers)) for kind, place in _script(dice, steps)] for _ in range(people)
    ]
    moments = sorted(dice.sample(range(1, sum(map(len, scripts))), kills))
    return Plan(scripts, [Kill(at, dice.uniform(0, 0.6), dice.randrange(processes)) for at in moments])


def _script(dice: random.Random, steps: int) -> Iterator[tuple[StepKind, str]]:
    """What one person does. Between the meetings everybody is known, and asks wherever something may leak."""
    here, there = GROUPS
    yield from (("tell", PRIVATE), ("tell", here), ("know", PRIVATE), ("meet", PRIVATE))
    yield from (("ask", here), ("ask", there), ("ask", PRIVATE), ("meet", PRIVATE))
    yield from _by_chance(dice, steps)
    # Told in the second of the erasure: the platform's clock may not know that it came after it.
    yield from (("know", PRIVATE), ("erase", PRIVATE), ("tell", PRIVATE), ("know", PRIVATE), ("ask", here))
    yield from _by_chance(dice, steps)
    yield from (("know", PRIVATE), ("erase", PRIVATE))


def _by_chance(dice: random.Random, steps: int) -> Iterator[tuple[StepKind, str]]:
    for _ in range(steps):
        yield dice.choice(("tell", "ask")), dice.choice((PRIVATE, *GROUPS))


def word(person: int, step: Step) -> Word:
    """What is told in a step."""
    return Word(person, step.place, step.number)
