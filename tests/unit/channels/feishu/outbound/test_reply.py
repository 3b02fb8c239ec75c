"""Answers: cards that grow, the way down when they are refused, and nothing lost or doubled."""

from contextlib import suppress

import pytest

from parley.channels.feishu.outbound.reply_state import FeishuReplyState, PartState, RenderLevel
from parley.core.model.address import Conversation
from parley.core.model.errors import ChannelUnavailable, DeliveryRejected, LaneLost, RateLimited
from parley.core.model.types import Step, StepStatus
from parley.simulator.feishu import FeishuRateLimits, FeishuSimulator, FeishuSimulatorTiming
from tests.kit.platforms.feishu_channel import Notes, World, make_channel, snapshot

LONG = " ".join(f"word{number}" for number in range(9000))


async def test_an_answer_grows_in_one_card_and_stands_in_the_end(world):
    reply = world.reply(Notes())
    for text in ("", "one", "one two"):
        await reply.show(snapshot(text))
        assert world.seen()[0].streaming
    receipt = await reply.finish(snapshot("one **two** three", final=True))
    (message,) = world.seen()
    assert (message.text, message.streaming, message.kind) == ("one two three", False, "interactive")
    assert receipt.message_ids == (message.id,)
    assert not receipt.doubtful
    assert world.people.history(world.ann.chat)[:3] == ("…", "one", "one two")


@pytest.mark.parametrize("denied", [set(), {"cardkit:card:write"}], ids=["streams", "plain card"])
async def test_a_stop_button_stands_under_the_part_that_grows(world, denied):
    """And nowhere when the answer is there, whoever finishes it."""
    world.sim.world.denied = denied
    notes = Notes()
    reply = world.reply(notes)
    await reply.show(snapshot("one"))
    await reply.show(snapshot(LONG))
    *full, last = world.seen()
    assert full
    assert not any(message.buttons for message in full)
    assert last.buttons == ("Stop",)
    await world.reply(Notes(), handle=notes.last).finish(snapshot(LONG, final=True))
    assert not any(message.buttons for message in world.seen())


async def test_an_answer_that_never_grew_is_one_call(world):
    await world.reply(Notes()).finish(snapshot("all of it", final=True))
    assert world.answers() == ["all of it"]
    assert world.count("send", "card.create", "card.content", "card.settings") == 1


async def test_steps_are_shown_while_they_run_and_gone_in_the_end(world):
    reply = world.reply(Notes())
    await reply.show(snapshot("", steps=(Step("1", "look <it> up", StepStatus.RUNNING),)))
    assert world.answers() == ["…\n⏳ look <it> up"]
    await reply.show(snapshot("```\nopen", steps=(Step("2", "again", StepStatus.RUNNING),)))
    assert world.answers() == ["open\n⏳ again"]
    await reply.finish(snapshot("done", steps=(Step("1", "look it up", StepStatus.DONE),)))
    assert world.answers() == ["done"]


@pytest.mark.parametrize("refused", [False, True])
async def test_an_answer_goes_on_growing_while_steps_run_under_it(world, refused):
    """Feishu types on only where the old text is a prefix of the new one."""
    if refused:
        world.sim.world.denied.add("cardkit:card:write")
    reply, text = world.reply(Notes()), "So"
    for number in range(4):
        text += f" word{number}"
        status = StepStatus.DONE if number % 2 else StepStatus.RUNNING
        await reply.show(snapshot(text, steps=(Step("1", f"step {number}", status),)))
        assert world.answers() == [f"{text.strip()}\n{'✓' if number % 2 else '⏳'} step {number}"]
    cards = world.sim.world.cards.values()
    assert sum(card.redrawn for card in cards) <= 3, "the steps' own lines, and nothing else"
    await reply.finish(snapshot(text, final=True))
    assert world.answers() == [text.strip()]
    assert not any(card.streaming for card in cards)


async def test_steps_that_a_dead_process_showed_are_gone_in_the_end(world):
    notes = Notes()
    await world.reply(notes).show(snapshot("half", steps=(Step("1", "look", StepStatus.RUNNING),)))
    later = world.reply(Notes(), world.another_channel(), handle=notes.last)
    await later.finish(snapshot("half and all", final=True))
    assert world.answers() == ["half and all"]


async def test_in_a_group_the_question_is_answered_and_only_once(world):
    chat = world.group()
    question = world.say("@Parley tell me", chat)
    reply = world.reply(Notes(), chat=chat, reply_to=question)
    await reply.finish(snapshot(LONG))
    parents = [message.parent for message in world.seen(chat)]
    assert parents[0] == question
    assert set(parents[1:]) == {""}


async def test_in_a_topic_every_part_stays_in_it(world):
    chat = world.group()
    opening = world.say("topic", chat)
    question = world.say("@Parley tell me", chat, reply_to=opening, in_thread=True)
    thread = world.people.messages(chat)[0].thread
    await world.reply(Notes(), chat=chat, reply_to=question, topic=thread).finish(snapshot(LONG))
    assert {message.thread for message in world.seen(chat)} == {thread}


