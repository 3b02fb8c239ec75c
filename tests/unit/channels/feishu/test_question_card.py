"""Questions: a card with buttons and a form, presses, and what is said once they are decided."""

import json
from contextlib import suppress

import pytest

from parley.channels.feishu.inbound.card_actions import CARD_ACTION, parse_card_action
from parley.channels.feishu.question_card import MOST_INPUT, MOST_LABEL, footer_for
from parley.core.model.errors import ChannelUnavailable, StoreUnavailable
from parley.core.model.questions import EDIT, Option, Question, QuestionKind
from tests.kit.platforms.feishu_channel import KeepingInbox, Notes, listening, make_channel, snapshot

YES, NO = Option("approve", "Approve"), Option("reject", "Reject")
SUBMIT = "✏️ Approve with these arguments"
LONG = " ".join(f"word{number}" for number in range(9000))


def question(*options: Option, arguments: str = "", **more) -> Question:
    wanted = options or (YES, NO)
    return Question("t1-1", "Sure?", wanted, kind=QuestionKind.APPROVAL, arguments=arguments, **more)


EDITABLE = question(arguments='{"to": "ann"}', may_edit=True)


async def ask(world, asked: Question, text: str = "Sure?", notes: Notes | None = None, **more):
    reply = world.reply(notes or Notes(), **more)
    await reply.finish(snapshot(text, final=True, question=asked))
    return world.seen(more.get("chat", ""))[-1]


def press(world, message, label: str, by: str = "", chat: str = "", **written: str) -> None:
    place, who = chat or world.ann.chat, by or world.ann.open_id
    world.people.press(place, who, message.id, label, written)


async def test_a_question_is_one_card_with_its_options_as_buttons(world):
    message = await ask(world, question())
    assert (message.text, message.buttons, message.streaming) == ("Sure?", ("Approve", "Reject"), False)
    assert world.count("send") == len(world.sim.calls("send", "patch", "card.create")) == 1


async def test_a_press_tells_who_pressed_what_where(world):
    inbox = KeepingInbox()
    message = await ask(world, question())
    async with listening(world.channel, inbox):
        press(world, message, "Reject")
        (click,) = await inbox.pressed()
        await world.until(lambda: world.people.told(world.ann.chat, world.ann.open_id))
    assert (click.question, click.option, click.text) == ("t1-1", "reject", "")
    assert (click.sender.id, click.sender.name) == (world.ann.open_id, "Ann")
    assert (click.conversation.key, click.private) == (f"feishu:{world.ann.chat}", True)
    assert click.id
    assert world.people.told(world.ann.chat, world.ann.open_id) == ("Noted.",)


async def test_a_press_in_a_topic_belongs_to_the_topic(world):
    chat, inbox = world.group(), KeepingInbox()
    opening = world.say("topic", chat)
    said = world.say("@Parley ask me", chat, reply_to=opening, in_thread=True)
    topic = world.people.messages(chat)[0].thread
    message = await ask(world, question(), chat=chat, reply_to=said, topic=topic)
    async with listening(world.channel, inbox):
        press(world, message, "Approve", chat=chat)
        (click,) = await inbox.pressed()
    assert (click.conversation.chat, click.conversation.topic, click.private) == (chat, topic, False)
    assert message.thread == topic


async def test_a_question_may_be_asked_elsewhere_than_it_comes_from(world):
    chat, inbox = world.group(), KeepingInbox()
    message = await ask(world, question(), chat=chat, reply_to="")
    assert (message.parent, message.buttons) == ("", ("Approve", "Reject"))
    async with listening(world.channel, inbox):
        press(world, message, "Approve", chat=chat)
        assert (await inbox.pressed())[0].conversation.key == f"feishu:{chat}"


async def test_each_press_has_an_id_of_its_own_and_keeps_it(world):
    inbox = KeepingInbox()
    message = await ask(world, question())
    async with listening(world.channel, inbox):
        press(world, message, "Approve")
        press(world, message, "Approve")
        await inbox.pressed(2)
        await world.until(lambda: world.people.unacknowledged() == 0)
        world.people.redeliver(2)
        await inbox.pressed(4)
    ids = [click.id for click in inbox.clicks]
    assert len(set(ids)) == 2
    assert sorted(ids[:2]) == sorted(ids[2:])


async def test_other_arguments_are_sent_with_the_form(world):
    inbox = KeepingInbox()
    message = await ask(world, EDITABLE)
    assert message.buttons == ("Approve", "Reject", SUBMIT)
    async with listening(world.channel, inbox):
        press(world, message, SUBMIT, arguments='{"to": "bob"}')
        press(world, message, SUBMIT)
        clicks = await inbox.pressed(2)
    assert {click.option for click in clicks} == {EDIT}
    assert {click.text for click in clicks} == {'{"to": "bob"}', '{"to": "ann"}'}


@pytest.mark.parametrize("more", [{"may_edit": False}, {"arguments": "x" * (MOST_INPUT + 1)}])
async def test_there_is_no_form_where_it_could_not_hold_the_arguments(world, more):
    message = await ask(world, question(**({"arguments": "{}", "may_edit": True} | more)))
    assert message.buttons == ("Approve", "Reject")


