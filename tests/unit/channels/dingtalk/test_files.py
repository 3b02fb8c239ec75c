"""Files to and from people, within their limits."""

import io
import json
import struct
import tempfile
import zipfile
from dataclasses import replace

import pytest

from parley.channels.dingtalk.api import DingTalkApi
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import AttachmentRefused, ChannelUnavailable
from parley.simulator.dingtalk import DingTalkUpload
from tests.kit.platforms.dingtalk_channel import KeepingInbox, Notes, listening, snapshot


def stored(folder, name, content, mime="application/octet-stream", kind=AttachmentKind.FILE):
    (folder / name).write_bytes(content)
    return StoredFile(kind, name, mime, len(content), str(folder / name))


async def received(world, content=b"x" * 5000):
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        world.people.send_file(world.alice.id, world.alice.id, DingTalkUpload("a.bin", content))
        (message,) = await inbox.first()
    return message.attachments[0]


async def test_a_file_is_fetched_byte_for_byte(world, tmp_path):
    attachment = await received(world)
    assert await world.channel.fetch(attachment, tmp_path / "a", 5000) == 5000
    assert (tmp_path / "a").read_bytes() == b"x" * 5000


async def test_a_file_over_the_limit_is_refused_by_its_real_size(world, tmp_path):
    attachment = await received(world)
    for channel, limit in ((world.channel, 4999), (world.another_channel(max_file_in=4999), 10**9)):
        with pytest.raises(AttachmentRefused):
            await channel.fetch(attachment, tmp_path / "a", limit)
    assert not list(tmp_path.iterdir())


async def test_what_dingtalk_does_not_hand_out_is_refused(world, tmp_path):
    attachment = await received(world)
    world.sim.world.files.clear()
    with pytest.raises(AttachmentRefused):
        await world.channel.fetch(attachment, tmp_path / "a", 10**9)


async def test_a_broken_download_may_be_tried_again(world, tmp_path):
    attachment = await received(world)
    world.sim.faults.reset_next("file", times=2)
    with pytest.raises(ChannelUnavailable) as raised:
        await world.channel.fetch(attachment, tmp_path / "a", 5000)
    assert world.sim.world.mark not in str(raised.value)
    assert await world.channel.fetch(attachment, tmp_path / "a", 5000) == 5000


async def test_pictures_go_as_pictures_and_the_rest_as_files_after_the_text(world, tmp_path):
    files = (
        stored(tmp_path, "plot.png", b"\x89PNG" * 10, "image/png", AttachmentKind.IMAGE),
        stored(tmp_path, "ünï 名.csv", b"a,b\n"),
    )
    await world.carded().open_reply(world.target(), Notes()).finish(snapshot("two", attachments=files))
    seen = world.people.messages(world.alice.id)
    assert [(each.kind, each.file) for each in seen] == [
        ("card", ""),
        ("sampleImageMsg", "plot.png"),
        ("sampleFile", "ünï 名.csv.zip"),
    ]
    with zipfile.ZipFile(io.BytesIO(world.people.file(world.alice.id, seen[2].id))) as packed:
        assert [(name, packed.read(name)) for name in packed.namelist()] == [("ünï 名.csv", b"a,b\n")]


async def test_documents_that_dingtalk_knows_go_as_they_are(world, tmp_path):
    file = stored(tmp_path, "plan.pdf", b"%PDF")
    await world.channel.open_reply(world.target(), Notes()).finish(snapshot("", attachments=(file,)))
    assert [message.file for message in world.people.messages(world.alice.id)] == ["plan.pdf"]


async def test_a_file_that_cannot_be_sent_is_named_with_the_reason(world, tmp_path):
    channel = world.another_channel(max_file_out=10_000_000)
    large = StoredFile(AttachmentKind.FILE, "big.bin", "", 10_000_001, str(tmp_path / "big"))
    gone = StoredFile(AttachmentKind.FILE, "gone.bin", "", 5, str(tmp_path / "gone"))
    empty = stored(tmp_path, "empty.pdf", b"")
    reply = channel.open_reply(world.target(), Notes())
    await reply.finish(snapshot("", attachments=(large, gone, empty)))
    first, second, third = world.answers()
    assert "big.bin" in first
    assert "larger than 10 MB" in first
    assert "gone.bin (1 kB) was left out: it is no longer available" in second
    assert "empty.pdf" in third


