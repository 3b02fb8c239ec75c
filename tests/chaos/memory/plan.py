"""Who says what, asks and erases where, and when a process is killed: all from a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tests.chaos.memory.words import PRIVATE, Word

GROUPS = ("g", "h")
StepKind = Literal["tell", "ask", "erase"]


@dataclass(frozen=True, slots=True)
class Step:
    """What somebody does in a place; `number` is unique, of a word told its own."""

    kind: StepKind
    place: str
    number: int


@dataclass(frozen=True, slots=True)
class Kill:
    """After so many answers and a delay in seconds, the process of this number is killed."""

    answers: int
    delay: float
    victim: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of each person, in their order, and the kills."""

    people: Sequence[Sequence[Step]]
    kills: Sequence[Kill]


def make_plan(seed: int, people: int, steps: int, kills: int, processes: int) -> Plan:
    """A plan of `steps` for each person; everybody asks in private and in a group, and erases all twice.

    An erasure follows something that was told at once, while it is learned.
    """
    dice = random.Random(f"{seed} memory")
    numbers = iter(range(1, 1_000_000))
    scripts = [_script(dice, steps, [next(numbers) for _ in range(steps)]) for _ in range(people)]
    answers = people * steps
    places = sorted(dice.sample(range(1, answers), kills))
    return Plan(scripts, [Kill(at, dice.uniform(0, 0.6), dice.randrange(processes)) for at in places])


def _script(dice: random.Random, steps: int, numbers: Sequence[int]) -> Sequence[Step]:
    erases = {dice.randrange(steps // 3, 2 * steps // 3), steps - 1}
    asks = {at + 1 for at in erases if at + 1 < steps} | {steps - 4, steps - 3}
    tells = {at - 1 for at in erases}
    script = []
    for at, number in enumerate(numbers):
        kind: StepKind = "ask" if at in asks else "tell" if at in tells or dice.random() < 0.5 else "ask"
        kind = "erase" if at in erases else kind
        place = PRIVATE if kind == "erase" or at == steps - 3 else dice.choice((PRIVATE, *GROUPS))
        script.append(Step(kind, GROUPS[0] if at == steps - 4 else place, number))
    return script


def word(person: int, step: Step) -> Word:
    """What is told in a step."""
    return Word(person, step.place, step.number)
