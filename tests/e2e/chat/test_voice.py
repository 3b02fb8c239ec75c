"""What is said on Telegram, Slack and Feishu is heard, answered, and the answer is spoken."""

import asyncio
from pathlib import Path

import pytest

from parley.simulator.feishu import FeishuSimulator, FeishuUpload
from parley.simulator.slack import SlackSimulator, SlackUpload
from parley.simulator.slack.model import SeenSlackMessage
from parley.simulator.telegram import TelegramSimulator, TelegramUpload
from parley.simulator.telegram.model import MediaKind
from tests.kit.doubles.speech_service import SOUND, SpeechServer, speech_server
from tests.kit.product.process import PATIENCE
from tests.kit.product.scene import SLACK_TIMING, begin, end
from tests.kit.product.telegram_chat import Chat, telegram_config
from tests.kit.samples.voice_files import voice_message

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


async def test_a_voice_clip_on_slack_is_answered_by_a_sound_in_its_thread(tmp_path: Path):
    async with speech_server() as service:
        with SlackSimulator(timing=SLACK_TIMING) as slack:
            await asyncio.to_thread(_talk_on_slack, tmp_path, service, slack)
    # Slack has heard it itself.
    assert service.files == []
    (spoken,) = service.spoken
    assert "open the window" in spoken["input"]
    assert "I heard" not in spoken["input"]


def _talk_on_slack(folder: Path, service: SpeechServer, slack: SlackSimulator) -> None:
    tokens = {"bot_token": slack.bot_token, "app_token": slack.app_token, "api_url": slack.api_url}
    config = {
        "channels": {"slack": {"enabled": True, "allowed_users": ["*"], **tokens}},
        "transcription": {"url": service.url, "model": "ear"},
        "speech": {"url": service.url, "model": "mouth"},
    }
    process = begin(folder, config)
    try:
        process.wait_until_ready()
        person = slack.people.add_person("Alice")
        clip = SlackUpload("audio_message.m4a", b"a clip", "audio/mp4", heard="open the window")
        said = slack.people.send_files(person.dm, person.id, [clip])

        def answers() -> list[SeenSlackMessage]:
            return [each for each in slack.people.messages(person.dm, said) if each.from_bot]

        slack.people.wait(lambda: answers() and answers()[-1].files, PATIENCE)
        text, spoken = answers()
        assert "I heard: “open the window”" in text.text
        assert "You said: " in text.text
        assert spoken.thread == said
        assert slack.people.file(person.dm, spoken.ts, spoken.files[0]) == SOUND
        assert spoken.files[0].endswith(".ogg")
    finally:
        end(process)


@pytest.mark.parametrize("granted", [True, False], ids=["granted", "scope missing"])
async def test_a_voice_message_on_feishu_is_heard_by_feishu_itself_else_by_the_service(
    tmp_path: Path, granted: bool
):
    said = voice_message(2.0)
    async with speech_server() as service:
        with FeishuSimulator() as feishu:
            if not granted:
                feishu.world.denied.add("speech_to_text:speech")
            feishu.people.understand("open the gate")
            heard = "open the gate" if granted else "open the door"
            await asyncio.to_thread(_talk_on_feishu, tmp_path, service, feishu, said, heard)
    assert [file.content for file in service.files] == ([] if granted else [said])


def _talk_on_feishu(
    folder: Path, service: SpeechServer, feishu: FeishuSimulator, said: bytes, heard: str
) -> None:
    keys = {"app_id": feishu.world.app_id, "app_secret": feishu.world.secret, "domain": feishu.url}
    config = {
        "channels": {"feishu": {"enabled": True, **keys}},
        "transcription": {"by_platform": True, "url": service.url, "model": "ear"},
    }
    process = begin(folder, config)
    try:
        process.wait_until_ready()
        person = feishu.people.add_person("Alice")
        feishu.people.send_file(person.chat, person.open_id, FeishuUpload("voice.opus", said, "audio"))

        def answered() -> bool:
            return any("You said: " in each for each in feishu.people.answers(person.chat))

        feishu.people.wait(answered, PATIENCE)
        (answer,) = feishu.people.answers(person.chat)
        assert f"I heard: “{heard}”" in answer
    finally:
        end(process)
