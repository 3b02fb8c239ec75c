"""What an answer suggests to ask next: buttons under its last message, beside the thumbs."""

from __future__ import annotations

import pytest
from slack_sdk.models.blocks import ActionsBlock, Block

from parley.channels.slack.blocks import answer_foot
from parley.core.texts import Sentence, say
from tests.kit.platforms.slack_channel import KeepingInbox, Notes, finish_until_done, listening, snapshot

NEXT = ("And tomorrow?", "为什么？", "x" * 75)
THUMBS = ("Good answer", "Bad answer")


class TellingInbox(KeepingInbox):
    """Tells whoever presses the same sentence."""

    def __init__(self, told: Sentence) -> None:
        super().__init__()
        self.told = say("en", told)

    async def decide(self, click):
        await super().decide(click)
        return self.told


@pytest.mark.parametrize("in_thread", [True, False])
@pytest.mark.parametrize("shown", [("Hel", "Hello"), ("Hello!",), ()])
@pytest.mark.parametrize("rateable", [True, False])
async def test_they_stand_under_the_last_message_of_an_answer(world, in_thread, shown, rateable):
    thread = world.thread() if in_thread else None
    reply = world.channel(feedback="on").open_reply(world.target(thread), Notes())
    for text in shown:
        await reply.show(snapshot(text))
    await reply.finish(snapshot("Hello!", final=True, rateable=rateable, suggestions=NEXT))
    message = world.people.messages((thread or (world.alice.dm,))[0])[-1]
    assert (message.text, message.streaming) == ("Hello!", False)
    assert message.buttons == ((*THUMBS, *NEXT) if rateable else NEXT)


async def test_under_a_long_answer_they_stand_once(world):
    thread = world.thread()
    reply = world.channel().open_reply(world.target(thread), Notes())
    await reply.finish(snapshot("word " * 6_000, final=True, suggestions=NEXT))
    *before, last = world.people.messages(*thread)
    assert len(before) > 1
    assert (last.buttons, {each.buttons for each in before}) == (NEXT, {()})


@pytest.mark.parametrize("method", ["chat.stopStream", "chat.postMessage", "chat.update"])
async def test_where_slack_refuses_them_the_answer_stands_without(world, method):
    thread = world.thread() if method == "chat.stopStream" else None
    reply = world.channel().open_reply(world.target(thread), Notes())
    if method != "chat.postMessage":
        await reply.show(snapshot("Hel"))
    world.sim.faults.fail_next(method, "invalid_blocks")
    await finish_until_done(reply, snapshot("Hello!", final=True, suggestions=NEXT))
    assert world.ours(thread) == ["Hello!"]


@pytest.mark.parametrize(
    ("told", "seen"), [(Sentence.SUGGESTION_ASKED, False), (Sentence.SUGGESTION_KNOWN, True)]
)
async def test_a_press_names_the_turn_and_the_number(world, told, seen):
    thread, channel, inbox = world.thread(), world.channel(), TellingInbox(told)
    async with listening(channel, inbox):
        reply = channel.open_reply(world.target(thread), Notes())
        await reply.finish(snapshot("Hello!", final=True, suggestions=NEXT))
        ts = world.people.messages(*thread)[-1].ts
        world.people.press(thread[0], world.alice.id, ts, "为什么？")
        await world.until(lambda: inbox.clicks and world.people.unacknowledged() == 0)
        (click,) = inbox.clicks
        assert (click.question, click.option, click.sender.id) == ("suggestion:turn-1", "1", world.alice.id)
        inbox.told = say("en", Sentence.SUGGESTION_STALE)
        world.people.press(thread[0], world.alice.id, ts, NEXT[0])
        expected = [say("en", told), inbox.told] if seen else [inbox.told]
        await world.until(
            lambda: len(world.people.told(thread[0], world.alice.id, thread[1])) >= len(expected)
        )
        assert sorted(world.people.told(thread[0], world.alice.id, thread[1])) == sorted(expected)


def test_slack_s_own_classes_take_the_blocks():
    _, row = answer_foot(snapshot("Hello!", final=True, rateable=True, suggestions=NEXT), "en")
    block = Block.parse(row)
    assert isinstance(block, ActionsBlock)
    block.validate_json()
    elements = block.to_dict()["elements"]
    assert [element["text"]["text"] for element in elements] == list(NEXT)
    assert len({element["action_id"] for element in elements}) == len(NEXT)
