"""Files: every byte, under its cap, only from and to where they belong."""

from dataclasses import replace

import pytest

from parley.channels.slack.file_objects import may_fetch
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.errors import AttachmentRefused, ChannelUnavailable
from parley.simulator.slack import SlackSimulator, SlackSimulatorTiming, SlackUpload
from tests.kit.platforms.slack_channel import (
    KeepingInbox,
    Notes,
    World,
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


@pytest.mark.strange  # Slack's types of events leave `file_access` out
async def test_a_file_of_another_workspace_comes_with_its_name_and_kind(world):
    inbox = KeepingInbox()
    async with listening(world.channel(), inbox):
        ts = world.people.send_files(
            world.alice.dm, world.alice.id, [SlackUpload("a.png", b"x", "image/png")]
        )
        (whole,) = (await inbox.first())[0].attachments
        stub = {"id": whole.handle.partition("|")[0], "file_access": "check_file_info", "mode": "file_access"}
        event = {"type": "message", "channel": world.alice.dm, "user": world.alice.id, "text": "look"}
        lost = {"id": "F404", "file_access": "check_file_info"}
        world.people.inject_event(event | {"ts": f"{float(ts) + 1:.6f}", "files": [stub, lost]})
        known, unknown = (await inbox.first(2))[1].attachments
    assert known == whole
    assert (unknown.name, unknown.handle) == ("file", "F404|")


async def test_a_crash_before_slack_shows_an_accepted_file_makes_no_second_one(tmp_path):
    with SlackSimulator(timing=SlackSimulatorTiming(share=0.3)) as sim:
        world = World(sim, sim.people.add_person("Alice"))
        target, notes = world.target(), Notes()
        files = (stored(tmp_path, "a.bin", b"abc"),)
        await world.channel().open_reply(target, notes).finish(snapshot("see", attachments=files))
        again = world.channel().open_reply(replace(target, handle=notes.all[-2]), Notes())
        await again.finish(snapshot("see", attachments=files))
        await world.until(lambda: world.people.messages(world.alice.dm)[-1].files)
        assert len(world.sim.calls("files.completeUploadExternal")) == 1


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
