"""Answers on their way: nothing lost, nothing doubled, grown where Slack can and changed where it cannot."""

import re
from contextlib import suppress
from dataclasses import replace

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from parley.core.model.errors import ChannelUnavailable, DeliveryRejected, RateLimited
from parley.core.model.types import Step, StepStatus
from tests.kit.platforms.slack_channel import Clock, Notes, finish_until_done, snapshot

POSTS = ("chat.postMessage", "chat.startStream", "chat.appendStream", "chat.stopStream", "chat.update")


async def test_in_a_thread_the_answer_grows_by_deltas_and_ends_signed(world):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot("Hel"))
    await reply.show(snapshot("Hello **you**"))
    assert world.people.messages(*thread)[-1].streaming
    receipt = await reply.finish(snapshot("Hello **you**!", final=True))
    message = world.people.messages(*thread)[-1]
    assert (message.text, message.streaming, message.edited) == ("Hello you!", False, False)
    assert message.metadata["event_payload"] == {"turn": "turn-1", "part": 0}
    assert receipt.message_ids == (f"{thread[0]}:{message.ts}",)
    sent = [call.params["chunks"] for call in world.sim.calls() if "chunks" in call.params]
    assert [chunk[0]["text"] for chunk in sent] == ["Hel", "lo **you**", "!"]


async def test_in_a_plain_dm_one_message_is_changed(world):
    reply = world.channel().open_reply(world.target(), Notes())
    await reply.show(snapshot(""))
    await reply.show(snapshot("Once upon"))
    await reply.finish(snapshot("Once upon a time."))
    assert world.ours() == ["Once upon a time."]
    assert not world.sim.calls("chat.startStream")


TABLE = "See:\n\n| name | age |\n|---|--:|\n| Ann | 42 |"


@pytest.mark.parametrize("in_thread", [True, False])
@pytest.mark.parametrize("shown", ["", TABLE])
async def test_tables_are_drawn(world, in_thread, shown):
    thread = world.thread() if in_thread else None
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot(shown))
    await reply.finish(snapshot(TABLE, final=True))
    assert world.ours(thread) == ["See:\n\nname | age\nAnn | 42"]


@pytest.mark.parametrize("refused", [1, 2, 3])
async def test_where_slack_refuses_a_table_its_words_are_there(world, refused):
    for _ in range(refused):
        world.sim.faults.fail_next("chat.postMessage", "invalid_blocks")
    await world.channel().open_reply(world.target(), Notes()).finish(snapshot(TABLE, final=True))
    assert world.ours() == [TABLE]
    assert len(world.sim.calls("chat.postMessage")) == refused + 1


async def test_while_nothing_is_said_the_status_line_says_so(world):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot(""))
    assert world.people.status(*thread) == "is thinking…"
    await reply.finish(snapshot("done"))
    assert world.people.status(*thread) == ""


async def test_steps_are_cards_of_the_growing_message(world):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot("", steps=(Step("1", "search", StepStatus.RUNNING),)))
    assert world.people.messages(*thread)[-1].tasks == (("search", "in_progress"),)
    done = (Step("1", "search", StepStatus.DONE), Step("2", "read", StepStatus.RUNNING))
    await reply.show(snapshot("Let me see", steps=done))
    await reply.finish(snapshot("Let me see: noon.", steps=done))
    message = world.people.messages(*thread)[-1]
    assert message.tasks == (("search", "complete"), ("read", "complete"))
    assert message.text == "Let me see: noon."


async def test_in_a_plain_dm_steps_are_lines_and_gone_in_the_end(world):
    reply = world.channel().open_reply(world.target(), Notes())
    await reply.show(snapshot("", steps=(Step("1", "search", StepStatus.RUNNING),)))
    assert world.ours() == ["⏳ search"]
    await reply.finish(snapshot("noon", steps=(Step("1", "search", StepStatus.DONE),)))
    assert world.ours() == ["noon"]


async def test_text_that_is_no_continuation_replaces_what_was_shown(world):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot("I think so"))
    await reply.show(snapshot("On second thought"))
    await reply.finish(snapshot("On second thought: no."))
    assert world.ours(thread) == ["On second thought: no."]


@pytest.mark.parametrize("error", ["unknown_method", "missing_scope", "something_new"])
async def test_without_streams_messages_are_changed(world, error):
    thread = world.thread()
    world.sim.faults.fail_next("chat.startStream", error)
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot("growing"))
    await reply.show(snapshot("growing more"))
    assert world.ours(thread) == ["growing more"]
    await reply.finish(snapshot("grown"))
    assert world.ours(thread) == ["grown"]
    assert len(world.sim.calls("chat.startStream")) == 1


