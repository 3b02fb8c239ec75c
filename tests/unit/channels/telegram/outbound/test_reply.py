"""Answers on their way: nothing lost, nothing doubled, shown as each kind of chat does it best."""

import json
from dataclasses import replace

import pytest

from parley.channels.telegram.outbound.reply import TelegramReplyTiming
from parley.core.model.errors import (
    ChannelUnavailable,
    DeliveryRejected,
    LaneLost,
    RateLimited,
    StoreUnavailable,
)
from parley.core.model.types import Step, StepStatus
from tests.kit.platforms.telegram_channel import Notes, snapshot


@pytest.fixture
def group(world):
    return world.people.add_group("Team", [world.alice.id])


async def finish_until_done(world, reply, final, tries=5):
    """As the core does: once more after every error that may pass."""
    for _ in range(tries):
        try:
            return await reply.finish(final)
        except (ChannelUnavailable, RateLimited):
            continue
    raise AssertionError("it never got through")


async def test_in_private_the_answer_grows_in_one_draft_and_ends_as_one_message(world):
    reply = world.channel.open_reply(world.target(), Notes())
    await reply.show(snapshot(""))
    assert [action for _, action in world.people.actions(world.alice.id)] == ["typing"]
    await reply.show(snapshot("Hel"))
    await reply.show(snapshot("Hello **you**"))
    (draft,) = world.people.drafts(world.alice.id)
    assert draft.text == "Hello you"
    assert world.answers() == ()
    receipt = await reply.finish(snapshot("Hello **you**!", final=True))
    assert world.answers() == ("Hello you!",)
    assert world.people.drafts(world.alice.id) == ()
    message = world.people.messages(world.alice.id)[-1]
    assert receipt.message_ids == (f"{world.alice.id}:{message.id}",)
    assert not receipt.doubtful
    assert message.entities[0]["type"] == "bold"


async def test_in_a_group_one_message_grows_and_answers_the_question(world, group):
    question = world.people.say(group, world.alice.id, "@parley_bot hi")
    reply = world.channel.open_reply(world.target(group, reply_to=question), Notes())
    await reply.show(snapshot(""))
    await reply.show(snapshot("Once upon"))
    assert world.answers(group) == ("Once upon …",)
    await reply.show(snapshot("Once upon a time"))
    assert world.answers(group) == ("Once upon a time",)
    await reply.finish(snapshot("Once upon a time there was.", final=True))
    assert world.answers(group) == ("Once upon a time there was.",)
    assert world.people.messages(group)[-1].reply_to == question
    assert world.sim.calls("sendMessageDraft") == ()


async def test_in_a_topic_the_answer_stays_there(world):
    forum = world.people.add_group("Forum", [world.alice.id], forum=True)
    topic = world.people.add_topic(forum, "Billing", world.alice.id)
    await world.channel.open_reply(world.target(forum, topic=topic), Notes()).finish(snapshot("done"))
    assert world.people.messages(forum)[-1].topic == topic


async def test_steps_are_lines_while_they_run_and_gone_in_the_end(world):
    reply = world.channel.open_reply(world.target(), Notes())
    running = (Step("1", "search", StepStatus.DONE), Step("2", "get_time", StepStatus.RUNNING))
    await reply.show(snapshot("Let me see", steps=running))
    assert world.people.drafts(world.alice.id)[0].text == "Let me see\n\n✓ search\n⏳ get_time"
    await reply.finish(snapshot("It is noon.", steps=running))
    assert world.answers() == ("It is noon.",)


async def test_a_draft_and_typing_go_on_while_nothing_new_comes(world):
    channel = world.another_channel(rhythm=TelegramReplyTiming(typing=0.05, draft=0.05))
    reply = channel.open_reply(world.target(), Notes())
    await reply.show(snapshot(""))
    await world.until(lambda: len(world.people.actions(world.alice.id)) >= 3)
    await reply.show(snapshot("thinking"))
    await world.until(lambda: len(world.sim.calls("sendMessageDraft")) >= 3)
    await reply.finish(snapshot("done"))
    assert world.people.drafts(world.alice.id) == ()


async def test_a_draft_can_be_stopped_and_the_stop_is_answered_by_the_answer_alone(world):
    reply = world.channel.open_reply(world.target(), Notes())
    await reply.show(snapshot("writing"))
    assert world.people.drafts(world.alice.id)[0].can_stop
    press = replace(world.target(), reply_to=f"stop:{world.alice.id}:5")
    await world.channel.open_reply(press, Notes()).finish(snapshot("Stopping."))
    await reply.finish(snapshot("writing\n\n⏹ Stopped."))
    assert world.answers() == ("writing\n\n⏹ Stopped.",)


