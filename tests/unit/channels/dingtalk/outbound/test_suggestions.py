"""What an answer suggests to ask next: buttons in its last card, behind the thumbs, where there is room."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.channels.dingtalk.formatting import VARIABLE_BYTES
from parley.channels.dingtalk.question_layout import (
    answer_buttons,
    encode_buttons,
    fitting_buttons,
    under_answer,
)
from parley.core.model.questions import STOP_OPTION, Click, Question
from parley.core.texts import Sentence, say
from tests.kit.platforms.dingtalk_channel import KeepingInbox, Notes, listening, make_channel, snapshot

TEMPLATE = Path(__file__).parents[5] / "docs" / "dingtalk-card.json"
NEXT = ("And tomorrow?", "为什么？", "Which one?")
THUMBS = ("👍", "👎")


class TellingInbox(KeepingInbox):
    """Keeps what was pressed, and tells who pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.clicks: list[Click] = []

    async def decide(self, click):
        self.clicks.append(click)
        return say("en", Sentence.SUGGESTION_ASKED)


@pytest.fixture
def channel(world):
    made = world.sim.world.import_template(TEMPLATE.read_text("utf-8"))
    return make_channel(world.sim, card_template_id=made, question_template_id=made)


def cards(world):
    return world.people.messages(world.alice.id)


@pytest.mark.parametrize("shown", [("Hel", "Hello"), ()])
async def test_they_stand_in_the_last_card_of_an_answer(world, channel, shown):
    notes = Notes()
    reply = channel.open_reply(world.target(), notes)
    for text in shown:
        await reply.show(snapshot(text))
    final = snapshot("word " * 900, final=True, suggestions=NEXT)
    await reply.finish(final)
    assert [card.buttons for card in cards(world)] == [(), NEXT]
    await channel.open_reply(world.target(handle=notes.last), Notes()).finish(final)
    await reply.rewrite(final)
    assert [card.buttons for card in cards(world)] == [(), NEXT]


async def test_a_press_names_the_turn_and_the_number_and_its_person_is_told(world, channel):
    inbox, turn = TellingInbox(), world.target().turn_id
    async with listening(channel, inbox):
        reply = channel.open_reply(world.target(), Notes())
        await reply.finish(snapshot("Hello!", final=True, rateable=True, suggestions=NEXT[:2]))
        (card,) = cards(world)
        assert card.buttons == (*THUMBS, *NEXT[:2])
        for label in ("为什么？", "👎"):
            world.people.press(world.alice.id, world.alice.id, card.id, label)
            await world.until(lambda: world.people.told(world.alice.id, world.alice.id))
        await world.until(lambda: len(inbox.clicks) == 2)
    pressed = [(click.question, click.option) for click in inbox.clicks]
    assert pressed == [(f"suggestion:{turn}", "1"), (f"feedback:{turn}", "down")]
    assert cards(world) == (card,)


async def test_without_a_template_there_are_none(world):
    reply = make_channel(world.sim).open_reply(world.target(), Notes())
    await reply.finish(snapshot("Hello!", final=True, suggestions=NEXT))
    assert [(card.text, card.buttons) for card in cards(world)] == [("Hello!", ())]


def test_what_the_card_has_no_room_for_is_left_out_from_the_end(world):
    home = "ding" + "0" * 30
    for rateable in (True, False):
        answer = snapshot("x", rateable=rateable, suggestions=tuple(f"{n}{'长' * 74}" for n in range(3)))
        question = answer_buttons(answer)
        assert question is not None
        made = fitting_buttons(question, world.target(), home)
        assert len(encode_buttons(made).encode()) <= VARIABLE_BYTES
        assert [str(each["text"])[:1] for each in made] == [*(THUMBS if rateable else ()), "0", "1"][
            : len(made)
        ]
        assert len(made) >= 2
    assert fitting_buttons(Question("t", ""), world.target(), home) == ()


def test_each_button_is_told_from_the_others():
    assert under_answer("t", "next_2") == ("suggestion:t", "2")
    assert under_answer("t", "up") == ("feedback:t", "up")
    assert under_answer("t", STOP_OPTION) == ("stop:t", STOP_OPTION)