@pytest.mark.parametrize("shown", [1, 2, 3])
async def test_a_stream_that_slack_ended_goes_on_as_a_changed_message(world, shown):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    for number, text in enumerate(("one", "one two", "one two three"), start=1):
        await reply.show(snapshot(text))
        if number == shown:
            world.people.stop(thread[0], world.alice.id, thread[1])
    await reply.finish(snapshot("one two three four"))
    assert world.ours(thread) == ["one two three four"]


async def test_before_the_five_minutes_a_new_message_goes_on_with_the_text(world):
    thread, clock = world.thread(), Clock()
    reply = world.channel(clock=clock).open_reply(world.target(thread), Notes())
    await reply.show(snapshot("The first words \n\n```py\nx = 1"))
    clock.now = 1e9
    await reply.show(snapshot("The first words \n\n```py\nx = 1\ny = 2"))
    await reply.show(snapshot("The first words \n\n```py\nx = 1\ny = 2\nz = 3"))
    first, second = world.people.messages(*thread)[1:]
    assert (first.streaming, second.streaming) == (False, True)
    await reply.finish(snapshot("The first words \n\n```py\nx = 1\ny = 2\nz = 3\n```\nend"))
    words = re.findall(r"\w+", " ".join(world.ours(thread)))
    assert words == ["The", "first", "words", "x", "1", "y", "2", "z", "3", "end"]


async def test_a_final_text_of_its_own_undoes_the_cuts(world):
    thread, clock = world.thread(), Clock()
    reply = world.channel(clock=clock).open_reply(world.target(thread), Notes())
    await reply.show(snapshot("some words"))
    clock.now = 1e9
    await reply.show(snapshot("some words and more"))
    await reply.show(snapshot("some words and more still"))
    await reply.finish(snapshot("all anew"))
    assert world.ours(thread) == ["all anew"]


@pytest.mark.parametrize("in_thread", [True, False])
@pytest.mark.parametrize("method", POSTS)
@pytest.mark.parametrize("how", ["before", "after", "garbled", "broken"])
@pytest.mark.parametrize("text", ["A whole sentence as the answer.", "word " * 5000])
async def test_whatever_call_is_lost_the_answer_stands_there_once(world, in_thread, method, how, text):
    thread = world.thread() if in_thread else None
    reply, faults = world.channel().open_reply(world.target(thread), Notes()), world.sim.faults
    if how == "garbled":
        faults.garble_next(method)
    elif how == "broken":
        faults.fail_next(method, "", status=503)
    else:
        faults.reset_next(method, how)
    for part in (text[:9], text[:17]):
        try:
            await reply.show(snapshot(part))
        except ChannelUnavailable:
            continue
    receipt = await finish_until_done(reply, snapshot(text, final=True))
    assert " ".join(world.ours(thread)).split() == text.split()
    assert not any(message.streaming for message in world.people.messages((thread or (world.alice.dm,))[0]))
    assert not receipt.doubtful


@pytest.mark.parametrize("in_thread", [True, False])
@pytest.mark.parametrize("crash_at", range(6))
async def test_after_a_crash_at_any_note_the_answer_stands_there_once(world, in_thread, crash_at):
    thread = world.thread() if in_thread else None
    target = world.target(thread)
    text, notes = "word " * 5000, DyingNotes(crash_at)
    reply = world.channel().open_reply(target, notes)
    with suppress(Killed):
        await reply.show(snapshot(text[:20]))
        await reply.finish(snapshot(text))
    again = world.channel().open_reply(replace(target, handle=notes.last), Notes())
    await finish_until_done(again, snapshot(text))
    assert " ".join(world.ours(thread)).split() == text.split()


class Killed(Exception):
    pass


