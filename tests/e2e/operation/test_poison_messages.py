"""A message that ends the process whenever it is worked on, and the people beside it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from tests.kit.engine import CHOSEN
from tests.kit.product.process import PATIENCE, Process, parley
from tests.kit.product.scene import begin, end
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(400)]

GRAPH = Path(__file__).parent / "poison_graph.py"
_MOST_STARTS = 12
_GIVEN_UP = re.compile("given up; written by|this run is given up")


def test_a_message_that_kills_is_set_aside_and_others_are_answered(tmp_path: Path) -> None:
    process = begin(tmp_path, {"agent": {"graphs": {"agent": f"{GRAPH}:graph"}}, "store": _store(tmp_path)})
    people = ExitStack()
    try:
        process.wait_until_up()
        ann, bob = (people.enter_context(closing(WebPerson(process.url))) for _ in range(2))
        assert ann.ask("hello").text == "You said hello."
        bob.say("kill")
        starts = 1
        while _killed(process):
            assert starts < _MOST_STARTS, process.log
            process.spawn()
            starts += 1
        process.wait_until_up()
        told = bob.until(lambda text: "will not be answered" in text or "went wrong" in text)
        letters = _letters(tmp_path)
        assert bool(letters) == ("will not be answered" in told)
        for letter in letters:
            assert letter["reason"].startswith("the process ended")
            assert f"parley letters retry {letter['item']}" in told
        assert ann.ask("are you there?").text == "You said are you there?."
        assert bob.ask("and for me?").text == "You said and for me?."
        assert process.alive
    finally:
        people.close()
        end(process)


def _store(folder: Path) -> Mapping[str, Any]:
    """Return the store section with a short lease: on PostgreSQL a start waits until the last lease ends."""
    section = CHOSEN.engine().section(folder)
    return {**section, "lease": 5} if section.get("url") else section


def _killed(process: Process) -> bool:
    """Whether the process ended, and nobody gave up on what ends it; waits for either.

    The agent inside counts the ends of its runs, too, and is first where a lease has to lapse at each start.
    """
    deadline = time.monotonic() + PATIENCE
    while process.alive and not _GIVEN_UP.search(process.log):
        assert time.monotonic() < deadline, process.log
        time.sleep(0.1)
    return not process.alive


def _letters(folder: Path) -> list[dict[str, str]]:
    listed = parley(folder, "letters", "list", "--json")
    return [json.loads(line) for line in listed.stdout.splitlines()]
