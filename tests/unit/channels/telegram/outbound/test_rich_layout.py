"""Rich messages: only where asked for and useful, and never at the price of the answer."""

import pytest

from parley.channels.telegram.outbound.rich_layout import MAX_RICH_CHARS, wants_layout
from parley.core.model.errors import ChannelUnavailable
from tests.kit.platforms.telegram_channel import Notes, snapshot

TABLE = "Prices:\n\n| a | b |\n|---|---|\n| 1 | 2 |"


def shown(world, chat=None):
    return [message for message in world.people.messages(chat or world.alice.id) if message.from_bot]


@pytest.mark.parametrize(
    "text",
    [TABLE, "a | b\n--- | ---\n1 | 2", "# Head\ntext", "- a\n  - b", "1. a\n   1. b", "so $$x^2$$ it is"],
)
def test_what_telegram_lays_out_better_is_worth_it(text):
    assert wants_layout(text)


@pytest.mark.parametrize(
    "text",
    [
        "plain prose, **bold**, `code` and a [link](https://a.b)",
        "- a\n- b\n\n1. c\n2. d",
        "```\n# no heading\n| a | b |\n|---|---|\n```",
        "```sh\n# cut off\n- a\n  - b",
        "it costs 5$ or 6$, #1 of all; a | b",
        "---",
        "",
        "# " + "x" * MAX_RICH_CHARS,
    ],
)
def test_the_rest_stays_plain(text):
    assert not wants_layout(text)


async def test_without_being_asked_for_nothing_is_rich(world):
    await world.channel.open_reply(world.target(), Notes()).finish(snapshot(TABLE))
    assert [message.rich for message in shown(world)] == [False]


async def test_a_table_is_one_rich_message_and_prose_is_not(world):
    channel = world.another_channel(rich_messages=True)
    await channel.open_reply(world.target(), Notes()).finish(snapshot(TABLE))
    await channel.open_reply(world.target(), Notes()).finish(snapshot("just **words**"))
    table, prose = shown(world)
    assert (table.rich, table.text) == (True, TABLE)
    assert (prose.rich, prose.text) == (False, "just words")


async def test_an_answer_that_grew_over_several_messages_becomes_one(world):
    group = world.people.add_group("Team", [world.alice.id])
    channel = world.another_channel(rich_messages=True)
    reply = channel.open_reply(world.target(group), Notes())
    long = f"{TABLE}\n\n" + "word " * 2000
    await reply.show(snapshot(long))
    assert len(shown(world, group)) == 3
    receipt = await reply.finish(snapshot(long))
    (message,) = shown(world, group)
    assert (message.rich, message.text) == (True, long)
    assert len(receipt.message_ids) == 1


async def test_a_table_that_is_refused_is_plain_and_the_next_is_rich_again(world):
    channel = world.another_channel(rich_messages=True)
    wide = "|" + " a |" * 21 + "\n|" + "---|" * 21 + "\n|" + " 1 |" * 21
    await channel.open_reply(world.target(), Notes()).finish(snapshot(wide))
    await channel.open_reply(world.target(), Notes()).finish(snapshot(TABLE))
    assert [message.rich for message in shown(world)] == [False, True]


@pytest.mark.parametrize(
    ("delivery", "method", "status", "words"),
    [
        ("send", "sendRichMessage", 404, "Not Found"),
        ("edit", "editMessageText", 400, "Bad Request: message text is empty"),
    ],
)
async def test_a_bot_api_without_rich_messages_is_asked_once(world, delivery, method, status, words):
    channel = world.another_channel(rich_messages=True, delivery=delivery)
    world.sim.faults.fail_next(method, status, words)
    for _ in range(2):
        await channel.open_reply(world.target(), Notes()).finish(snapshot(TABLE))
    assert [message.rich for message in shown(world)] == [False, False]


async def test_a_crash_before_or_after_the_rich_edit_doubles_nothing(world):
    notes = Notes()
    for when in ("before", "after"):
        world.sim.faults.reset_next("editMessageText", when)
        channel = world.another_channel(rich_messages=True, delivery="edit")
        with pytest.raises(ChannelUnavailable):
            await channel.open_reply(world.target(handle=notes.last), notes).finish(snapshot(TABLE))
    channel = world.another_channel(rich_messages=True, delivery="edit")
    await channel.open_reply(world.target(handle=notes.last), notes).finish(snapshot(TABLE))
    assert [message.text for message in shown(world)] == [TABLE]


async def test_a_message_taken_away_before_its_layout_is_sent_anew(world):
    notes = Notes()
    channel = world.another_channel(rich_messages=True, delivery="edit")
    world.sim.faults.reset_next("editMessageText", "before")
    with pytest.raises(ChannelUnavailable):
        await channel.open_reply(world.target(), notes).finish(snapshot(TABLE))
    world.people.delete(world.alice.id, shown(world)[0].id)
    await channel.open_reply(world.target(handle=notes.last), notes).finish(snapshot(TABLE))
    assert [(message.rich, message.text) for message in shown(world)] == [(True, TABLE)]


async def test_a_rich_message_is_sent_in_one_piece(world):
    channel = world.another_channel(rich_messages=True)
    question = world.say("hi")
    await channel.open_reply(world.target(reply_to=question), Notes()).finish(snapshot(TABLE))
    (message,) = shown(world)
    assert (message.rich, message.edited) == (True, False)
    assert world.sim.calls("sendMessage") == ()


async def test_a_rich_message_whose_answer_was_lost_is_sent_again_and_counted(world):
    channel = world.another_channel(rich_messages=True)
    world.sim.faults.reset_next("sendRichMessage", "after")
    reply = channel.open_reply(world.target(), Notes())
    with pytest.raises(ChannelUnavailable):
        await reply.finish(snapshot(TABLE))
    receipt = await reply.finish(snapshot(TABLE))
    assert [message.text for message in shown(world)] == [TABLE, TABLE]
    assert receipt.doubtful
