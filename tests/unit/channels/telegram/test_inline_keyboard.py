"""Questions: their options are buttons, a press is a decision, and a settled one has no buttons any more."""

import asyncio
import logging
from dataclasses import replace

import httpx
import pytest

from parley.channels.kit.text import utf16_length
from parley.channels.telegram.inbound.callback_answers import MAX_NOTIFICATION, notification_text
from parley.channels.telegram.inline_keyboard import MOST_BUTTONS, keyboard
from parley.core.model.errors import ChannelUnavailable, RateLimited
from parley.core.model.questions import Option, Question
from tests.kit.machine import patience
from tests.kit.platforms.telegram_channel import KeepingInbox, Notes, listening
from tests.unit.channels.telegram.questions import KEY, asked, asks, decided, settle


@pytest.fixture
def group(world):
    return world.people.add_group("Team", [world.alice.id])


def seen(world, chat=0):
    return world.people.messages(chat or world.alice.id)


async def test_options_are_buttons_under_the_question_and_nothing_is_said_twice(world):
    await asked(world.channel, world)
    (message,) = seen(world)
    assert (message.text, message.buttons) == ("Shall I deploy?", (("Ship it", "Not now"),))


async def test_long_labels_stand_one_below_the_other(world):
    labels = ("Deploy to production at once", "Wait until tomorrow", "Ask somebody else about it first")
    question = Question(KEY, "", tuple(Option(label, label) for label in labels))
    await asked(world.channel, world, asks(question))
    assert seen(world)[-1].buttons == tuple((label,) for label in labels)


def test_whatever_the_options_are_telegram_takes_their_buttons():
    options = tuple(
        Option("选项" * 500 + str(number), "好" * 300 if number else " \n") for number in range(150)
    )
    board = keyboard(Question(KEY, "", options))
    assert board is not None
    rows = board.inline_keyboard
    assert len(rows) == MOST_BUTTONS
    for (button,) in rows:
        assert isinstance(button.callback_data, str)
        assert 1 <= len(button.callback_data.encode()) <= 64
        assert 1 <= len(button.text) <= 100
    assert len({row[0].callback_data for row in rows}) == MOST_BUTTONS


async def test_a_question_without_options_has_no_buttons(world):
    assert await asked(world.channel, world, asks(Question(KEY, "Which colour?"))) == 0
    assert world.documents.bodies == {}


async def test_a_question_is_never_a_rich_message(world):
    channel = world.another_channel(rich_messages=True)
    await asked(channel, world, asks(text="# Shall I?\n\n| a | b |\n|---|---|\n| 1 | 2 |"))
    (message,) = seen(world)
    assert not message.rich
    assert message.buttons


async def test_a_press_is_a_click_and_who_pressed_is_told(world):
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        number = await asked(world.channel, world)
        query = world.people.press(world.alice.id, world.alice.id, number, "Not now")
        (click,) = await inbox.pressed()
        await world.until(lambda: world.people.answer_to(query))
    assert (click.id, click.question, click.option) == (query, KEY, "wait")
    assert (click.sender.id, click.sender.name, click.sender.language) == (str(world.alice.id), "Alice", "de")
    assert (click.conversation.chat, click.conversation.topic) == (str(world.alice.id), None)
    assert click.private
    assert world.people.answer_to(query) == {"text": "Noted.", "show_alert": False}


async def test_in_a_groups_topic_another_members_press_is_theirs(world):
    bob = world.people.add_person("Bob")
    forum = world.people.add_group("Forum", [world.alice.id, bob.id], forum=True)
    topic = world.people.add_topic(forum, "Billing", world.alice.id)
    inbox = KeepingInbox()
    inbox.told = "This is not for you to decide."
    async with listening(world.channel, inbox):
        number = await asked(world.channel, world, chat=forum, topic=topic)
        world.people.press(forum, bob.id, number, "Ship it")
        (click,) = await inbox.pressed()
        await world.until(lambda: world.people.told(forum, bob.id))
    assert (click.sender.id, click.sender.name) == (str(bob.id), "Bob")
    assert (click.conversation.chat, click.conversation.topic) == (str(forum), str(topic))
    assert not click.private
    assert world.people.told(forum, bob.id) == ("This is not for you to decide.",)
    assert world.people.told(forum, world.alice.id) == ()


