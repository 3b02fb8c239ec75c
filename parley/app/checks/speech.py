"""Whether the services for voice messages answer."""

from __future__ import annotations

import io
import tempfile
import wave
from pathlib import Path

from parley.agent.speech.service import OpenAiSpeech, open_speech
from parley.app.checks.findings import Findings, problem_at
from parley.app.settings.load import LoadedSettings
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import SpeechFailed
from parley.core.network import without_credentials

_RATE = 16_000


async def ask_speech(loaded: LoadedSettings) -> Findings:
    """Have half a second of silence transcribed, and a word spoken, by the services that are set."""
    settings = loaded.settings
    found = Findings()
    with tempfile.TemporaryDirectory(prefix="parley-check-") as folder:
        async with open_speech(settings.transcription.options(), settings.speech.options()) as speech:
            if speech.hears:
                found += await _hears(loaded, speech, Path(folder))
            if speech.speaks:
                found += await _speaks(loaded, speech, Path(folder))
    return found


async def _hears(loaded: LoadedSettings, speech: OpenAiSpeech, folder: Path) -> Findings:
    silence = _silence()
    path = folder / "silence.wav"
    path.write_bytes(silence)
    file = StoredFile(AttachmentKind.AUDIO, path.name, "audio/wav", len(silence), str(path), voice=True)
    try:
        await speech.transcribe(file)
    except SpeechFailed as error:
        return _failed(loaded, "transcription", error)
    service = without_credentials(loaded.settings.transcription.url)
    return Findings(known=(f"voice messages are turned into words by {service}",))


async def _speaks(loaded: LoadedSettings, speech: OpenAiSpeech, folder: Path) -> Findings:
    try:
        await speech.speak("Yes.", folder)
    except SpeechFailed as error:
        return _failed(loaded, "speech", error)
    service = without_credentials(loaded.settings.speech.url)
    return Findings(known=(f"answers to voice messages are spoken by {service}",))


def _failed(loaded: LoadedSettings, section: str, error: SpeechFailed) -> Findings:
    text = f"{error}; check the address, {section}.api_key and {section}.model"
    return Findings((problem_at(loaded, (section, "url"), text),))


def _silence() -> bytes:
    sound = io.BytesIO()
    with wave.open(sound, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(_RATE)
        written.writeframes(b"\0\0" * (_RATE // 2))
    return sound.getvalue()
