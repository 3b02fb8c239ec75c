"""Files to and from people, within their limits."""

from dataclasses import replace

import pytest

from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import AttachmentRefused, ChannelUnavailable
from parley.simulator.telegram import TelegramUpload
from tests.kit.platforms.telegram_channel import KeepingInbox, Notes, listening, snapshot

PNG = b"\x89PNG\r\n" + b"x" * 100


def stored(tmp_path, name, content, mime, kind=AttachmentKind.FILE):
    (tmp_path / name).write_bytes(content)
    return StoredFile(kind, name, mime, len(content), str(tmp_path / name))


async def received(world, content=b"x" * 5000):
    world.people.send_file(world.alice.id, world.alice.id, TelegramUpload("a.bin", content))
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        (message,) = await inbox.first()
    return message.attachments[0]


async def test_a_file_is_fetched_byte_for_byte(world, tmp_path):
    attachment = await received(world)
    assert await world.channel.fetch(attachment, tmp_path / "a", 5000) == 5000
    assert (tmp_path / "a").read_bytes() == b"x" * 5000


async def test_a_file_over_the_limit_is_refused_by_its_declared_and_its_real_size(world, tmp_path):
    attachment = await received(world)
    for wrong in (attachment, replace(attachment, size=0)):
        with pytest.raises(AttachmentRefused):
            await world.channel.fetch(wrong, tmp_path / "a", 4999)
    assert not (tmp_path / "a").exists()


async def test_what_telegram_does_not_hand_out_is_refused(world, tmp_path):
    large = await received(world, b"x" * 20_000_001)
    gone = replace(large, handle="no-such-file", size=0)
    for attachment in (replace(large, size=0), gone):
        with pytest.raises(AttachmentRefused):
            await world.channel.fetch(attachment, tmp_path / "a", 10**9)


async def test_a_broken_download_may_be_tried_again(world, tmp_path):
    attachment = await received(world)
    world.sim.faults.reset_next("file", times=2)
    with pytest.raises(ChannelUnavailable) as raised:
        await world.channel.fetch(attachment, tmp_path / "a", 5000)
    assert world.sim.token not in str(raised.value)
    assert await world.channel.fetch(attachment, tmp_path / "a", 5000) == 5000


async def test_photos_go_as_photos_and_the_rest_as_documents_after_the_text(world, tmp_path):
    files = (
        stored(tmp_path, "chart.png", PNG, "image/png", AttachmentKind.IMAGE),
        stored(tmp_path, "Bericht für März.pdf", b"pdf", "application/pdf"),
        stored(tmp_path, "odd.png", b"no image at all", "image/png", AttachmentKind.IMAGE),
    )
    receipt = await world.channel.open_reply(world.target(), Notes()).finish(
        snapshot("Here.", attachments=files)
    )
    messages = world.people.messages(world.alice.id)
    assert [message.file_kind for message in messages] == ["", "photo", "document", "document"]
    assert [message.file for message in messages] == ["", "chart.png", "Bericht für März.pdf", "odd.png"]
    assert world.people.file(world.alice.id, messages[1].id) == PNG
    assert len(receipt.message_ids) == 4


async def test_an_answer_may_be_files_alone(world, tmp_path):
    file = stored(tmp_path, "a.txt", b"text", "text/plain")
    await world.channel.open_reply(world.target(), Notes()).finish(snapshot("", attachments=(file,)))
    assert [message.file for message in world.people.messages(world.alice.id)] == ["a.txt"]


async def test_a_file_that_cannot_be_sent_is_named_and_the_rest_goes_on(world, tmp_path):
    large = StoredFile(AttachmentKind.FILE, "film.mp4", "video/mp4", 62_000_000, str(tmp_path / "film"))
    gone = StoredFile(AttachmentKind.FILE, "gone.txt", "text/plain", 5, str(tmp_path / "gone"))
    empty = stored(tmp_path, "empty.txt", b"", "text/plain")
    fine = stored(tmp_path, "a.txt", b"text", "text/plain")
    reply = world.channel.open_reply(world.target(), Notes())
    await reply.finish(snapshot("", attachments=(large, gone, empty, fine)))
    first, second, third, fourth = world.people.messages(world.alice.id)
    assert "film.mp4" in first.text
    assert "(62 MB) was left out: it is larger than 50 MB" in first.text
    assert "gone.txt" in second.text
    assert "empty.txt" in third.text
    assert fourth.file == "a.txt"