async def test_after_a_group_moved_its_buttons_and_its_question_are_still_found(world):
    old = world.people.add_group("Team", [world.alice.id], "group")
    notes, inbox = Notes(), KeepingInbox()
    new = world.people.upgrade(old)
    async with listening(world.channel, inbox):
        number = await asked(world.channel, world, notes=notes, chat=old)
        assert number == 0
        (message,) = [message for message in seen(world, new) if message.buttons]
        world.people.press(new, world.alice.id, message.id, "Ship it")
        (click,) = await inbox.pressed()
    assert click.conversation.chat == str(old)
    await settle(world.another_channel(), world, notes.last, decided(), chat=old)
    assert seen(world, new)[-1].buttons == ()


async def test_a_press_that_comes_again_is_the_same_click_and_a_late_answer_does_no_harm(world, caplog):
    caplog.set_level(logging.INFO, "parley.channels.telegram.inbound.callback_answers")
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        number = await asked(world.channel, world)
        query = world.people.press(world.alice.id, world.alice.id, number, "Ship it")
        await world.until(lambda: world.people.answer_to(query) and not world.people.unconfirmed())
        world.sim.world.query_life = 0.0
        world.people.redeliver()
        first, second = await inbox.pressed(2)
        await world.until(lambda: len(world.sim.calls("answerCallbackQuery")) == 2)
        world.say("still there?")
        await inbox.first()
    assert first == second
    assert world.sim.calls("answerCallbackQuery")[-1].status == 400


async def test_a_press_is_confirmed_only_when_it_is_on_disk(world):
    number = await asked(world.channel, world)
    full = KeepingInbox(refusals=1000)
    async with listening(world.channel, full):
        query = world.people.press(world.alice.id, world.alice.id, number, "Ship it")
        async with asyncio.timeout(patience(10)):
            await full.refused.wait()
        assert world.people.unconfirmed() == 1
        assert world.people.answer_to(query) == {}
    inbox = KeepingInbox()
    async with listening(world.another_channel(), inbox):
        assert (await inbox.pressed())[0].id == query


async def test_a_slow_answer_to_a_press_holds_up_nobody(world):
    world.sim.faults.slow_next("answerCallbackQuery", 30)
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        number = await asked(world.channel, world)
        world.people.press(world.alice.id, world.alice.id, number, "Ship it")
        world.say("and me?")
        assert (await inbox.first())[0].text == "and me?"
        assert inbox.clicks
    assert not [task for task in asyncio.all_tasks() if "press" in task.get_name()]


@pytest.mark.parametrize("data", ["another:program", f"{KEY}:99", "nothing", "\u0000:1", "x" * 63])
async def test_a_button_that_is_none_of_ours_is_told_so(world, data):
    markup = {"inline_keyboard": [[{"text": "Old", "callback_data": data}]]}
    async with httpx.AsyncClient(timeout=patience(20)) as http:
        url = f"{world.sim.api_url}/bot{world.sim.token}/sendMessage"
        body = {"chat_id": world.alice.id, "text": "hi", "reply_markup": markup}
        number = (await http.post(url, json=body)).json()["result"]["message_id"]
    inbox = KeepingInbox()
    inbox.told = "This question is no longer open."
    async with listening(world.channel, inbox):
        query = world.people.press(world.alice.id, world.alice.id, number, "Old")
        await world.until(lambda: world.people.answer_to(query))
    (click,) = inbox.clicks
    assert click.option == ""
    assert world.people.told(world.alice.id, world.alice.id) == ("This question is no longer open.",)


async def test_a_later_process_settles_with_the_handle_alone(world):
    notes = Notes()
    number = await asked(world.channel, world, notes=notes)
    await settle(world.another_channel(), world, notes.last, decided())
    (message,) = seen(world)
    assert (message.id, message.text) == (number, "Shall I deploy?\n\n✅ Alice: Ship it")
    assert message.buttons == ()
    assert world.documents.bodies == {}
    await settle(world.another_channel(), world, notes.last, decided())
    assert len(seen(world)) == 1