def speech(folder, seconds=2, name="answer.wav", rate=8000):
    """Speech of ours: silence as WAV."""
    head = struct.pack(
        "<4sI4s4sIHHIIHH4sI", b"RIFF", 0, b"WAVE", b"fmt ", 16, 1, 1, rate, rate, 1, 8, b"data", 0
    )
    file = stored(folder, name, head + b"\x80" * int(rate * seconds), "audio/wav", AttachmentKind.AUDIO)
    return replace(file, voice=True)


async def test_speech_is_a_voice_message_with_its_length(world, tmp_path):
    reply = world.channel.open_reply(world.target(), Notes())
    await reply.finish(snapshot("here", final=True, attachments=(speech(tmp_path),)))
    assert [message.kind for message in world.people.messages(world.alice.id)] == [
        "sampleMarkdown",
        "sampleAudio",
    ]
    sent = json.loads(world.sim.calls("batchSend")[-1].body["msgParam"])
    assert sent["duration"] == "2000"


@pytest.mark.parametrize(
    ("seconds", "name", "trouble"),
    [
        (2, "answer.ogg", ""),
        (61, "answer.wav", ""),
        (2, "answer.wav", "upload"),
        (2, "answer.wav", "batchSend"),
    ],
)
async def test_speech_that_dingtalk_does_not_play_is_a_file(world, tmp_path, seconds, name, trouble):
    reply, file = world.channel.open_reply(world.target(), Notes()), speech(tmp_path, seconds, name)
    await reply.finish(snapshot("here", final=True))
    if trouble:
        world.sim.faults.fail_next(trouble, 400, "invalidParameter.msgKey.invalid")
    receipt = await reply.finish(snapshot("here", final=True, attachments=(file,)))
    assert world.people.messages(world.alice.id)[-1].kind == "sampleFile"
    assert not receipt.doubtful


async def test_a_file_that_was_sent_is_not_sent_again(world, tmp_path):
    files = tuple(stored(tmp_path, f"{number}.csv", b"a") for number in range(2))
    notes = Notes()
    world.sim.faults.slow_next("upload", 0.0)
    world.sim.faults.fail_next("upload", 503, "busy")
    reply = world.channel.open_reply(world.target(), notes)
    with pytest.raises(ChannelUnavailable):
        await reply.finish(snapshot("two", attachments=files))
    again = world.another_channel().open_reply(world.target(handle=notes.last), notes)
    receipt = await again.finish(snapshot("two", attachments=files))
    seen = world.people.messages(world.alice.id)
    assert [message.file for message in seen] == ["", "0.csv.zip", "1.csv.zip"]
    assert not receipt.doubtful


async def test_an_upload_with_an_old_token_is_made_again(world, tmp_path):
    channel = world.channel
    await channel.open_reply(world.target(), Notes()).finish(snapshot("one"))
    world.sim.world.expire_tokens()
    file = stored(tmp_path, "a.csv", b"a" * 100_000)
    await channel.open_reply(world.target(turn="turn-2"), Notes()).finish(snapshot("", attachments=(file,)))
    text, sent = world.people.messages(world.alice.id)
    assert (text.file, sent.file) == ("", "a.csv.zip")
    with zipfile.ZipFile(io.BytesIO(world.people.file(world.alice.id, sent.id))) as zipped:
        assert zipped.read("a.csv") == b"a" * 100_000


async def test_a_zip_file_has_no_name_that_a_dying_process_would_leave(world, tmp_path, monkeypatch):
    temporary, names, upload = tmp_path / "temporary", [], DingTalkApi.upload
    temporary.mkdir()

    def uploading(*given):
        names.append(list(temporary.rglob("*")))
        return upload(*given)

    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(DingTalkApi, "upload", uploading)
    file = stored(tmp_path, "a.csv", b"a")
    await world.channel.open_reply(world.target(), Notes()).finish(snapshot("", attachments=(file,)))
    assert [message.file for message in world.people.messages(world.alice.id)] == ["a.csv.zip"]
    assert names == [[]]


@pytest.mark.parametrize("words", ["when is the next release?", ""])
async def test_a_voice_message_comes_with_its_words_and_its_sound(world, tmp_path, words):
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        world.people.speak(world.alice.id, world.alice.id, words, b"#!AMR\nsound")
        (message,) = await inbox.first()
    (voice,) = message.attachments
    assert (message.text, voice.voice, voice.transcript) == ("", True, words)
    await world.channel.fetch(voice, tmp_path / "voice.amr", 1000)
    assert (tmp_path / "voice.amr").read_bytes() == b"#!AMR\nsound"