@pytest.mark.parametrize(("when", "copies", "doubtful"), [("before", 1, True), ("after", 2, True)])
async def test_a_file_whose_answer_was_lost_is_sent_again_and_counted(
    world, tmp_path, when, copies, doubtful
):
    world.sim.faults.reset_next("sendDocument", when)
    file = stored(tmp_path, "a.txt", b"text", "text/plain")
    reply = world.channel.open_reply(world.target(), Notes())
    with pytest.raises(ChannelUnavailable):
        await reply.finish(snapshot("Here you are.", attachments=(file,)))
    receipt = await reply.finish(snapshot("Here you are.", attachments=(file,)))
    files = [message.file for message in world.people.messages(world.alice.id) if message.file]
    assert files == ["a.txt"] * copies
    assert receipt.doubtful is doubtful
    assert world.answers()[0] == "Here you are."


async def test_a_crash_while_a_file_was_on_its_way_is_counted_and_sent_files_are_not_sent_again(
    world, tmp_path
):
    files = tuple(stored(tmp_path, f"{name}.txt", b"text", "text/plain") for name in "ab")
    notes = Notes()
    reply = world.channel.open_reply(world.target(), notes)
    await reply.finish(snapshot("Two.", attachments=files[:1]))
    world.sim.faults.reset_next("sendDocument", "after")
    with pytest.raises(ChannelUnavailable):
        await reply.finish(snapshot("Two.", attachments=files))
    resumed = world.another_channel().open_reply(world.target(handle=notes.last), Notes())
    receipt = await resumed.finish(snapshot("Two.", attachments=files))
    assert receipt.doubtful
    sent = [message.file for message in world.people.messages(world.alice.id) if message.file]
    assert sent == ["a.txt", "b.txt", "b.txt"]


def shown(world):
    """Kind, name and album of each file in the private chat."""
    messages = [message for message in world.people.messages(world.alice.id) if message.file]
    return [(message.file_kind, message.file, message.album != "") for message in messages]


OGG = b"OggS" + b"x" * 50


@pytest.mark.parametrize(
    ("name", "content", "mime", "voice", "kind"),
    [
        ("said.ogg", OGG, "audio/ogg", True, "voice"),
        ("said.mp3", b"ID3", "audio/mpeg", True, "voice"),
        ("spoken.mp3", b"ID3", "audio/mp3", True, "voice"),
        ("noise.ogg", OGG, "audio/ogg; codecs=opus", False, "voice"),
        ("no.ogg", b"flac?", "audio/ogg", False, "document"),
        ("song.mp3", b"ID3", "audio/mpeg", False, "audio"),
        ("film.mp4", b"mp4", "video/mp4", False, "video"),
        ("cat.gif", b"GIF8", "image/gif", False, "animation"),
        ("raw.wav", b"RIFF", "audio/wav", False, "document"),
    ],
)
async def test_what_can_be_played_is_sent_to_be_played(world, tmp_path, name, content, mime, voice, kind):
    file = replace(stored(tmp_path, name, content, mime), voice=voice)
    await world.channel.open_reply(world.target(), Notes()).finish(snapshot("", attachments=(file,)))
    assert shown(world) == [(kind, name, False)]


async def test_files_of_one_kind_are_an_album_in_their_order(world, tmp_path):
    files = (
        *(stored(tmp_path, f"{n}.png", PNG, "image/png", AttachmentKind.IMAGE) for n in range(2)),
        stored(tmp_path, "film.mp4", b"mp4", "video/mp4", AttachmentKind.VIDEO),
        *(stored(tmp_path, f"{n}.pdf", b"pdf", "application/pdf") for n in range(12)),
        stored(tmp_path, "song.mp3", b"ID3", "audio/mpeg", AttachmentKind.AUDIO),
    )
    receipt = await world.channel.open_reply(world.target(), Notes()).finish(snapshot("", attachments=files))
    assert [name for _, name, _ in shown(world)] == [file.name for file in files]
    assert [album for _, _, album in shown(world)] == [True] * 15 + [False]
    assert len(world.sim.calls("sendMediaGroup")) == 3
    assert len(receipt.message_ids) == 16