async def test_a_question_that_somebody_deleted_is_settled_without_a_word(world):
    notes = Notes()
    number = await asked(world.channel, world, notes=notes)
    world.people.delete(world.alice.id, number)
    await settle(world.channel, world, notes.last, decided())
    assert seen(world) == ()


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 1), (2, 2), (3, 2)])
async def test_a_settled_question_has_as_many_messages_as_before_and_its_outcome_last(world, before, after):
    page = "word " * 750 + "\n\n"
    notes = Notes()
    await asked(world.channel, world, asks(text=page * before), notes=notes)
    numbers = [message.id for message in seen(world)]
    assert len(numbers) == before
    await settle(
        world.channel, world, notes.last, decided(page * (after - 1) + "word " * 700 + "\n\n✅ Alice")
    )
    assert [message.id for message in seen(world)] == numbers
    assert seen(world)[-1].text.endswith("✅ Alice")
    assert not any(message.buttons for message in seen(world))


@pytest.mark.parametrize(("status", "error"), [(429, RateLimited), (502, ChannelUnavailable)])
async def test_settling_is_tried_again_when_telegram_will_not(world, status, error):
    notes = Notes()
    await asked(world.channel, world, notes=notes)
    world.sim.faults.fail_next("editMessageText", status, retry_after=1)
    with pytest.raises(error):
        await settle(world.channel, world, notes.last, decided())
    assert seen(world)[-1].buttons
    await settle(world.channel, world, notes.last, decided())
    assert seen(world)[-1].buttons == ()


async def test_a_question_is_not_shown_before_its_options_are_kept(world):
    world.documents.refusals = 1
    target = replace(world.target(), turn_id=KEY)
    reply = world.channel.open_reply(target, Notes())
    with pytest.raises(ChannelUnavailable):
        await reply.finish(asks())
    assert seen(world) == ()
    await reply.finish(asks())
    assert len(seen(world)) == 1


@pytest.mark.parametrize("trouble", ["before", "after"])
async def test_with_edits_a_question_whose_answer_was_lost_stands_there_once(world, trouble):
    notes, target = Notes(), replace(world.target(), turn_id=KEY)
    world.sim.faults.reset_next("editMessageText", trouble)
    channel = world.another_channel(delivery="edit")
    with pytest.raises(ChannelUnavailable):
        await channel.open_reply(target, notes).finish(asks())
    again = replace(target, handle=notes.last)
    await world.another_channel(delivery="edit").open_reply(again, notes).finish(asks())
    (message,) = seen(world)
    assert message.buttons == (("Ship it", "Not now"),)


async def test_a_question_is_sent_with_its_buttons_in_one_piece(world):
    await asked(world.channel, world)
    (message,) = seen(world)
    assert (message.buttons, message.edited) == ((("Ship it", "Not now"),), False)


async def test_where_marks_are_refused_the_buttons_stay(world):
    world.sim.faults.fail_next("sendMessage", 400, "Bad Request: can't parse entities: no such thing")
    await asked(world.channel, world, asks(text="Shall I **deploy**?"))
    (message,) = seen(world)
    assert (message.text, message.entities) == ("Shall I deploy?", ())
    assert message.buttons


def test_a_note_is_plain_and_as_short_as_telegram_wants_it():
    assert notification_text("✅ **Alice**: `Ship it`") == "✅ Alice: Ship it"
    assert notification_text("") == ""
    cut = notification_text("👍 word " * 200)
    assert cut.endswith("…")
    assert 150 < utf16_length(cut) <= MAX_NOTIFICATION


@pytest.mark.parametrize(
    ("button", "said"),
    [
        ({"text": "A", "callback_data": "x" * 65}, "BUTTON_DATA_INVALID"),
        ({"text": "A", "callback_data": ""}, "BUTTON_DATA_INVALID"),
        ({"text": "", "callback_data": "x"}, "text"),
        ({"text": "A"}, "unallowed"),
    ],
)
async def test_the_simulated_platform_is_as_strict_about_buttons(world, button, said):
    async with httpx.AsyncClient(timeout=patience(20)) as http:
        url = f"{world.sim.api_url}/bot{world.sim.token}/sendMessage"
        markup = {"inline_keyboard": [[button]]}
        body = {"chat_id": world.alice.id, "text": "hi", "reply_markup": markup}
        answer = await http.post(url, json=body)
    assert answer.status_code == 400
    assert said in answer.json()["description"]
