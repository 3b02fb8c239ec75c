"""Many questions, two answers at once for each: one decision each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.doubles.core import ScriptedAgent, core
from tests.kit.samples.questions import MAIL, asking, with_buttons
from tests.kit.samples.simultaneous_presses import press_and_words, two_presses

pytestmark = pytest.mark.timeout(300)


async def test_of_two_presses_at_once_one_decides(tmp_path: Path) -> None:
    agent = ScriptedAgent(asking(MAIL))
    async with core(tmp_path, agent=agent, channel=with_buttons()) as parley:
        await two_presses([parley], agent, rounds=250)


async def test_of_a_press_and_words_at_once_the_first_decides(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(MAIL)), channel=with_buttons()) as parley:
        await press_and_words([parley], rounds=250)
