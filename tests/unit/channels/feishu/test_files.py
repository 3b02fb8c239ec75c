"""Files in and out, within their limits, and never twice."""

import struct

import pytest

from parley.core.model.attachments import Attachment, AttachmentKind, StoredFile
from parley.core.model.errors import AttachmentRefused, ChannelError, ChannelUnavailable, RateLimited
from parley.simulator.feishu import FeishuUpload
from tests.kit.platforms.feishu_channel import KeepingInbox, Notes, listening, snapshot

OPUS = (
    b"OggS" + b"\0" * 24 + b"OpusHead" + b"x" * 90 + b"OggS\0\4" + struct.pack("<q", 9 * 48_000) + b"x" * 40
)
FILM = b"\0\0\0\x18ftypisom" + b"mvhd" + b"\0" * 12 + struct.pack(">II", 1000, 4500) + b"\0" * 20
PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 100


def stored(folder, content, name="table.csv", kind=AttachmentKind.FILE, mime="text/csv"):
    path = folder / f"out-{name}"
    path.write_bytes(content)
    return StoredFile(kind, name, mime, len(content), str(path))


async def attachment(world, content=b"content", kind="file"):
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        world.people.send_file(world.ann.chat, world.ann.open_id, FeishuUpload("x.bin", content, kind))
        (message,) = await inbox.first()
    return message.attachments[0]


async def test_a_file_comes_in_whole(world):
    found = await attachment(world, b"x" * 700_000)
    assert await world.channel.fetch(found, world.folder / "in", 10**6) == 700_000
    assert (world.folder / "in").read_bytes() == b"x" * 700_000


async def test_the_limit_holds_for_the_bytes_that_come(world):
    found = await attachment(world, b"x" * 5000)
    with pytest.raises(AttachmentRefused):
        await world.channel.fetch(found, world.folder / "in", 4999)
    assert list(world.folder.iterdir()) == []


async def test_a_file_that_feishu_does_not_hand_out_is_refused(world):
    for handle in ("file:om_1:key", "image:om_1:file_v3", "nonsense", "file:../../x:y"):
        file = Attachment(AttachmentKind.FILE, "x", "", 0, handle)
        with pytest.raises(AttachmentRefused):
            await world.channel.fetch(file, world.folder / "in", 100)


async def test_an_expired_token_is_replaced_for_downloads_too(world):
    found = await attachment(world)
    world.sim.expire_tokens()
    assert await world.channel.fetch(found, world.folder / "in", 100) == 7


async def test_a_broken_download_leaves_nothing_behind(world):
    found = await attachment(world)
    world.faults.reset_next(["resource"], times=2)
    with pytest.raises(ChannelUnavailable):
        await world.channel.fetch(found, world.folder / "in", 100)
    world.faults.limit_next(["resource"], 3)
    with pytest.raises(RateLimited):
        await world.channel.fetch(found, world.folder / "in", 100)
    assert list(world.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "name", "kind", "mime", "seen"),
    [
        (b"a,b", "tä ble.csv", AttachmentKind.FILE, "text/csv", "file"),
        (PNG, "chart.png", AttachmentKind.IMAGE, "image/png", "image"),
        (b"no picture", "chart.png", AttachmentKind.IMAGE, "image/png", "file"),
        (b"<svg/>", "chart.svg", AttachmentKind.IMAGE, "image/svg+xml", "file"),
    ],
)
async def test_a_file_goes_out_as_what_it_is(world, content, name, kind, mime, seen):
    await world.reply(Notes()).finish(
        snapshot("here", attachments=(stored(world.folder, content, name, kind, mime),))
    )
    text, file = world.seen()
    assert (text.text, file.kind) == ("here", seen)
    assert world.people.file(file.id) == content
    if seen == "file":
        assert file.file == name


@pytest.mark.parametrize(
    ("content", "name", "mime", "seen", "duration"),
    [
        (OPUS, "voice.ogg", "audio/ogg; codecs=opus", "audio", 9000),
        (FILM, "clip.mp4", "video/mp4", "media", 4500),
        (b"OggS" + b"vorbis" * 30, "song.ogg", "audio/ogg", "file", 0),
        (b"ID3" + b"x" * 90, "song.mp3", "audio/mpeg", "file", 0),
        (b"\x1aE\xdf\xa3" + b"x" * 90, "clip.mp4", "video/mp4", "file", 0),
        (OPUS[:60], "voice.opus", "audio/opus", "audio", 0),
    ],
)
async def test_what_can_be_played_is_sent_so_with_its_length(world, content, name, mime, seen, duration):
    file = stored(world.folder, content, name, AttachmentKind.AUDIO, mime)
    await world.reply(Notes()).finish(snapshot("here", attachments=(file,)))
    _, message = world.seen()
    assert (message.kind, message.file, message.duration) == (seen, name, duration)
    assert world.people.file(message.id) == content


@pytest.mark.parametrize(("call", "code"), [("file", 234001), ("send", 230055)])
async def test_a_sound_that_feishu_does_not_play_goes_out_as_a_file(world, call, code):
    reply = world.reply(Notes())
    await reply.show(snapshot("he"))
    world.faults.refuse_next([call], code)
    file = stored(world.folder, OPUS, "voice.ogg", AttachmentKind.AUDIO, "audio/ogg")
    await reply.finish(snapshot("here", attachments=(file,)))
    assert [message.kind for message in world.seen()] == ["interactive", "file"]


async def test_without_the_scope_a_file_is_named_with_the_reason(world):
    world.sim.world.denied.add("im:resource")
    assert "im:resource" in str((await world.channel.preflight()).lacking)
    file = stored(world.folder, OPUS, "voice.ogg", AttachmentKind.AUDIO, "audio/ogg")
    await world.reply(Notes()).finish(snapshot("here", attachments=(file,)))
    assert "voice.ogg" in world.answers()[1]
    assert world.count("file") == 1


async def test_without_the_scope_a_file_of_a_person_is_withheld(world):
    found = await attachment(world)
    world.sim.world.denied.add("im:message:readonly")
    assert "files that people send" in str((await world.channel.preflight()).lacking)
    with pytest.raises(AttachmentRefused):
        await world.channel.fetch(found, world.folder / "in", 100)


@pytest.mark.parametrize("content", [b"", b"x" * 2000])
async def test_a_file_that_cannot_go_out_is_named_with_the_reason(world, content):
    channel = world.another_channel(max_file_out=1000)
    reply = world.reply(Notes(), channel)
    await reply.finish(snapshot("here", attachments=(stored(world.folder, content),)))
    assert "table.csv" in world.answers()[1]


async def test_a_file_that_is_gone_is_named(world):
    file = stored(world.folder, b"x")
    (world.folder / "out-table.csv").unlink()
    await world.reply(Notes()).finish(snapshot("here", attachments=(file,)))
    assert "table.csv" in world.answers()[1]


@pytest.mark.parametrize("name", ["file", "send"])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_file_whose_answer_was_lost_is_there_once(world, name, when):
    files = (stored(world.folder, b"1", "one.txt"), stored(world.folder, b"2", "two.txt"))
    notes, failures = Notes(), 0
    await world.reply(notes).finish(snapshot("here"))
    world.faults.reset_next([name], when, times=2)
    for _ in range(4):
        try:
            receipt = await world.reply(Notes(), handle=notes.last).finish(
                snapshot("here", attachments=files)
            )
        except ChannelError:
            failures += 1
        else:
            break
    assert failures
    assert [message.file for message in world.seen()] == ["", "one.txt", "two.txt"]
    assert not receipt.doubtful