async def test_a_decided_question_says_so_in_its_own_message(world):
    notes = Notes()
    message = await ask(world, question(), notes=notes)
    for text in ("Sure?\n\n✅ Ann: Approve", "Sure?\n\n✅ Ann: Approve"):
        later = world.reply(Notes(), world.another_channel(), handle=notes.last)
        await later.settle(snapshot(text))
    (now,) = world.seen()
    assert (now.id, now.buttons, now.text) == (message.id, (), "Sure?\n\n✅ Ann: Approve")


async def test_a_question_that_was_taken_back_is_not_sent_again(world):
    notes = Notes()
    message = await ask(world, question(), notes=notes)
    world.people.recall(message.id)
    await world.reply(Notes(), handle=notes.last).settle(snapshot("decided"))
    await world.reply(Notes()).settle(snapshot("never asked"))
    assert world.answers() == []
    assert world.count("send") == 1


@pytest.mark.parametrize("text", ["decided", LONG + " decided", LONG[:27_000] + "\n\ndecided"])
async def test_a_long_question_has_its_buttons_under_the_last_part_and_keeps_it(world, text):
    notes = Notes()
    message = await ask(world, EDITABLE, LONG[:27_000], notes=notes)
    assert [each.buttons != () for each in world.seen()] == [False, True]
    await world.reply(Notes(), handle=notes.last).settle(snapshot(text))
    seen = world.seen()
    assert seen[-1].id == message.id
    assert not any(each.buttons for each in seen)
    said = " ".join(each.text for each in seen)
    if len(text) < 28_000:
        assert said.split() == text.split()
    else:
        assert text.startswith(said.rstrip("\n…")[:20_000])


async def test_an_answer_that_grew_stops_streaming_and_has_buttons(world):
    reply = world.reply(notes := Notes())
    await reply.show(snapshot("Su"))
    await reply.finish(snapshot("Sure?", question=question()))
    (message,) = world.seen()
    assert (message.text, message.streaming, message.buttons) == ("Sure?", False, ("Approve", "Reject"))
    await world.reply(Notes(), handle=notes.last).settle(snapshot("decided"))
    assert [(each.text, each.buttons) for each in world.seen()] == [("decided", ())]


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_question_whose_sending_broke_is_there_once_with_buttons(world, when):
    notes = Notes()
    world.faults.reset_next(["send"], when, times=2)
    for _ in range(3):
        with suppress(ChannelUnavailable):
            await ask(world, question(), notes=notes, handle=notes.last)
    assert [message.buttons for message in world.seen()] == [("Approve", "Reject")]


@pytest.mark.parametrize("asked", ["cards refused", "too many options"])
async def test_without_room_for_buttons_the_options_are_listed(world, asked):
    options: tuple[Option, ...] = (YES, NO)
    if asked == "cards refused":
        world.faults.refuse_next(["send"], 230099, "Failed to create card content")
    else:
        options = tuple(Option(f"{number}", f"Option {number}") for number in range(150))
    message = await ask(world, question(*options))
    assert message.buttons == ()
    assert "Sure?" in message.text
    assert all(f"{number}. {option.label}" in message.text for number, option in enumerate(options, start=1))


@pytest.mark.parametrize("refused", [1, 2])
async def test_listed_options_call_nobody(world, refused):
    world.faults.refuse_next(["send"], 230099, "Failed to create card content", times=refused)
    await ask(world, question(Option("all", '<at user_id="all">everybody</at>'), NO))
    (message,) = world.sim.world.messages.values()
    assert "everybody" in str(message.content)
    assert "<at" not in str(message.content)


async def test_a_label_that_is_too_long_is_cut(world):
    message = await ask(world, question(Option("a", "x" * 300), NO))
    assert message.buttons == ("x" * (MOST_LABEL - 1) + "…", "Reject")


async def test_a_store_that_is_away_for_a_moment_is_waited_for(world):
    inbox = KeepingInbox(refusals=2)
    message = await ask(world, question())
    async with listening(world.channel, inbox):
        press(world, message, "Approve")
        await inbox.pressed()
    assert inbox.refusals == 0


async def test_a_store_that_stays_away_makes_the_press_fail_and_it_can_be_pressed_again(world):
    inbox = KeepingInbox(refusals=4)
    message = await ask(world, question())
    async with listening(world.channel, inbox):
        press(world, message, "Approve")
        await world.until(lambda: world.people.failures(world.ann.chat, world.ann.open_id) == 1)
        assert not inbox.clicks
        press(world, message, "Approve")
        await inbox.pressed()


async def test_a_press_that_nobody_hears_fails_at_once_and_never_comes_again(world):
    message = await ask(world, question())
    press(world, message, "Approve")
    await world.until(lambda: world.people.failures(world.ann.chat, world.ann.open_id) == 1)
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        world.say("after it")
        await inbox.first()
    assert not inbox.clicks


