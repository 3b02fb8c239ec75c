"""Speech recognition takes what its document names, and nothing else."""

import base64

import pytest

from parley.simulator.feishu import FeishuSimulator
from tests.unit.simulator.feishu.test_api_rules import call

PATH = "/speech_to_text/v1/speech/file_recognize"
CONFIG = {"file_id": "qwe12dd34567890w", "format": "pcm", "engine_type": "16k_auto"}
SOUND = base64.b64encode(b"\1\2" * 800).decode()


@pytest.fixture
def sim():
    with FeishuSimulator() as sim:
        yield sim


def ask(sim, config=CONFIG, speech=SOUND):
    return call(sim, "POST", PATH, {"speech": {"speech": speech}, "config": config})


def test_the_words_are_those_that_the_operator_wants(sim):
    assert ask(sim)["data"] == {"recognition_text": "simulated words"}
    sim.people.understand("你好")
    assert ask(sim)["data"] == {"recognition_text": "你好"}
    assert ask(sim, speech=base64.b64encode(bytes(64)).decode())["data"] == {"recognition_text": ""}


@pytest.mark.parametrize(
    "change",
    [
        {"file_id": "short"},
        {"file_id": "qwe12dd34567890wx"},
        {"file_id": "qwe12dd3456789-w"},
        {"file_id": None},
        {"format": "opus"},
        {"engine_type": "8k"},
    ],
)
def test_what_is_beside_the_sound_must_be_as_documented(sim, change):
    assert ask(sim, CONFIG | change)["code"] == 99992402


@pytest.mark.parametrize("speech", ["", "no base64!", SOUND[:-1], base64.b64encode(b"odd").decode(), 7])
def test_the_sound_must_be_whole_samples_in_base64(sim, speech):
    assert ask(sim, speech=speech)["code"] == 99992402


def test_it_takes_a_scope_and_has_a_pace(sim):
    sim.world.denied.add("speech_to_text:speech")
    answer = ask(sim)
    assert (answer["code"], "speech_to_text:speech" in answer["msg"]) == (99991672, True)
    sim.world.denied.clear()
    codes = [ask(sim)["code"] for _ in range(45)]
    assert codes[:20] == [0] * 20
    assert set(codes) <= {0, 99991400}
