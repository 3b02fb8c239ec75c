"""A channel that another distribution brings, found by its entry point, and a second one by a `type:`."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tests.kit.checkout import ROOT
from tests.kit.product.process import PATIENCE
from tests.kit.product.scene import begin, end

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(200)]

_THEIRS = Path(__file__).with_name("third_party_channel")


def test_messages_are_answered_on_two_channels_of_another_distribution(tmp_path: Path) -> None:
    channels: dict[str, dict[str, object]] = {"notes": {}, "support": {"type": "notes"}}
    for name, section in channels.items():
        question = {"person": "ann", "text": f"I am at {name}"}
        (tmp_path / f"{name}.txt").write_text(json.dumps(question) + "\n")
        section |= {
            "questions": f"{tmp_path}/{name}.txt",
            "answers": f"{tmp_path}/{name}.answers",
            "allowed_users": ["*"],
        }
    variables = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(_THEIRS)])}
    process = begin(tmp_path, {"channels": channels}, variables=variables)
    try:
        process.wait_until_up()
        deadline = time.monotonic() + PATIENCE
        for name in channels:
            answers = tmp_path / f"{name}.answers"
            while not (answers.exists() and '"final":true' in answers.read_text("utf-8")):
                assert time.monotonic() < deadline, process.log
                time.sleep(0.05)
            last = json.loads(answers.read_text("utf-8").splitlines()[-1])
            assert last["person"] == "ann"
            assert f"I am at {name}" in last["text"]
    finally:
        end(process)