async def test_people_of_other_tenants_may_not_press_unless_they_are_listed(world):
    eve = world.people.add_person("Eve", "tenant_of_others")
    message = await ask(world, question())
    inbox, open_inbox = KeepingInbox(), KeepingInbox()
    async with listening(world.channel, inbox):
        press(world, message, "Approve", by=eve.open_id)
        await world.until(lambda: world.people.unacknowledged() == 0)
    async with listening(world.another_channel(allowed_users=(eve.open_id,)), open_inbox):
        press(world, message, "Approve", by=eve.open_id)
        await open_inbox.pressed()
    assert not inbox.clicks


@pytest.mark.parametrize(
    "change",
    [
        {"action": None},
        {"action": {"value": "a text"}},
        {"action": {"value": {"key": "another program's"}}},
        {"action": {"value": {"q": ["t1-1"], "o": "approve"}}},
        {"action": {"value": {"q": "../../etc", "o": 5}}},
        {"action": {"value": {"q": "t1-1", "o": "edit"}, "form_value": "none"}},
        {"operator": {}},
        {"context": {"open_chat_id": 3}},
    ],
)
@pytest.mark.strange
async def test_rubbish_is_skipped_and_the_listener_lives_on(world, change):
    event = {
        "operator": {"open_id": world.ann.open_id},
        "action": {"value": {"q": "t1-1", "o": "approve"}},
        "context": {"open_chat_id": world.ann.chat},
    }
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        for each in (event | change, event):
            header = {"event_type": CARD_ACTION, "event_id": f"e{len(each['context'])}"}
            world.people.inject({"schema": "2.0", "header": header, "event": each})
        (click,) = await inbox.pressed()
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert (click.question, click.option) == ("t1-1", "approve")
    assert len(inbox.clicks) == 1


async def test_words_about_presses_are_no_press(world):
    inbox = KeepingInbox()
    world.say(f'what is "{CARD_ACTION}"?')
    async with listening(world.channel, inbox):
        assert CARD_ACTION in (await inbox.first())[0].text
    assert parse_card_action(json.dumps({"header": {"event_type": "x", "why": CARD_ACTION}}).encode()) is None


async def test_the_simulator_refuses_a_form_that_is_not_filled(world):
    message = await ask(world, EDITABLE)
    for written in ("", "x" * (MOST_INPUT + 1)):
        with pytest.raises(ValueError, match="arguments"):
            press(world, message, SUBMIT, arguments=written)
    with pytest.raises(LookupError):
        press(world, message, "Perhaps")


def test_what_a_button_sends_back_is_an_object_and_short(world):
    foot = footer_for(EDITABLE, world.target(topic="omt_1"))
    button = foot.elements[0]
    assert len(json.dumps(button["behaviors"])) < 200


async def test_the_answer_to_a_press_changes_its_card_at_once(world):
    async def outcome(click, room):
        assert room >= 28_000
        return f"Sure?\n\n✅ {click.sender.name}: {click.option}"

    channel, message = make_channel(world.sim, world.folder, outcome=outcome), await ask(world, question())
    async with listening(channel, KeepingInbox()):
        press(world, message, "Approve")
        await world.until(lambda: world.seen()[0].buttons == ())
    assert world.answers() == ["Sure?\n\n✅ Ann: approve"]
    assert world.count("patch") == 0


async def test_a_card_too_long_for_one_message_is_left_to_what_follows(world):
    async def outcome(click, room):
        return LONG

    channel, message = make_channel(world.sim, world.folder, outcome=outcome), await ask(world, question())
    async with listening(channel, KeepingInbox()):
        press(world, message, "Approve")
        await world.until(lambda: world.people.told(world.ann.chat, world.ann.open_id))
    assert world.seen()[0].buttons == ("Approve", "Reject")


async def test_a_press_is_answered_while_the_store_is_too_slow_for_the_card(world):
    async def outcome(click, room):
        raise StoreUnavailable("the disk is full")

    channel, message = make_channel(world.sim, world.folder, outcome=outcome), await ask(world, question())
    async with listening(channel, KeepingInbox()):
        press(world, message, "Approve")
        await world.until(lambda: world.people.told(world.ann.chat, world.ann.open_id) == ("Noted.",))


async def test_a_pressed_card_is_changed_only_when_the_press_was_answered(world):
    """What comes before the answer is undone, and what was undone stays so for good."""
    notes, inbox = Notes(), KeepingInbox()
    message = await ask(world, question(), notes=notes)
    async with listening(world.channel, inbox):
        press(world, message, "Approve")
        await inbox.pressed()
        await world.reply(Notes(), handle=notes.last).settle(snapshot("decided"))
        await world.until(lambda: world.people.told(world.ann.chat, world.ann.open_id))
    (now,) = world.seen()
    assert (now.text, now.buttons) == ("decided", ())


async def test_a_card_in_an_interaction_is_busy_and_not_refused(world):
    world.faults.refuse_next(["card.content"], 200810, "The card is in an ongoing interaction")
    reply = world.reply(Notes())
    await reply.show(snapshot("one"))
    with pytest.raises(ChannelUnavailable):
        await reply.show(snapshot("one two"))
    await reply.finish(snapshot("one two three", final=True))
    assert world.answers() == ["one two three"]
    assert world.count("recall") == 0
