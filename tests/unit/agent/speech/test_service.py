"""Speech goes to a service that speaks OpenAI's protocol, and comes back, within limits."""

from __future__ import annotations

import asyncio
import struct
import wave
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from parley.agent.speech.options import TranscriptionOptions, VoiceOptions
from parley.agent.speech.service import OpenAiSpeech, open_speech, speakable
from parley.core.attachments.audio_files import extension_of, seconds_of
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import SpeechFailed, SpeechTooLong
from parley.core.model.usage import TokenUsage
from tests.kit.doubles.speech_service import SOUND, SpeechServer, speech_server


def wav(path: Path, seconds: int) -> StoredFile:
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(b"\0\0" * 8000 * seconds)
    return StoredFile(
        AttachmentKind.AUDIO, "voice.bin", "audio/x", path.stat().st_size, str(path), voice=True
    )


@asynccontextmanager
async def service(**changes: object) -> AsyncIterator[tuple[OpenAiSpeech, SpeechServer]]:
    async with speech_server() as server:
        hearing = TranscriptionOptions(server.url, "ear-1", "secret", **changes)  # type: ignore[arg-type]
        async with open_speech(hearing, VoiceOptions(server.url, "mouth-1", "alloy")) as speech:
            yield speech, server


async def test_a_file_goes_there_whole_and_its_words_come_back(tmp_path: Path):
    file = wav(tmp_path / "a", 2)
    async with service(language="de") as (speech, server):
        heard = await speech.transcribe(file)
        assert heard.text == "open the door"
        (sent,) = server.files
        assert sent.name == "voice.wav"
        assert sent.content == await asyncio.to_thread(Path(file.path).read_bytes)
        assert sent.fields == {"model": "ear-1", "response_format": "json", "language": "de"}
        assert server.keys == ["Bearer secret"]


@pytest.mark.parametrize(
    ("told", "counted"),
    [
        ({}, TokenUsage("ear-1", 20, 0)),
        ({"type": "duration", "seconds": 7}, TokenUsage("ear-1", 70, 0)),
        ({"type": "tokens", "input_tokens": 14, "output_tokens": 5}, TokenUsage("ear-1", 14, 5)),
        ({"seconds": "many", "input_tokens": -1}, TokenUsage("ear-1", 20, 0)),
    ],
)
async def test_what_it_took_is_counted(tmp_path: Path, told: dict[str, object], counted: TokenUsage):
    async with service() as (speech, server):
        server.usage = told
        assert (await speech.transcribe(wav(tmp_path / "a", 2))).usage == counted


async def test_what_is_too_large_or_too_long_goes_nowhere(tmp_path: Path):
    async with service(max_size=20_000, max_seconds=1.0) as (speech, server):
        with pytest.raises(SpeechTooLong, match="max_size"):
            await speech.transcribe(wav(tmp_path / "a", 2))
        with pytest.raises(SpeechTooLong, match="max_seconds"):
            await speech.transcribe(replace(wav(tmp_path / "b", 2), size=1))
        assert not server.asked


async def test_a_service_that_is_busy_is_asked_once_more(tmp_path: Path):
    async with service() as (speech, server):
        server.failures = [503]
        assert (await speech.transcribe(wav(tmp_path / "a", 1))).text == "open the door"
        assert server.asked == 2


async def test_a_service_that_stays_away_is_given_up(tmp_path: Path):
    async with service() as (speech, server):
        server.failures = [503, 429, 503]
        with pytest.raises(SpeechFailed, match="429"):
            await speech.transcribe(wav(tmp_path / "a", 1))


async def test_a_refusal_is_final(tmp_path: Path):
    async with service() as (speech, server):
        server.failures = [401]
        with pytest.raises(SpeechFailed, match="401") as refusal:
            await speech.transcribe(wav(tmp_path / "a", 1))
        assert refusal.value.refused
        assert server.asked == 1


async def test_nobody_waits_for_ever(tmp_path: Path):
    async with service(timeout=0.05) as (speech, server):
        server.silent = True
        with pytest.raises(SpeechFailed, match="took longer"):
            await speech.transcribe(wav(tmp_path / "a", 1))


@pytest.mark.parametrize("answer", [b"not JSON", b"[]", b'{"words": 1}', b'{"text": 7}', b"[" * 5000])
async def test_a_senseless_answer_is_a_failure(tmp_path: Path, answer: bytes):
    async with service() as (speech, server):
        server.answer = answer
        with pytest.raises(SpeechFailed):
            await speech.transcribe(wav(tmp_path / "a", 1))


async def test_a_file_that_is_gone_is_a_failure(tmp_path: Path):
    async with service() as (speech, _):
        with pytest.raises(SpeechFailed, match="cannot be read"):
            await speech.transcribe(StoredFile(AttachmentKind.AUDIO, "a", "", 1, str(tmp_path / "gone")))


async def test_a_text_is_spoken_without_its_marks(tmp_path: Path):
    async with service() as (speech, server):
        made = await speech.speak("**Yes**, see [the plan](https://example.org/plan).", tmp_path / "turn")
        assert server.spoken == [
            {"model": "mouth-1", "voice": "alloy", "input": "Yes, see the plan.", "response_format": "opus"}
        ]
        assert (made.name, made.mime, made.size, made.voice) == ("voice.ogg", "audio/ogg", len(SOUND), True)
        assert await asyncio.to_thread(Path(made.path).read_bytes) == SOUND


async def test_a_long_text_is_not_spoken(tmp_path: Path):
    async with service() as (speech, server):
        with pytest.raises(SpeechTooLong, match="max_characters"):
            await speech.speak("word " * 1000, tmp_path)
        assert not server.asked


async def test_without_an_address_it_neither_hears_nor_speaks():
    async with open_speech(TranscriptionOptions(), VoiceOptions()) as speech:
        assert (speech.hears, speech.speaks) == (False, False)


def test_kinds_are_told_by_content():
    assert extension_of(b"OggS....", "x.opus") == "ogg"
    assert extension_of(b"\0\0\0\x18ftypM4A ", "x") == "m4a"
    assert extension_of(b"?", "x.AMR") == "amr"
    assert extension_of(b"?", "no ending/..") == "ogg"


def test_lengths_are_read_from_headers(tmp_path: Path):
    assert seconds_of(Path(wav(tmp_path / "a", 3).path).read_bytes()) == 3
    page = b"OggS\0\4" + struct.pack("<q", 48_000 * 9) + b"\0" * 13
    assert seconds_of(b"OggS" + b"\0" * 24 + b"OpusHead" + b"x" * 90 + page) == 9
    movie = b"\0\0\0\x18ftypM4A " + b"mvhd" + b"\0" * 12 + struct.pack(">II", 1000, 4500) + b"\0" * 20
    assert seconds_of(movie) == 4.5
    for broken in (b"", b"OggS", b"RIFF", b"....ftyp....mvhd", b"OggS" + b"\xff" * 200, b"#!AMR\n"):
        assert seconds_of(broken) == 0


def test_links_and_marks_are_not_read_out():
    assert speakable("# Title\n> *a* `b` [c](http://x)") == " Title\n a b c"