async def test_without_drafts_a_message_is_edited(world):
    world.sim.faults.fail_next("sendMessageDraft", 404, "Not Found")
    reply = world.channel.open_reply(world.target(), Notes())
    await reply.show(snapshot("growing"))
    assert world.answers() == ("growing …",)
    await reply.show(snapshot("growing more"))
    assert world.answers() == ("growing more",)
    await reply.finish(snapshot("grown"))
    assert world.answers() == ("grown",)


@pytest.mark.parametrize("error", [StoreUnavailable("away"), LaneLost("another node's")])
async def test_a_message_whose_id_cannot_be_noted_does_not_stay(world, group, error):
    async def refuse(_: str) -> None:
        raise error

    with pytest.raises(type(error)):
        await world.channel.open_reply(world.target(group), refuse).show(snapshot("growing"))
    assert world.answers(group) == ()
    await world.channel.open_reply(world.target(group), Notes()).finish(snapshot("grown", final=True))
    assert world.answers(group) == ("grown",)


async def test_a_long_answer_is_several_messages_in_order(world, group):
    paragraphs = [f"Paragraph {number}: " + "word " * 60 for number in range(40)]
    text = "\n\n".join(paragraphs)
    for chat in (world.alice.id, group):
        reply = world.channel.open_reply(world.target(chat), Notes())
        await reply.show(snapshot(text[:5000]))
        receipt = await reply.finish(snapshot(text))
        answers = world.answers(chat)
        assert len(answers) == len(receipt.message_ids) > 2
        assert "\n\n".join(answers).split() == text.split()


async def test_the_first_message_alone_makes_a_sound(world):
    reply = world.channel.open_reply(world.target(), Notes())
    await reply.finish(snapshot("word " * 2000))
    silent = [call.params.get("disable_notification") for call in world.sim.calls("sendMessage")]
    assert silent == ["false", "true", "true"]


async def test_a_shorter_final_takes_away_what_was_shown_too_much(world, group):
    reply = world.channel.open_reply(world.target(group), Notes())
    await reply.show(snapshot("draft " * 1500))
    assert len(world.answers(group)) == 3
    await reply.finish(snapshot("short"))
    assert world.answers(group) == ("short",)


@pytest.mark.parametrize("private", [True, False])
async def test_after_a_crash_the_same_message_is_edited(world, group, private):
    chat = world.alice.id if private else group
    notes, channel = Notes(), world.another_channel(delivery="edit")
    world.sim.faults.fail_next("editMessageText", 500, "crash here")
    with pytest.raises(ChannelUnavailable):
        await channel.open_reply(world.target(chat), notes).finish(snapshot("The whole answer."))
    resumed = world.another_channel(delivery="edit").open_reply(
        world.target(chat, handle=notes.last), Notes()
    )
    await resumed.finish(snapshot("The whole answer."))
    assert world.answers(chat) == ("The whole answer.",)


async def test_after_a_crash_past_the_last_edit_nothing_changes(world):
    notes = Notes()
    await world.channel.open_reply(world.target(), notes).finish(snapshot("The whole answer."))
    resumed = world.another_channel().open_reply(world.target(handle=notes.last), Notes())
    receipt = await resumed.finish(snapshot("The whole answer."))
    assert world.answers() == ("The whole answer.",)
    assert not receipt.doubtful


@pytest.mark.parametrize("method", ["sendMessage", "editMessageText"])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("text", ["A whole sentence as the answer.", "word " * 1500])
async def test_with_edits_a_cut_connection_never_doubles_an_answer(world, method, when, text):
    world.sim.faults.reset_next(method, when)
    reply = world.another_channel(delivery="edit").open_reply(world.target(), Notes())
    receipt = await finish_until_done(world, reply, snapshot(text))
    shown = {message.id: message.text for message in world.people.messages(world.alice.id)}
    parts = [shown.pop(int(number.split(":")[1])) for number in receipt.message_ids]
    assert " ".join(parts).split() == text.split()
    # Where the answer to a send was lost its stub stays: openly unfinished, and never the answer.
    assert all(stub.endswith("…") and len(stub) <= 82 for stub in shown.values())
    assert len(shown) == (1 if (method, when) == ("sendMessage", "after") else 0)
    assert not receipt.doubtful