async def test_a_question_that_was_taken_back_is_answered_all_the_same(world):
    chat = world.group()
    question = world.say("@Parley tell me", chat)
    world.people.recall(question)
    await world.reply(Notes(), chat=chat, reply_to=question).finish(snapshot("here"))
    assert world.answers(chat) == ["here"]


async def test_a_long_answer_is_several_cards_while_it_grows_and_after(world):
    reply = world.reply(Notes())
    await reply.show(snapshot(LONG[:20_000]))
    await reply.show(snapshot(LONG[:50_000]))
    assert [message.streaming for message in world.seen()] == [False, True]
    receipt = await reply.finish(snapshot(LONG))
    assert " ".join(world.answers()) == LONG
    assert len(receipt.message_ids) == len(world.seen()) == 3


async def test_a_final_that_is_shorter_than_what_grew_leaves_nothing_behind(world):
    reply = world.reply(Notes())
    await reply.show(snapshot(LONG))
    await reply.finish(snapshot("short"))
    assert world.answers() == ["short"]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("name", ["card.create", "send", "card.content", "card.settings"])
async def test_a_broken_call_is_made_again_and_doubles_nothing(world, name, when):
    world.faults.reset_next([name], when, times=2)
    reply = world.reply(Notes())
    for attempt in range(4):
        try:
            await reply.show(snapshot("one"))
            await reply.finish(snapshot("one two"))
        except ChannelUnavailable:
            assert attempt < 3
        else:
            break
    assert world.answers() == ["one two"]
    assert not world.seen()[0].streaming


@pytest.mark.parametrize("grown", [False, True])
async def test_after_a_crash_at_any_note_the_same_message_goes_on(world, grown):
    # Real crashes are further apart than a card's limit cares.
    world.sim.world.pace, notes = FeishuRateLimits(card=0, edit=0), Notes()
    first = world.reply(notes)
    await first.show(snapshot("This is"))
    if grown:
        await first.show(snapshot(LONG))
    await first.finish(snapshot("an end"))
    handles = list(notes.all)
    for handle in handles:
        again = world.reply(Notes(), world.another_channel(), handle=handle)
        await again.finish(snapshot("This is the end"))
        assert world.answers().count("This is the end") == 1
        assert not any(message.streaming for message in world.seen() if "the end" in message.text)


async def test_another_process_goes_on_with_a_higher_number(world):
    notes = Notes()
    reply = world.reply(notes)
    for number in range(5):
        await reply.show(snapshot(f"{number}"))
    again = world.reply(Notes(), world.another_channel(), handle=notes.last)
    await again.show(snapshot("from another process"))
    assert world.answers() == ["from another process"]


@pytest.mark.parametrize("sequence", [900_000, 10_900_000, 110_000_000])
async def test_a_clock_that_was_set_back_is_overcome(world, sequence):
    """As often as one node after the other goes on whose clock is behind."""
    await world.reply(notes := Notes()).show(snapshot("one"))
    (card,) = world.sim.world.cards.values()
    card.sequence = sequence
    again = world.reply(Notes(), world.another_channel(), handle=notes.last)
    await again.finish(snapshot("two"))
    assert (world.answers(), world.count("send")) == (["two"], 1)


async def test_a_stream_that_feishu_closed_goes_on(tmp_path):
    with FeishuSimulator(timing=FeishuSimulatorTiming(stream=600.0)) as sim:
        world = World(sim, sim.people.add_person("Ann"), make_channel(sim, tmp_path), tmp_path)
        reply = world.reply(Notes())
        await reply.show(snapshot("one"))
        (card,) = sim.world.cards.values()
        card.streaming_since -= 601.0
        await reply.show(snapshot("one two"))
        (message,) = world.seen()
        assert (message.text, message.streaming) == ("one two", True)
        await reply.finish(snapshot("one two three"))
        (message,) = world.seen()
        assert (message.text, message.streaming) == ("one two three", False)


async def test_without_the_permission_for_streaming_cards_plain_ones_are_replaced(world):
    world.sim.world.denied.add("cardkit:card:write")
    reply = world.reply(Notes())
    for text in ("one", "one two"):
        await reply.show(snapshot(text))
    await reply.finish(snapshot("one two three"))
    (message,) = world.seen()
    assert (message.text, message.kind) == ("one two three", "interactive")
    assert world.count("patch") == 2
    await world.reply(Notes()).show(snapshot("another"))
    assert world.count("card.create") == 1


@pytest.mark.parametrize(("refused", "kind"), [(1, "interactive"), (2, "post"), (3, "text")])
async def test_what_is_refused_is_shown_in_the_next_best_way(world, refused, kind):
    world.faults.refuse_next(["send"], 230099, "Failed to create card content", times=refused)
    reply = world.reply(Notes())
    await reply.show(snapshot("so"))
    await reply.finish(snapshot("so **very** a < b"))
    (message,) = world.seen()
    assert message.kind == kind
    assert "very" in message.text
    assert "a < b" in message.text


