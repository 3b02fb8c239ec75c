"""The walk of `parley check --live`, through each channel's own code on its strict simulator."""

from __future__ import annotations

import json
import stat

import pytest

from parley.app.live.steps import GREETING, LONG, STEPS
from tests.live.scripted_operator import LIVE, SAID, walk_through

pytestmark = pytest.mark.timeout(180)


@pytest.mark.parametrize("platform", LIVE)
async def test_each_step_arrives_and_the_recording_is_clean(platform, tmp_path):
    recording = tmp_path / "recording.jsonl"
    results, driver = await walk_through(platform, tmp_path, recording)
    assert [(each.name, each.came, each.wrong) for each in results] == [
        (step.name, step.count, ()) for step in STEPS
    ]
    text = recording.read_text("utf-8")
    assert stat.S_IMODE(recording.stat().st_mode) == 0o600
    for secret in (*driver.secrets, SAID, "Bernadette", "secret-plan", "nobody reads"):
        assert secret not in text
    records = [json.loads(line) for line in text.splitlines()]
    assert {each["kind"] for each in records} >= {"call", "heard"}
    assert json.dumps(GREETING)[1:-1] in text
    assert "This is the end of the long answer." in text or len(LONG) > 3000
    heard = [each["step"] for each in records if each["kind"] == "heard" and each["heard"] != "other"]
    assert heard == [step.name for step in STEPS for _ in range(step.count)]


async def test_a_step_is_skipped_by_enter(tmp_path):
    steps = [step for step in STEPS if step.name in ("message", "mention", "long")]
    results, _ = await walk_through("telegram", tmp_path, tmp_path / "r.jsonl", steps, lazy=("mention",))
    assert [(each.name, each.came) for each in results] == [("message", 1), ("mention", 0), ("long", 1)]


async def test_a_recording_takes_the_place_of_no_file(tmp_path):
    recording = tmp_path / "recording.jsonl"
    recording.write_text("mine", "utf-8")
    with pytest.raises(FileExistsError):
        await walk_through("telegram", tmp_path, recording)
    assert recording.read_text("utf-8") == "mine"