async def test_a_rate_limit_says_exactly_how_long(world):
    world.sim.faults.fail_next("sendMessage", 429, retry_after=3)
    reply = world.channel.open_reply(world.target(), Notes())
    with pytest.raises(RateLimited) as raised:
        await reply.finish(snapshot("hello there"))
    assert raised.value.retry_after == 3
    await reply.finish(snapshot("hello there"))
    assert world.answers() == ("hello there",)


@pytest.mark.parametrize(("delivery", "method"), [("send", "sendMessage"), ("edit", "editMessageText")])
async def test_refused_marks_are_left_out_and_the_text_stays(world, delivery, method):
    world.sim.faults.fail_next(method, 400, "Bad Request: can't parse entities: nonsense")
    channel = world.another_channel(delivery=delivery)
    await channel.open_reply(world.target(), Notes()).finish(snapshot("so **bold** of you"))
    message = world.people.messages(world.alice.id)[-1]
    assert (message.text, message.entities) == ("so bold of you", ())


async def test_a_message_that_somebody_deleted_is_sent_anew(world, group):
    notes = Notes()
    reply = world.channel.open_reply(world.target(group), notes)
    await reply.show(snapshot("growing"))
    world.people.delete(group, world.people.messages(group)[-1].id)
    await reply.show(snapshot("growing more"))
    await reply.finish(snapshot("the end"))
    assert world.answers(group) == ("the end",)


async def test_a_deleted_question_does_not_stop_the_answer(world, group):
    question = world.people.say(group, world.alice.id, "@parley_bot hi")
    world.people.delete(group, question)
    await world.channel.open_reply(world.target(group, reply_to=question), Notes()).finish(snapshot("hello"))
    assert world.answers(group) == ("hello",)


async def test_a_group_that_became_a_supergroup_gets_its_answer(world):
    old = world.people.add_group("Team", [world.alice.id], kind="group")
    reply = world.channel.open_reply(world.target(old), Notes())
    await reply.show(snapshot("growing"))
    new = world.people.upgrade(old)
    await reply.finish(snapshot("the end of it"))
    assert world.answers(new) == ("the end of it",)


@pytest.mark.parametrize("private", [True, False])
async def test_who_has_thrown_us_out_gets_no_answer(world, group, private):
    chat = world.alice.id if private else group
    world.people.remove_bot(chat)
    with pytest.raises(DeliveryRejected):
        await world.channel.open_reply(world.target(chat), Notes()).finish(snapshot("hello"))


async def test_an_unreadable_handle_is_an_answer_from_the_start(world):
    for handle in ("{", '{"m": 5}', "null", '{"m": ["x"], "f": [], "s": 1, "d": 0}'):
        await world.channel.open_reply(world.target(handle=handle), Notes()).finish(snapshot(f"for {handle}"))
    assert len(world.answers()) == 4


async def test_a_blank_answer_sends_nothing(world):
    receipt = await world.channel.open_reply(world.target(), Notes()).finish(snapshot(" \n"))
    assert receipt.message_ids == ()
    assert world.answers() == ()


async def test_with_edits_every_message_is_noted_before_its_text_is_there(world):
    notes = Notes()
    seen = []

    async def checkpoint(handle):
        await notes(handle)
        seen.append(world.answers())

    channel = world.another_channel(delivery="edit")
    await channel.open_reply(world.target(), checkpoint).finish(snapshot("Paris is the capital of France."))
    assert seen == [("Paris is the …",)]


def calls_of(world, *methods):
    """The texts that were sent by these methods, in order."""
    return [(call.method, call.params.get("text")) for call in world.sim.calls() if call.method in methods]


_WRITING = ("sendMessageDraft", "sendMessage", "editMessageText")


async def test_the_last_draft_is_what_is_sent_and_it_is_sent_in_one_piece(world):
    reply = world.channel.open_reply(world.target(), Notes())
    await reply.show(snapshot("Paris is", steps=(Step("1", "search", StepStatus.RUNNING),)))
    await reply.finish(snapshot("Paris is the **capital**."))
    assert calls_of(world, *_WRITING)[-2:] == [
        ("sendMessageDraft", "Paris is the capital."),
        ("sendMessage", "Paris is the capital."),
    ]
    (message,) = [message for message in world.people.messages(world.alice.id) if message.from_bot]
    assert not message.edited
    assert world.people.drafts(world.alice.id) == ()


async def test_a_draft_that_says_it_all_is_not_drawn_again(world):
    reply = world.channel.open_reply(world.target(), Notes())
    await reply.show(snapshot("all of it"))
    await reply.finish(snapshot("all of it"))
    assert calls_of(world, *_WRITING) == [("sendMessageDraft", "all of it"), ("sendMessage", "all of it")]


