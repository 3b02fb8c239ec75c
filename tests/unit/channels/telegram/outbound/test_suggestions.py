"""What an answer suggests to ask next: buttons under its last message, below the thumbs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from telegram import InlineKeyboardButton

from parley.channels.telegram.inline_keyboard import answer_keyboard
from parley.core.model.feedback import THUMBS
from tests.kit.platforms.telegram_channel import KeepingInbox, Notes, listening, snapshot

NEXT = ("And tomorrow?", "为什么？", "x" * 75)
UNDER = tuple((text,) for text in NEXT)


@pytest.mark.parametrize("shown", [("Hel", "Hello"), ()])
@pytest.mark.parametrize("rateable", [True, False])
@pytest.mark.parametrize("private", [True, False])
async def test_they_stand_under_the_last_message_of_an_answer(world, shown, rateable, private):
    group = 0 if private else world.people.add_group("Team", [world.alice.id])
    reply = world.channel.open_reply(world.target(group or None), Notes())
    for text in shown:
        await reply.show(snapshot(text))
    final = snapshot("word " * 1_500, final=True, rateable=rateable, suggestions=NEXT)
    await reply.finish(final)
    thumbs = (tuple(option.label for option in THUMBS),) if rateable else ()
    *before, last = [each.buttons for each in world.people.messages(group or world.alice.id)]
    assert (last, set(before)) == ((*thumbs, *UNDER), {()})
    await reply.rewrite(final)
    assert [each.buttons for each in world.people.messages(group or world.alice.id)] == [*before, last]


async def test_after_a_crash_the_last_message_has_them_once(world):
    notes = Notes()
    final = snapshot("Hello!", final=True, suggestions=NEXT)
    await world.channel.open_reply(world.target(), notes).finish(final)
    await world.channel.open_reply(world.target(handle=notes.last), Notes()).finish(final)
    assert [each.buttons for each in world.people.messages(world.alice.id)] == [UNDER]


async def test_a_press_names_the_turn_and_the_number(world):
    inbox = KeepingInbox()
    await world.channel.open_reply(world.target(), Notes()).finish(
        snapshot("Hello!", final=True, suggestions=NEXT)
    )
    (message,) = world.people.messages(world.alice.id)
    async with listening(world.channel, inbox):
        world.people.press(world.alice.id, world.alice.id, message.id, "为什么？")
        click = (await inbox.pressed())[0]
    assert (click.question, click.option, click.sender.id) == ("suggestion:turn-1", "1", str(world.alice.id))


def test_telegram_takes_their_buttons_for_any_turn():
    board = answer_keyboard(replace(snapshot("x", rateable=True, suggestions=NEXT), turn_id="f" * 32))
    assert board is not None
    buttons = [button for row in board.inline_keyboard for button in row]
    assert all(isinstance(button, InlineKeyboardButton) for button in buttons)
    data = [str(button.callback_data) for button in buttons]
    assert len(set(data)) == len(THUMBS) + len(NEXT)
    assert max(len(each.encode()) for each in data) <= 64
    assert answer_keyboard(snapshot("x", final=True)) is None
