"""The walk of `parley check --live`, through each channel's own code on its strict simulator."""

from __future__ import annotations

import asyncio
import json
import stat

import pytest

import parley.app.live.replay as replaying
from parley.app.live.recorder import Recorder
from parley.app.live.recording import read_recording
from parley.app.live.replay import replay
from parley.app.live.steps import STEPS, LiveStep
from parley.app.live.walk import StepResult, Walk
from parley.channels.kit.http.wire_listener import listening_to_wires
from parley.simulator.registry import operating
from parley.store.sqlite import SqliteStore
from tests.kit.machine import patience
from tests.live.walks import EVERY, LIMITS, LIVE, QUICK, compared, plan

pytestmark = pytest.mark.timeout(180)
SAID = "Bernadette's private words"


class Hands:
    """An operator who says the same private words each time, and leaves the `lazy` steps out."""

    def __init__(self, simulated, lazy=()):
        self._simulated, self._lazy = simulated, lazy
        self.seen: list[StepResult] = []
        self._step = ""

    async def act(self, step: LiveStep) -> None:
        self._step = step.name
        if step.name not in self._lazy:
            self._simulated.act(step.name, [f"{SAID} {number}" for number in range(step.count)])

    async def skipped(self) -> None:
        if self._step not in self._lazy:
            await asyncio.Event().wait()

    def see(self, result: StepResult) -> None:
        self.seen.append(result)


async def walk_by_hand(platform, folder, lazy=(), steps=STEPS):
    recording = folder / "recording.jsonl"
    with operating(platform, LIMITS.now) as simulated:
        secrets = [str(v) for k, v in simulated.settings.items() if k.endswith(("token", "secret"))]
        async with SqliteStore.open(folder / "live.db") as store:
            channel = replaying.make_simulated_channel(platform, simulated, store, folder)
            recorder, hands = Recorder(recording, platform, secrets), Hands(simulated, lazy)
            with listening_to_wires(recorder):
                await Walk(channel, recorder, hands, patience(30.0), QUICK).run(steps)
            recorder.close()
    return hands.seen, recording, secrets


@pytest.mark.parametrize("platform", LIVE)
async def test_each_step_arrives_is_recorded_cleanly_and_replayed_without_a_difference(platform, tmp_path):
    results, file, secrets = await walk_by_hand(platform, tmp_path)
    assert [(each.name, each.came, each.errors) for each in results] == [
        (step.name, step.count, ()) for step in STEPS
    ]
    text = file.read_text("utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert secrets
    for secret in (*secrets, "Bernadette", "private words", "Olga", "Nils", "127.0.0.1", "walk.txt"):
        assert secret not in text
    records = [json.loads(line) for line in text.splitlines()]
    assert {each["kind"] for each in records} >= {"recording", "step", "heard", "result", "call"}
    assert [each["step"] for each in records if each["kind"] == "step"] == list(EVERY)

    recording = read_recording(file)
    assert [(step.name, len(step.texts)) for step in recording.steps] == [(s.name, s.count) for s in STEPS]
    assert recording.steps[0].texts == ("xxxxxxxxxx'x xxxxxxx xxxxx 0",)
    again = tmp_path / "again"
    again.mkdir()
    assert len(await replay(recording, again / "r.jsonl", again, QUICK)) == len(STEPS)
    found = compared(recording, read_recording(again / "r.jsonl"))
    assert found.differences == ()


async def test_a_step_is_left_out_and_not_replayed(tmp_path):
    steps = [step for step in STEPS if step.name in ("message", "mention", "long")]
    results, file, _ = await walk_by_hand("dingtalk", tmp_path, lazy=("mention",), steps=steps)
    assert [(each.name, each.came) for each in results] == [("message", 1), ("mention", 0), ("long", 1)]
    assert [step.name for step in read_recording(file).steps] == ["message", "long"]


async def test_nobody_else_is_answered(tmp_path):
    with operating("feishu", LIMITS.now) as simulated:
        async with SqliteStore.open(tmp_path / "live.db") as store:
            channel = replaying.make_simulated_channel("feishu", simulated, store, tmp_path)
            recorder = Recorder(tmp_path / "r.jsonl", "feishu", ())
            people = vars(simulated)["_people"]

            class Disturbed(Hands):
                async def act(self, step):
                    if step.name == "thread":
                        stranger = self.stranger = people.add_person("Stranger")
                        people.say(stranger.chat, stranger.open_id, "me too")
                        await asyncio.to_thread(
                            people.wait, lambda: people.unacknowledged() == 0, patience(10)
                        )
                    await super().act(step)

            hands = Disturbed(simulated)
            with listening_to_wires(recorder):
                await Walk(channel, recorder, hands, patience(30.0), QUICK).run(STEPS[:2])
            recorder.close()
            assert [each.came for each in hands.seen] == [1, 1]
            assert people.answers(hands.stranger.chat) == ()
    records = read_recording(tmp_path / "r.jsonl").records
    assert [each["what"] for each in records if each["kind"] == "heard"] == ["message", "other", "message"]


async def test_a_recording_takes_the_place_of_no_file(tmp_path):
    file = tmp_path / "recording.jsonl"
    file.write_text("mine", "utf-8")
    with pytest.raises(FileExistsError):
        await replay(plan("dingtalk"), file, tmp_path, QUICK)
    assert file.read_text("utf-8") == "mine"