async def test_an_answer_that_nobody_saw_grow_is_one_call(world, group):
    for chat in (world.alice.id, group):
        await world.channel.open_reply(world.target(chat), Notes()).finish(snapshot("at once"))
    assert calls_of(world, *_WRITING) == [("sendMessage", "at once")] * 2


async def test_a_limited_last_draft_does_not_hold_the_answer_up(world):
    reply = world.channel.open_reply(world.target(), Notes())
    await reply.show(snapshot("some"))
    world.sim.faults.fail_next("sendMessageDraft", 429, retry_after=100)
    await reply.finish(snapshot("all of it"))
    assert world.answers() == ("all of it",)


async def test_of_a_long_answer_each_message_is_sent_when_it_is_full_and_stays(world):
    paragraphs = [f"Paragraph {number}: " + "word " * 60 for number in range(40)]
    reply = world.channel.open_reply(world.target(), Notes())
    for count in (5, 20):
        await reply.show(snapshot("\n\n".join(paragraphs[:count])))
    sent = world.answers()
    assert len(sent) == 1
    assert paragraphs[19].strip() in world.people.drafts(world.alice.id)[-1].text
    await reply.finish(snapshot("\n\n".join(paragraphs)))
    assert world.answers()[:1] == sent
    assert " ".join(world.answers()).split() == " ".join(paragraphs).split()
    assert not any(message.edited for message in world.people.messages(world.alice.id))
    assert world.people.drafts(world.alice.id) == ()


@pytest.mark.parametrize(("when", "copies"), [("before", 1), ("after", 2)])
@pytest.mark.parametrize("private", [True, False])
async def test_a_send_whose_answer_was_lost_is_done_again_and_counted(world, group, when, copies, private):
    chat = world.alice.id if private else group
    world.sim.faults.reset_next("sendMessage", when)
    reply = world.channel.open_reply(world.target(chat), Notes())
    receipt = await finish_until_done(world, reply, snapshot("The whole answer."))
    assert world.answers(chat) == ("The whole answer.",) * copies
    assert receipt.doubtful


async def test_a_crash_while_a_message_was_on_its_way_is_counted(world):
    notes = Notes()
    world.sim.faults.reset_next("sendMessage", "after")
    with pytest.raises(ChannelUnavailable):
        await world.channel.open_reply(world.target(), notes).finish(snapshot("The whole answer."))
    resumed = world.another_channel().open_reply(world.target(handle=notes.last), Notes())
    receipt = await resumed.finish(snapshot("The whole answer."))
    assert receipt.doubtful
    assert world.answers() == ("The whole answer.",) * 2


@pytest.mark.parametrize(("status", "retry_after"), [(429, 5), (502, 0)])
async def test_a_send_that_was_refused_for_now_is_no_doubt(world, status, retry_after):
    world.sim.faults.fail_next("sendMessage", status, retry_after=retry_after)
    reply = world.channel.open_reply(world.target(), Notes())
    receipt = await finish_until_done(world, reply, snapshot("hello there"))
    assert world.answers() == ("hello there",)
    # Of a 502 nobody knows where it came from.
    assert receipt.doubtful is (status == 502)


async def test_an_answer_that_is_refused_for_good_leaves_a_word_with_the_person(world):
    world.sim.faults.fail_next("sendMessage", 413, "Request Entity Too Large")
    with pytest.raises(DeliveryRejected):
        await world.channel.open_reply(world.target(), Notes()).finish(snapshot("hello there"))
    (word,) = world.answers()
    assert "parley letters" in word


async def test_a_handle_of_the_way_by_edits_is_gone_on_with(world):
    notes = Notes()
    world.sim.faults.fail_next("editMessageText", 500, "crash here")
    before = world.another_channel(delivery="edit")
    with pytest.raises(ChannelUnavailable):
        await before.open_reply(world.target(), notes).finish(snapshot("The whole answer."))
    receipt = await world.channel.open_reply(world.target(handle=notes.last), Notes()).finish(
        snapshot("The whole answer.")
    )
    assert world.answers() == ("The whole answer.",)
    assert not receipt.doubtful


@pytest.mark.parametrize("wanted", [True, False])
async def test_links_have_a_preview_only_where_it_is_wanted(world, group, wanted):
    channel = world.another_channel(link_previews=wanted)
    reply = channel.open_reply(world.target(group), Notes())
    await reply.show(snapshot("see"))
    await reply.finish(snapshot("see https://example.org"))
    for method in ("sendMessage", "editMessageText"):
        (call,) = world.sim.calls(method)
        assert json.loads(call.params["link_preview_options"])["is_disabled"] is not wanted
