"""A channel that another distribution brings, found by its entry point."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.kit.checkout import ROOT
from tests.kit.product.process import PATIENCE
from tests.kit.product.scene import begin, end

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(200)]

_THEIRS = Path(__file__).with_name("third_party_channel")


def test_a_message_is_answered_on_a_channel_of_another_distribution(tmp_path: Path) -> None:
    questions, answers = tmp_path / "questions.txt", tmp_path / "answers.txt"
    questions.write_text("hi\n")
    section = {"questions": str(questions), "answers": str(answers), "allowed_users": ["*"]}
    variables = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(_THEIRS)])}
    process = begin(tmp_path, {"channels": {"notes": section}}, variables=variables)
    try:
        process.wait_until_up()
        deadline = time.monotonic() + PATIENCE
        while not answers.exists():
            assert time.monotonic() < deadline, process.log
            time.sleep(0.05)
        assert answers.read_text("utf-8").strip()
    finally:
        end(process)
