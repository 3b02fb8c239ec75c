"""Feishu is asked for the words of voice messages, as its documents and its SDK have it."""

import logging

import numpy as np
import pytest

from parley.agent.files.reader import FileLimits, FileReader
from parley.agent.files.voice_decoder import VoiceDecoder
from parley.channels.feishu.errors import ScopeMissing
from parley.channels.feishu.scopes import SPEECH, TENANT
from parley.channels.feishu.speech_recognition import MOST_SECONDS, parts_of
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import DeliveryRejected, SpeechFailed
from parley.core.model.usage import TokenUsage
from parley.core.ports.speech import SAMPLE_BYTES, SAMPLE_RATE, SpeechRecognition
from parley.simulator.kit.limits import load_limits
from tests.kit.machine import patience
from tests.kit.platforms.feishu_channel import make_channel
from tests.kit.samples.voice_files import TONE, pitch, sound_file, tone, voice_message

_SECOND = SAMPLE_RATE * SAMPLE_BYTES
_ROWS = load_limits("feishu")


@pytest.fixture
def hearing(world):
    decoder = VoiceDecoder(FileReader(FileLimits(seconds=patience(50))), 20_000_000, 300.0)
    return make_channel(world.sim, world.folder, decoder=decoder)


def voice(world, content):
    path = world.folder / "voice"
    path.write_bytes(content)
    return StoredFile(AttachmentKind.AUDIO, "voice.opus", "audio/ogg", len(content), str(path), voice=True)


async def test_what_somebody_says_becomes_words(world, hearing):
    world.people.understand("when is the next release?")
    assert isinstance(hearing, SpeechRecognition)
    assert hearing.recognizes
    heard = await hearing.recognize(voice(world, voice_message(3.0)))
    assert heard.text == "when is the next release?"
    assert heard.usage == TokenUsage("feishu-speech", 30, 0)
    (samples,) = world.sim.world.recognized
    assert len(samples) == pytest.approx(3 * _SECOND, rel=0.01)
    assert pitch(samples) == pytest.approx(TONE, rel=0.01)


async def test_silence_has_no_words(world, hearing):
    heard = await hearing.recognize(voice(world, sound_file(np.zeros(SAMPLE_RATE))))
    assert heard.text == ""


async def test_more_than_a_minute_goes_in_parts_that_end_where_nobody_speaks(world, hearing):
    pause = np.zeros(SAMPLE_RATE)
    spoken = np.concatenate((tone(54), pause, tone(53), pause, tone(20)))
    heard = await hearing.recognize(voice(world, sound_file(spoken)))
    assert heard.text == " ".join(["simulated words"] * 3)
    assert heard.usage == TokenUsage("feishu-speech", 1290, 0)
    parts = [len(each) / _SECOND for each in world.sim.world.recognized]
    assert sum(parts) == pytest.approx(129, rel=0.01)
    assert 54 <= parts[0] <= 55
    assert 53.5 <= parts[1] <= 55
    assert max(parts) <= _ROWS["speech_seconds"].whole == MOST_SECONDS


def test_no_part_is_longer_than_a_minute_and_nothing_is_lost():
    samples = np.random.default_rng(1).integers(-9_000, 9_000, 200 * SAMPLE_RATE).astype("<i2").tobytes()
    parts = list(parts_of(samples))
    assert b"".join(parts) == samples
    assert max(map(len, parts)) <= MOST_SECONDS * _SECOND
    assert list(parts_of(samples[: 60 * _SECOND])) == [samples[: 60 * _SECOND]]


async def test_a_limit_is_waited_for_once(world, hearing):
    world.faults.limit_next(["speech"], 1)
    heard = await hearing.recognize(voice(world, voice_message(1.0)))
    assert heard.text == "simulated words"
    assert world.count("speech") == 2


async def test_a_refusal_is_not_asked_again(world, hearing):
    world.faults.refuse_next(["speech"], 2340001, "no such feature")
    with pytest.raises(DeliveryRejected, match="2340001"):
        await hearing.recognize(voice(world, voice_message(1.0)))
    assert world.count("speech") == 1


async def test_what_is_no_voice_message_is_never_sent(world, hearing):
    with pytest.raises(SpeechFailed, match="not Ogg Opus"):
        await hearing.recognize(voice(world, b"RIFF" * 100))
    assert world.count("speech") == 0


async def test_a_missing_scope_is_named_by_the_check(world, hearing):
    assert (await hearing.preflight()).lacking == ()
    world.sim.world.denied.add("speech_to_text:speech")
    ((key, text),) = (await hearing.preflight()).lacking
    assert key == "app_id"
    assert text == (
        "the app lacks the scope speech_to_text:speech, which it needs for turning voice messages into "
        "words; add it under Permissions & Scopes and publish a version"
    )
    with pytest.raises(ScopeMissing, match=r"speech_to_text:speech"):
        await hearing.recognize(voice(world, voice_message(1.0)))
    world.sim.scanning.grant("speech_to_text:speech")
    assert (await hearing.preflight()).lacking == ()
    assert SPEECH[0].name == _ROWS["speech_scope"].value
    assert SPEECH[0].name not in TENANT


async def test_an_edition_without_it_is_named_by_the_check(world, hearing):
    world.faults.refuse_next(["speech"], 2340002, "not for this edition")
    ((_, text),) = (await hearing.preflight()).lacking
    assert text.startswith("speech recognition: Feishu refused (code 2340002): not for this edition")
    assert "set transcription.by_platform to false" in text


async def test_nothing_is_asked_where_it_is_off(world, caplog):
    caplog.set_level(logging.WARNING)
    assert not world.channel.recognizes
    await world.channel.preflight()
    assert world.count("speech") == 0