async def test_an_album_with_a_file_that_is_refused_goes_one_by_one(world, tmp_path):
    files = (stored(tmp_path, "a.txt", b"text", "text/plain"), stored(tmp_path, "b.txt", b"", "text/plain"))
    await world.channel.open_reply(world.target(), Notes()).finish(snapshot("", attachments=files))
    assert shown(world) == [("document", "a.txt", False)]
    assert "b.txt" in world.answers()[-1]
    assert len(world.sim.calls("sendMediaGroup")) == 1


async def test_an_album_is_as_large_as_one_file_may_be(world, tmp_path):
    channel = world.another_channel(max_file_out=250)
    files = tuple(stored(tmp_path, f"{n}.pdf", b"x" * 100, "application/pdf") for n in range(5))
    await channel.open_reply(world.target(), Notes()).finish(snapshot("", attachments=files))
    assert [album for _, _, album in shown(world)] == [True] * 4 + [False]


async def test_an_album_whose_answer_was_lost_is_sent_again_and_counted(world, tmp_path):
    files = tuple(stored(tmp_path, f"{n}.pdf", b"pdf", "application/pdf") for n in range(2))
    world.sim.faults.reset_next("sendMediaGroup", "after")
    notes = Notes()
    with pytest.raises(ChannelUnavailable):
        await world.channel.open_reply(world.target(), notes).finish(snapshot("", attachments=files))
    resumed = world.another_channel().open_reply(world.target(handle=notes.last), Notes())
    receipt = await resumed.finish(snapshot("", attachments=files))
    assert [name for _, name, _ in shown(world)] == ["0.pdf", "1.pdf"] * 2
    assert receipt.doubtful


async def test_a_short_answer_with_one_file_is_one_message(world, tmp_path):
    photo = stored(tmp_path, "a.png", PNG, "image/png", AttachmentKind.IMAGE)
    group, notes = world.people.add_group("Team", [world.alice.id]), Notes()
    question = world.people.say(group, world.alice.id, "@parley_bot draw")
    target, answer = world.target(group, reply_to=question), snapshot("The **chart**.", attachments=(photo,))
    receipt = await world.channel.open_reply(target, notes).finish(answer)
    shown = world.people.messages(group)[-1]
    assert (shown.text, shown.file, shown.reply_to) == ("The chart.", "a.png", question)
    assert shown.entities[0]["type"] == "bold"
    assert receipt.message_ids == (f"{group}:{shown.id}",)
    # Whoever goes on after a crash sends nothing more.
    await world.channel.open_reply(replace(target, handle=notes.last), Notes()).finish(answer)
    assert len([each for each in world.people.messages(group) if each.from_bot]) == 1


async def test_what_grew_or_is_long_has_its_file_after_it(world, tmp_path):
    photo = stored(tmp_path, "a.png", PNG, "image/png", AttachmentKind.IMAGE)
    for number, text in enumerate(("short", "x" * 1025)):
        reply = world.channel.open_reply(replace(world.target(), turn_id=f"turn-{number}"), Notes())
        if number == 0:
            await reply.show(snapshot("sho"))
        await reply.finish(snapshot(text, attachments=(photo,)))
        words, file = world.people.messages(world.alice.id)[-2:]
        assert (words.text, words.file, file.text, file.file) == (text, "", "", "a.png")


async def test_where_a_captioned_file_is_refused_the_words_arrive(world, tmp_path):
    reply = world.channel.open_reply(world.target(), Notes())
    await reply.finish(snapshot("The chart.", attachments=(stored(tmp_path, "a.bin", b"", "x/y"),)))
    words, reason = world.answers()
    assert words == "The chart."
    assert "a.bin" in reason


async def test_with_edits_a_file_that_may_be_there_twice_has_no_words(world, tmp_path):
    photo = stored(tmp_path, "a.png", PNG, "image/png", AttachmentKind.IMAGE)
    world.sim.faults.reset_next("sendPhoto", "after")
    notes, answer = Notes(), snapshot("The chart.", attachments=(photo,))
    channel = world.another_channel(delivery="edit")
    with pytest.raises(ChannelUnavailable):
        await channel.open_reply(world.target(), notes).finish(answer)
    again = channel.open_reply(replace(world.target(), handle=notes.last), notes)
    assert (await again.finish(answer)).doubtful
    assert world.answers().count("The chart.") == 1
