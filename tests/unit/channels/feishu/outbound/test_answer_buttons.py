"""Thumbs and suggestions under an answer's last card, and what a press of one says."""

import pytest

from parley.channels.feishu.formatting import MAX_CARD_BYTES
from parley.core.model.feedback import FEEDBACK_QUESTION
from parley.core.model.questions import SUGGESTION_QUESTION
from tests.kit.platforms.feishu_channel import KeepingInbox, Notes, listening, snapshot

NEXT = ("Why?", "为什么？" * 18, "Show all 3 of the *longest* ones")
THUMBS = ("👍", "👎")


def answer(text: str = "Done.", **more):
    return snapshot(text, final=True, suggestions=NEXT, **more)


async def test_suggestions_are_whole_under_a_card_that_streams_no_more(world):
    reply = world.reply(Notes())
    await reply.show(snapshot("Do"))
    await reply.finish(answer())
    (card,) = world.seen()
    assert (card.text, card.buttons, card.streaming) == ("Done.", NEXT, False)


async def test_thumbs_come_first(world):
    await world.reply(Notes()).finish(answer(rateable=True))
    assert [each.buttons for each in world.seen()] == [(*THUMBS, *NEXT)]


async def test_they_stand_under_the_last_of_several_cards(world):
    await world.reply(Notes()).finish(answer("word " * 7000))
    *earlier, last = world.seen()
    assert (len(earlier), {each.buttons for each in earlier}, last.buttons) == (1, {()}, NEXT)


async def test_a_full_card_keeps_its_words_and_the_buttons_that_fit(world):
    text = "x" * (MAX_CARD_BYTES - 100)
    await world.reply(Notes()).finish(answer(text, rateable=True))
    (card,) = world.seen()
    assert (card.text, card.buttons) == (text, THUMBS)


async def test_after_a_crash_in_the_final_and_a_rewrite_they_stand_once(world):
    notes = Notes()
    await world.reply(notes).finish(answer())
    again = world.reply(notes, handle=notes.all[0])
    await again.finish(answer())
    await again.rewrite(answer("Done now."))
    assert [(each.text, each.buttons) for each in world.seen()] == [("Done now.", NEXT)]


async def test_without_cards_an_answer_has_its_words_alone(world):
    world.faults.refuse_next(["send"], 230099, "Failed to create card content", times=2)
    await world.reply(Notes()).finish(answer(rateable=True))
    assert [(each.text, each.buttons) for each in world.seen()] == [("Done.", ())]


async def test_a_press_in_a_topic_tells_the_topic(world):
    chat, inbox = world.group(), KeepingInbox()
    opening = world.say("topic", chat)
    said = world.say("@Parley hello", chat, reply_to=opening, in_thread=True)
    topic = world.people.messages(chat)[0].thread
    await world.reply(Notes(), chat=chat, reply_to=said, topic=topic).finish(answer())
    (card,) = world.seen(chat)
    async with listening(world.channel, inbox):
        world.people.press(chat, world.ann.open_id, card.id, NEXT[2])
        (click,) = await inbox.pressed()
    assert (click.conversation.chat, click.conversation.topic, click.private) == (chat, topic, False)
    assert (click.question, click.option) == (f"{SUGGESTION_QUESTION}turn-1", "2")


@pytest.mark.parametrize(
    ("label", "kind", "option"), [(NEXT[1], SUGGESTION_QUESTION, "1"), ("👎", FEEDBACK_QUESTION, "down")]
)
async def test_a_press_says_what_it_is_and_leaves_the_card(world, label, kind, option):
    inbox = KeepingInbox()
    await world.reply(Notes()).finish(answer(rateable=True))
    (card,) = world.seen()
    async with listening(world.channel, inbox):
        world.people.press(world.ann.chat, world.ann.open_id, card.id, label)
        (click,) = await inbox.pressed()
        await world.until(lambda: world.people.told(world.ann.chat, world.ann.open_id))
    assert (click.question, click.option) == (f"{kind}turn-1", option)
    assert (click.sender.id, click.private) == (world.ann.open_id, True)
    assert world.people.told(world.ann.chat, world.ann.open_id) == ("Noted.",)
    assert world.seen() == [card]
