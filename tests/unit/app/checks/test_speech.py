"""`parley check` asks the services for voice messages whether they answer."""

from __future__ import annotations

from parley.app.checks.findings import Findings
from parley.app.checks.speech import ask_speech
from tests.kit.doubles.speech_service import speech_server
from tests.kit.settings_reading import settings


async def test_services_that_answer_are_named():
    async with speech_server() as server:
        found = await ask_speech(
            settings(f"transcription: {{url: '{server.url}'}}\nspeech: {{url: '{server.url}'}}")
        )
        assert found.mistakes == ()
        assert found.known == (
            f"voice messages are turned into words by {server.url}",
            f"answers to voice messages are spoken by {server.url}",
        )
        assert [file.name for file in server.files] == ["voice.wav"]
        assert len(server.spoken) == 1


async def test_a_refused_key_is_a_mistake():
    async with speech_server() as server:
        server.failures = [401]
        found = await ask_speech(settings(f"transcription: {{url: '{server.url}', api_key: wrong}}"))
        (mistake,) = found.mistakes
        assert mistake.path == ("transcription", "url")
        assert "answered 401" in mistake.text
        assert "transcription.api_key" in mistake.text


async def test_nothing_is_asked_where_nothing_is_set():
    assert await ask_speech(settings("{}")) == Findings()
