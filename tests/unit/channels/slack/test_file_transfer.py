"""Files: every byte, under its cap, only from and to where they belong."""

from dataclasses import replace

import pytest

from parley.channels.slack.file_objects import may_fetch
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.errors import AttachmentRefused, ChannelUnavailable
from parley.simulator.slack import SlackUpload
from tests.kit.platforms.slack_channel import (
    KeepingInbox,
    Notes,
    finish_until_done,
    listening,
    snapshot,
    stored,
)


async def _attached(world, channel, upload):
    inbox = KeepingInbox()
    async with listening(channel, inbox):
        world.people.send_files(world.alice.dm, world.alice.id, [upload])
        return (await inbox.first())[0].attachments[0]


async def test_a_file_comes_in_whole(world, tmp_path):
    content = b"0123456789" * 100_000
    attachment = await _attached(world, world.channel(), SlackUpload("big.bin", content))
    assert await world.channel().fetch(attachment, tmp_path / "in", 2_000_000) == len(content)
    assert (tmp_path / "in").read_bytes() == content


async def test_the_cap_counts_the_bytes_that_come(world, tmp_path):
    attachment = await _attached(world, world.channel(), SlackUpload("big.bin", b"x" * 5000, declared=10))
    with pytest.raises(AttachmentRefused):
        await world.channel().fetch(attachment, tmp_path / "in", 1000)
    assert not (tmp_path / "in").exists()


async def test_a_page_to_log_in_on_is_no_file(world, tmp_path):
    attachment = await _attached(world, world.channel(), SlackUpload("a.bin", b"x"))
    world.people.restrict_scopes("files:read")
    with pytest.raises(AttachmentRefused, match="files:read"):
        await world.channel().fetch(attachment, tmp_path / "in", 1000)


async def test_an_address_that_is_missing_is_asked_for(world, tmp_path):
    attachment = await _attached(world, world.channel(), SlackUpload("a.bin", b"abc"))
    bare = Attachment(AttachmentKind.FILE, "a.bin", "", 0, attachment.handle.partition("|")[0] + "|")
    assert await world.channel().fetch(bare, tmp_path / "in", 1000) == 3


@pytest.mark.parametrize(
    ("url", "may"),
    [
        ("https://files.slack.com/files-pri/T1-F1/a", True),
        ("https://slack.com/x", True),
        ("http://files.slack.com/x", False),
        ("https://files.slack.com.evil.org/x", False),
        ("https://evil.org/files.slack.com", False),
        ("http://169.254.169.254/latest/meta-data", False),
        ("http://127.0.0.1:4444/x", True),
        ("http://127.0.0.1:5555/x", False),
        ("file:///etc/passwd", False),
        ("not a url", False),
        ("", False),
    ],
)
def test_the_token_is_shown_to_slack_only(url, may):
    assert may_fetch(url, "http://127.0.0.1:4444/api/") is may


@pytest.mark.parametrize("in_thread", [True, False])
async def test_files_follow_the_text_in_order(world, tmp_path, in_thread):
    thread = world.thread() if in_thread else None
    files = (stored(tmp_path, "chart.csv", b"a,b"), stored(tmp_path, "ünïcode 名.txt", b"a,b"))
    receipt = (
        await world.channel()
        .open_reply(world.target(thread), Notes())
        .finish(snapshot("Two files.", attachments=files))
    )
    chat, topic = thread or (world.alice.dm, None)
    shown = [message for message in world.people.messages(chat, topic) if message.from_bot]
    assert [message.files for message in shown] == [(), ("chart.csv",), ("ünïcode 名.txt",)]
    assert world.people.file(chat, shown[1].ts, "chart.csv") == b"a,b"
    assert len(receipt.message_ids) == 3


@pytest.mark.parametrize("method", ["files.getUploadURLExternal", "upload", "files.completeUploadExternal"])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_whatever_step_is_lost_a_file_stands_there_once(world, tmp_path, method, when):
    world.sim.faults.reset_next(method, when)
    final = snapshot("", attachments=(stored(tmp_path, "a.bin", b"abc"),))
    receipt = await finish_until_done(world.channel().open_reply(world.target(), Notes()), final)
    assert [m.files for m in world.people.messages(world.alice.dm) if m.from_bot] == [("a.bin",)]
    assert not receipt.doubtful


async def test_after_a_crash_a_file_that_arrived_is_not_sent_again(world, tmp_path):
    target, notes = world.target(), Notes()
    final = snapshot("", attachments=(stored(tmp_path, "a.bin", b"abc"),))
    world.sim.faults.reset_next("files.completeUploadExternal", "after")
    with pytest.raises(ChannelUnavailable):
        await world.channel().open_reply(target, notes).finish(final)
    again = world.channel().open_reply(replace(target, handle=notes.last), Notes())
    await again.finish(final)
    assert [m.files for m in world.people.messages(world.alice.dm) if m.from_bot] == [("a.bin",)]


async def test_a_file_that_is_too_large_or_gone_is_named(world, tmp_path):
    big, empty = stored(tmp_path, "big.bin", b"x" * 50), stored(tmp_path, "x.bin", b"y")
    gone = replace(empty, name="gone.bin", path=str(tmp_path / "nowhere"))
    final = snapshot("see", attachments=(big, gone))
    await world.channel(max_file_out=20).open_reply(world.target(), Notes()).finish(final)
    assert [name in text for name, text in zip(("big.bin", "gone.bin"), world.ours()[1:], strict=True)] == [
        True
    ] * 2