async def test_a_card_that_is_refused_while_it_grows_is_taken_back(world):
    reply = world.reply(Notes())
    await reply.show(snapshot("one"))
    world.faults.refuse_next(["card.content"], 230099, "Failed to create card content", times=9)
    await reply.finish(snapshot("one two"))
    assert world.answers() == ["one two"]


class LastNotes(Notes):
    """Checkpoints of a node that loses its lease after so many."""

    def __init__(self, taken: int) -> None:
        super().__init__()
        self.taken = taken

    async def __call__(self, handle: str) -> None:
        if len(self.all) == self.taken:
            raise LaneLost("somebody else has it now")
        await super().__call__(handle)


@pytest.mark.parametrize("more", range(4))
async def test_a_node_that_ends_while_it_takes_a_card_back_loses_no_answer(world, more):
    await world.reply(notes := LastNotes(99)).show(snapshot("one"))
    notes.taken = len(notes.all) + more
    world.faults.refuse_next(
        ["card.content", "card.update"], 230099, "Failed to create card content", times=9
    )
    with suppress(LaneLost):
        await world.reply(notes, handle=notes.last).finish(snapshot("one two"))
    world.faults.clear()
    await world.reply(Notes(), world.another_channel(), handle=notes.last).finish(snapshot("one two"))
    assert world.answers() == ["one two"]


async def test_an_answer_that_is_written_once_more_stays_where_it_stands(world):
    reply = world.reply(notes := Notes())
    await reply.show(snapshot("one"))
    await reply.finish(snapshot("one two"))
    again = world.reply(Notes(), world.another_channel(), handle=notes.last)
    world.faults.refuse_next(["card.update"], 230099, "Failed to create card content")
    await again.rewrite(snapshot("one two"))
    assert world.count("send") == 1
    await again.rewrite(snapshot("one two"))
    assert (world.answers(), world.count("send", "recall")) == (["one two"], 1)


@pytest.mark.parametrize("code", [200740, 200750, 200860])
async def test_an_answer_whose_card_is_no_more_is_sent_anew(world, code):
    reply = world.reply(Notes())
    await reply.show(snapshot("one"))
    world.faults.refuse_next(["card.content", "card.update", "card.settings"], code, times=9)
    await reply.finish(snapshot("one two"))
    assert world.answers() == ["one two"]


async def test_refused_for_good_is_said_at_once_where_the_bot_is_gone(world):
    world.people.remove_bot(world.ann.chat)
    with pytest.raises(DeliveryRejected):
        await world.reply(Notes()).finish(snapshot("hello"))
    assert world.count("send") == 1


async def test_a_limit_says_exactly_how_long_to_wait(world):
    world.faults.limit_next(["send"], 7)
    with pytest.raises(RateLimited) as raised:
        await world.reply(Notes()).finish(snapshot("hello"))
    assert raised.value.retry_after == 7


async def test_no_card_is_changed_more_than_ten_times_a_second(world):
    reply = world.reply(Notes())
    for number in range(15):
        await reply.show(snapshot("x" * number))
    assert not [call for call in world.sim.calls() if call.code == 99991400]


async def test_the_platform_s_own_pace_in_a_chat_is_told(tmp_path):
    with FeishuSimulator(pace=FeishuRateLimits(chat=1)) as sim:
        world = World(sim, sim.people.add_person("Ann"), make_channel(sim, tmp_path), tmp_path)
        with pytest.raises(RateLimited):
            await world.reply(Notes()).finish(snapshot(LONG))


async def test_an_expired_token_is_replaced_and_nobody_notices(world):
    reply = world.reply(Notes())
    await reply.show(snapshot("one"))
    world.sim.expire_tokens()
    await reply.finish(snapshot("one two"))
    assert world.answers() == ["one two"]
    assert world.count("token") == 2


async def test_a_send_after_the_key_s_hour_is_doubtful(world):
    handle = FeishuReplyState((PartState(RenderLevel.CARD, 1000.0),)).dump()
    receipt = await world.reply(Notes(), handle=handle).finish(snapshot("late"))
    assert receipt.doubtful
    fresh = await world.reply(Notes()).finish(snapshot("in time"))
    assert not fresh.doubtful


async def test_a_handle_survives_being_noted_and_rubbish_is_none():
    part = PartState(RenderLevel.ENTITY, 5.5, "card", "om")
    handle = FeishuReplyState((part,), ("f",), 3.0, True, left=("om_2",))
    assert FeishuReplyState.load(handle.dump()) == handle
    for rubbish in ("", "x", "[]", '{"p": [[1]]}', '{"p": [["z", 1, "", ""]], "f": [], "t": 0, "d": false}'):
        assert FeishuReplyState.load(rubbish) == FeishuReplyState()


async def test_an_answer_nowhere_on_feishu_is_rejected(world):
    target = world.target()
    for wrong in ("", "oc/../x", "a b"):
        with pytest.raises(DeliveryRejected):
            world.channel.open_reply(_in(target, wrong), Notes())


def _in(target, chat):
    return type(target)(target.turn_id, Conversation("feishu", chat), "om_1", target.asker, True)
