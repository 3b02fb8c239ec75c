"""A platform that is asked for words is asked first, and the service where it has none."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.model.attachments import StoredFile
from parley.core.model.errors import (
    ChannelUnavailable,
    DeliveryRejected,
    ParleyError,
    SpeechFailed,
    SpeechTooLong,
)
from parley.core.ports.speech import NO_SPEECH, HeardSpeech, SpeechService
from parley.core.scheduler.manager import Manager
from tests.kit.doubles.core import Core, RecordingChannel, core
from tests.unit.core.attachments.test_voice_messages import VOICE, Ear


class AskedChannel(RecordingChannel):
    """A platform that hears `words`, or fails."""

    def __init__(self, words: str = "", error: ParleyError | None = None) -> None:
        super().__init__()
        self.recognizes, self.words, self.error = True, words, error

    async def recognize(self, file: StoredFile) -> HeardSpeech:
        if self.error is not None:
            raise self.error
        return HeardSpeech(self.words)


async def said(folder: Path, channel: AskedChannel, service: SpeechService) -> str:
    """What a person sees who sent a voice message."""
    async with core(folder, working=False) as parley:
        parley.channel = channel
        parley.services = replace(parley.services, speech=service, channels={"test": channel})
        return await _answer(parley)


async def _answer(parley: Core) -> str:
    parley.manager = Manager(parley.services)
    parley.task = asyncio.create_task(parley.manager.run())
    await parley.say("", attachments=(VOICE,))
    (text,) = await parley.channel.until_finals(1)
    return text


async def test_what_the_platform_hears_is_taken_and_no_service_is_asked(tmp_path):
    service = Ear()
    text = await said(tmp_path, AskedChannel("from the platform"), service)
    assert "I heard: “from the platform”" in text
    assert service.heard == []


async def test_no_service_is_needed(tmp_path):
    text = await said(tmp_path, AskedChannel("from the platform"), NO_SPEECH)
    assert "I heard: “from the platform”" in text


@pytest.mark.parametrize(
    "error",
    [
        DeliveryRejected("no such scope"),
        ChannelUnavailable("away"),
        SpeechFailed("torn"),
        SpeechTooLong("5 h"),
    ],
)
async def test_what_the_platform_does_not_hear_is_left_to_the_service(tmp_path, error, caplog):
    caplog.set_level(logging.WARNING)
    text = await said(tmp_path, AskedChannel(error=error), Ear())
    assert "I heard: “open the door”" in text
    assert f"test: a voice message is left to transcription.url: {error}" in caplog.messages


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (DeliveryRejected("no such scope"), "I could not turn"),
        (SpeechTooLong("5 h"), "too long"),
    ],
)
async def test_without_a_service_the_person_is_told(tmp_path, error, told, caplog):
    caplog.set_level(logging.INFO)
    text = await said(tmp_path, AskedChannel(error=error), NO_SPEECH)
    assert told in text
    assert any(error.user_text in line for line in caplog.messages)


async def test_a_platform_that_is_not_to_be_asked_is_not_asked(tmp_path):
    channel = AskedChannel("from the platform")
    channel.recognizes = False
    assert "Please write instead" in await said(tmp_path, channel, NO_SPEECH)
