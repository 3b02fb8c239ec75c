"""kill -9 at any moment: every turn that was recorded is learned from, and exactly once."""

from __future__ import annotations

import json
import random
from collections import Counter
from contextlib import suppress

from tests.kit.machine import patience
from tests.unit.memory.learning.learning_child import child

KILLS = 10


def recorded_until_killed(folder, first, turns):
    """Record from `first` on, and kill the process when so many turns were recorded; the numbers of all."""
    numbers: list[int] = []
    with child(folder, first) as (told, process):
        while len(numbers) < turns:
            numbers.append(told.recv())
        process.kill()
        process.join()
        with suppress(EOFError):
            while True:
                numbers.append(told.recv())
    return numbers


def learned(folder):
    """How often each turn is in a memory."""
    found: Counter[int] = Counter()
    for file in folder.glob("memory/users/*/memory.json"):
        facts = json.loads(file.read_text("utf-8"))["facts"]
        found.update(int(fact["content"].split()[0].removeprefix("turn-")) for fact in facts)
    return found


def test_every_recorded_turn_is_learned_exactly_once_whenever_the_process_dies(tmp_path):
    chance = random.Random(7)
    recorded: list[int] = []
    for _ in range(KILLS):
        # What was not yet acknowledged may be recorded again, as a crashed turn is.
        first = recorded[-1] if recorded else 0
        recorded += recorded_until_killed(tmp_path, first, chance.randint(5, 40))
    before = learned(tmp_path)
    with child(tmp_path, -1) as (_, process):
        process.join(patience(30))
        assert process.exitcode == 0
    after = learned(tmp_path)
    assert {number for number, times in after.items() if times != 1} == set()
    assert set(recorded) <= set(after)
    assert len(set(after) - set(recorded)) <= KILLS
    assert 0 < len(before) <= len(after)