class DyingNotes(Notes):
    """Dies at its n-th checkpoint, before or after it is on disk."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.left = at

    async def __call__(self, handle: str) -> None:
        if self.left == 0:
            raise Killed
        self.left -= 1
        await super().__call__(handle)


@pytest.mark.parametrize("in_thread", [True, False])
async def test_a_message_that_arrives_after_it_was_looked_for_is_taken_away(world, in_thread):
    thread = world.thread() if in_thread else None
    target, notes, later = world.target(thread), Notes(), Notes()
    world.sim.faults.reset_next("chat.postMessage", "before")
    with pytest.raises(ChannelUnavailable):
        await world.channel().open_reply(target, notes).finish(snapshot("The whole.", final=True))
    other = world.target(thread, turn="turn-2")
    await world.channel().open_reply(other, Notes()).finish(replace(snapshot("Other."), turn_id="turn-2"))
    reply = world.channel().open_reply(replace(target, handle=notes.last), later)
    assert (await reply.finish(snapshot("The whole.", final=True))).late
    client = AsyncWebClient(world.sim.bot_token, world.sim.api_url)
    # What was on its way is the same call; each of its tries may have been.
    for _ in range(2):
        await client.api_call("chat.postMessage", json=world.sim.calls("chat.postMessage")[-1].params)
    assert world.ours(thread) == ["Other.", "The whole.", "The whole.", "The whole."]
    again = world.channel().open_reply(replace(target, handle=later.last), Notes())
    world.sim.faults.fail_next("chat.delete", "message_not_found")
    await again.rewrite(snapshot("The whole.", final=True))
    assert world.ours(thread) == ["Other.", "The whole.", "The whole."], (
        "one is gone although another was not"
    )
    await again.rewrite(snapshot("The whole.", final=True))
    assert world.ours(thread) == ["Other.", "The whole."]


async def test_without_the_right_to_look_the_doubt_is_said(world):
    world.people.restrict_scopes("im:history")
    world.sim.faults.reset_next("chat.postMessage", "after")
    reply = world.channel().open_reply(world.target(), Notes())
    receipt = await finish_until_done(reply, snapshot("hello there"))
    assert receipt.doubtful
    assert world.ours() == ["hello there", "hello there"]


async def test_a_rate_limit_says_exactly_how_long(world):
    world.sim.faults.fail_next("chat.postMessage", "ratelimited", 429, retry_after=3)
    reply = world.channel().open_reply(world.target(), Notes())
    with pytest.raises(RateLimited) as raised:
        await reply.finish(snapshot("hello there"))
    assert raised.value.retry_after == 3
    began = world.limits.now()
    await reply.finish(snapshot("hello there"))
    assert world.limits.now() - began > 2.9
    assert world.ours() == ["hello there"]
    assert not world.sim.calls("conversations.history")


async def test_refused_markdown_leaves_the_words(world):
    world.sim.faults.fail_next("chat.postMessage", "invalid_blocks")
    await world.channel().open_reply(world.target(), Notes()).finish(snapshot("so **bold** & <b>"))
    assert world.ours() == ["so **bold** & <b>"]


async def test_nobody_is_called_together(world):
    await world.channel().open_reply(world.target(), Notes()).finish(snapshot("<!channel> and <@U000002>"))
    (call,) = world.sim.calls("chat.postMessage")
    assert "<!" not in call.params["markdown_text"]
    assert "<@" not in call.params["markdown_text"]


@pytest.mark.parametrize("in_thread", [True, False])
async def test_a_message_that_somebody_deleted_is_sent_anew(world, in_thread):
    thread = world.thread() if in_thread else None
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot("growing"))
    chat = (thread or (world.alice.dm,))[0]
    world.people.delete(chat, world.people.messages(chat)[-1].ts)
    await reply.show(snapshot("growing more"))
    await reply.finish(snapshot("the end"))
    assert world.ours(thread) == ["the end"]


async def test_a_shorter_final_takes_away_what_was_shown_too_much(world):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.show(snapshot("draft " * 5000))
    assert len(world.ours(thread)) == 3
    await reply.finish(snapshot("short"))
    assert world.ours(thread) == ["short"]


async def test_who_has_thrown_us_out_gets_no_answer(world):
    thread = world.thread()
    world.people.close(thread[0], "not_in_channel")
    with pytest.raises(DeliveryRejected):
        await world.channel().open_reply(world.target(thread), Notes()).finish(snapshot("hello"))


async def test_a_blank_answer_sends_nothing(world):
    receipt = await world.channel().open_reply(world.target(), Notes()).finish(snapshot(" \n"))
    assert receipt.message_ids == ()
    assert world.ours() == []


async def test_an_unreadable_handle_is_an_answer_from_the_start(world):
    for handle in (
        "{",
        '{"m": 5}',
        "null",
        '{"m": [], "s": "", "o": 1, "c": [[1]], "f": [], "u": "", "d": 0}',
    ):
        await (
            world.channel().open_reply(world.target(handle=handle), Notes()).finish(snapshot(f"for {handle}"))
        )
    assert len(world.ours()) == 4
