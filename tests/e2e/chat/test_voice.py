"""What is said on Telegram is heard by a service, answered, and the answer is spoken."""

import asyncio
from pathlib import Path

import pytest

from parley.simulator.telegram import TelegramSimulator, TelegramUpload
from parley.simulator.telegram.model import MediaKind
from tests.kit.doubles.speech_service import SOUND, SpeechServer, speech_server
from tests.kit.product.process import PATIENCE
from tests.kit.product.scene import begin, end
from tests.kit.product.telegram_chat import Chat, telegram_config

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]


@pytest.mark.parametrize(
    ("kind", "mime", "said"),
    [
        ("voice", "audio/ogg", b"OggS" + b"what somebody says"),
        ("video_note", "video/mp4", b"\0\0\0\x18ftypmp42" + b"a face that says it"),
    ],
)
async def test_a_voice_message_on_telegram_is_answered_by_one(
    tmp_path: Path, kind: MediaKind, mime: str, said: bytes
):
    async with speech_server() as service:
        with TelegramSimulator() as telegram:
            await asyncio.to_thread(_talk, tmp_path, service, telegram, TelegramUpload("", said, mime, kind))
    assert [file.content for file in service.files] == [said]
    (spoken,) = service.spoken
    assert "open the door" in spoken["input"]
    assert "I heard" not in spoken["input"]


def _talk(folder: Path, service: SpeechServer, telegram: TelegramSimulator, said: TelegramUpload) -> None:
    config = {
        "channels": {"telegram": telegram_config(telegram)},
        "transcription": {"url": service.url, "model": "ear"},
        "speech": {"url": service.url, "model": "mouth"},
    }
    process = begin(folder, config)
    try:
        process.wait_until_ready()
        person = telegram.people.add_person("Alice")
        chat = Chat(telegram, person.id, person.id)
        telegram.people.send_file(chat.chat, chat.person, said)
        telegram.people.wait(lambda: chat.shown() and chat.shown()[-1].file_kind == "voice", PATIENCE)
        text, spoken = chat.shown()
        assert text.text.startswith("🎤 I heard: “open the door”")
        assert "You said: " in text.text
        assert telegram.people.file(chat.chat, spoken.id) == SOUND
    finally:
        end(process)
