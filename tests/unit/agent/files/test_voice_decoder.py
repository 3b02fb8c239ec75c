"""Voice messages become samples, in a program of its own, whatever somebody calls a voice message."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import numpy as np
import pytest

from parley.agent.files.reader import FileLimits, FileReader
from parley.agent.files.voice_decoder import VoiceDecoder
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import SpeechFailed, SpeechTooLong
from parley.core.ports.speech import SAMPLE_BYTES, SAMPLE_RATE
from tests.kit.machine import patience
from tests.kit.samples.voice_files import TONE, pitch, sound_file, tone, voice_message

SECOND = SAMPLE_RATE * SAMPLE_BYTES


def stored(folder: Path, content: bytes) -> StoredFile:
    path = folder / "voice.opus"
    path.write_bytes(content)
    return StoredFile(AttachmentKind.AUDIO, path.name, "audio/ogg", len(content), str(path), voice=True)


def decoder(max_seconds: float = 300.0, max_size: int = 20_000_000) -> VoiceDecoder:
    return VoiceDecoder(FileReader(FileLimits(seconds=patience(50))), max_size, max_seconds)


@pytest.mark.parametrize("rate", [8_000, 12_000, 16_000, 24_000, 48_000])
async def test_a_tone_stays_a_tone_whatever_rate_it_was_recorded_at(tmp_path, rate):
    samples = await decoder().decode(stored(tmp_path, sound_file(tone(2.5, rate), rate)))
    assert len(samples) == pytest.approx(2.5 * SECOND, rel=0.01)
    assert pitch(samples) == pytest.approx(TONE, rel=0.01)
    heard = np.frombuffer(samples, "<i2").astype(float)[SAMPLE_RATE // 2 : 2 * SAMPLE_RATE]
    # What is not the tone, as from joints between blocks, is a hundredth of it at most.
    spectrum = np.abs(np.fft.rfft(heard * np.hanning(len(heard)))) ** 2
    at = spectrum.argmax()
    assert spectrum[at - 5 : at + 6].sum() > 0.99 * spectrum.sum()
    assert 0.25 < heard.max() / 32_767 < 0.4


async def test_two_channels_are_mixed(tmp_path):
    sound = np.stack((tone(1, 48_000), np.zeros(48_000)), axis=1)
    samples = await decoder().decode(stored(tmp_path, sound_file(sound, 48_000)))
    assert pitch(samples) == pytest.approx(TONE, rel=0.01)


async def test_what_is_longer_or_larger_than_allowed_is_named(tmp_path):
    file = stored(tmp_path, voice_message(3.0))
    assert len(await decoder(3.2).decode(file)) == pytest.approx(3 * SECOND, rel=0.01)
    with pytest.raises(SpeechTooLong, match=r"more than 2 s, and transcription.max_seconds"):
        await decoder(2.0).decode(file)
    with pytest.raises(SpeechTooLong, match=r"bytes, and transcription.max_size is 100"):
        await decoder(max_size=100).decode(file)


async def test_minutes_are_not_decoded_to_learn_that_they_are_too_long(tmp_path):
    """Minutes of silence are small, and decoded would be many megabytes."""
    long = stored(tmp_path, sound_file(np.zeros(601 * 8000), 8_000))
    assert long.size < 400_000
    with pytest.raises(SpeechTooLong):
        await decoder(10.0).decode(long)
    with pytest.raises(SpeechTooLong, match="more than 600 s"):
        await decoder(0.0).decode(long)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not Ogg Opus"),
        (b"not a sound at all", "not Ogg Opus"),
        (b"OggS" + b"\0" * 24 + b"OpusHead" + b"\xff" * 5_000, "damaged"),
        (voice_message(1.0)[:200], "damaged|nothing in it"),
        (sound_file(tone(1, 44_100), 44_100, "OGG", "VORBIS"), "not Ogg Opus"),
        (sound_file(tone(1), kind="WAV", codec="PCM_16"), "not Ogg Opus"),
        (sound_file(tone(1), kind="FLAC", codec="PCM_16") + b"OggS OpusHead", "not Ogg Opus"),
    ],
    ids=["empty", "text", "no page", "torn", "vorbis", "wav", "flac"],
)
async def test_what_is_no_voice_message_is_refused_in_words(tmp_path, content, why):
    with pytest.raises(SpeechFailed, match=why):
        await decoder().decode(stored(tmp_path, content))


@pytest.mark.parametrize("end", [2**40, 2**62, -1, -(2**62)])
async def test_how_long_a_message_says_that_it_is_makes_nothing_larger(tmp_path, end):
    content = bytearray(voice_message(1.0))
    last = content.rfind(b"OggS")
    struct.pack_into("<q", content, last + 6, end)
    struct.pack_into("<I", content, last + 22, 0)
    struct.pack_into("<I", content, last + 22, _page_checksum(bytes(content[last:])))
    assert await _length(tmp_path, bytes(content)) < 2 * SECOND


@pytest.mark.parametrize("seed", range(6))
async def test_damage_anywhere_is_a_refusal_or_fewer_samples(tmp_path, seed):
    content, dice = bytearray(voice_message(2.0)), random.Random(seed)
    for _ in range(dice.randint(1, 40)):
        content[dice.randrange(len(content))] = dice.randrange(256)
    assert await _length(tmp_path, bytes(content)) < 3 * SECOND


async def test_a_file_that_is_gone_is_a_failure(tmp_path):
    file = StoredFile(AttachmentKind.AUDIO, "a", "audio/ogg", 10, str(tmp_path / "gone"), voice=True)
    with pytest.raises(SpeechFailed):
        await decoder().decode(file)


async def _length(folder: Path, content: bytes) -> int:
    """The bytes that come of a file, 0 where it is refused in words."""
    try:
        return len(await decoder().decode(stored(folder, content)))
    except SpeechFailed:
        return 0


def _page_checksum(page: bytes) -> int:
    """As RFC 3533 has it."""
    total = 0
    for byte in page:
        total ^= byte << 24
        for _ in range(8):
            total = ((total << 1) ^ 0x04C11DB7 if total & 0x80000000 else total << 1) & 0xFFFFFFFF
    return total
