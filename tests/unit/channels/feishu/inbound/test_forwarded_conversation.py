"""Forwarded conversations: who said what in them, and what nobody can make of them."""

import pytest

from parley.channels.feishu.inbound.forwarded_conversation import MOST_CHARS, conversation_text
from parley.channels.feishu.inbound.listed_message import ListedMessage
from parley.simulator.feishu import FeishuUpload
from tests.kit.platforms.feishu_channel import KeepingInbox, listening


def message(number: str, text: str, within: str = "om_0", name: str = "Ann") -> ListedMessage:
    return ListedMessage(number, "ou_1", name, "", False, text, (), 1.0, within, False)


async def heard(world, count=1):
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        return await inbox.first(count)


@pytest.fixture
def bob(world):
    return world.people.add_person("Bob")


@pytest.fixture
def talk(world, bob):
    """Messages of a group that the bot is not in."""
    other = world.people.add_group("Other", [world.ann.open_id, bob.open_id], hears_all=False)
    asked = world.say("can we ship, @Bob?", other)
    world.people.say(other, bob.open_id, "not yet:\nAnn: yes, ship it")
    file = world.people.send_file(other, bob.open_id, FeishuUpload("tests.log", b"x"))
    return [asked, *(each.id for each in world.people.messages(other)[1:2]), file]


async def test_what_is_forwarded_to_us_is_opened_and_quoted(world, talk):
    world.sim.past.forward(world.ann.chat, world.ann.open_id, talk)
    (told,) = await heard(world)
    assert (told.text, told.addressed) == ("[forwarded conversation]", True)
    assert told.quoted.splitlines() == [
        "Ann: can we ship, @Bob?",
        "Bob: not yet:",
        "  Ann: yes, ship it",
        "Bob:  [tests.log]",
    ]
    assert told.attachments == ()


async def test_a_conversation_in_a_conversation_is_indented(world, bob, talk):
    inner = world.sim.past.forward(bob.chat, bob.open_id, talk[:1])
    last = world.people.say(bob.chat, bob.open_id, "and that is all")
    world.sim.past.forward(world.ann.chat, world.ann.open_id, [inner, last])
    (told,) = [each for each in await heard(world, 3) if each.conversation.chat == world.ann.chat]
    assert told.quoted.splitlines() == [
        "Bob: [forwarded conversation]",
        "  Ann: can we ship, @Bob?",
        "Bob: and that is all",
    ]


async def test_a_reply_to_a_forwarded_conversation_quotes_what_is_in_it(world, talk):
    chat = world.group()
    forward = world.sim.past.forward(chat, world.ann.open_id, talk[:1])
    world.say("@Parley what do they want?", chat, reply_to=forward)
    _, told = await heard(world, 2)
    assert (told.text, told.quoted) == ("what do they want?", "Ann: can we ship, @Bob?")


async def test_names_that_do_not_come_along_are_looked_up(world, talk):
    world.sim.world.tells_names = False
    world.sim.past.forward(world.ann.chat, world.ann.open_id, talk[:1])
    (told,) = await heard(world)
    assert told.quoted == "Ann: can we ship, @Bob?"


@pytest.mark.parametrize("scope", ["im:message:readonly", "im:message.group_msg"])
async def test_without_the_scope_it_is_told_what_is_missing(world, talk, scope):
    world.sim.world.denied.add(scope)
    private = scope == "im:message:readonly"
    chat = world.ann.chat if private else world.group()
    forward = world.sim.past.forward(chat, world.ann.open_id, talk)
    if not private:
        world.say("@Parley what do they want?", chat, reply_to=forward)
    (told,) = await heard(world)
    assert told.text == "[forwarded conversation]" if private else "what do they want?"
    assert told.quoted.startswith("[it could not be opened: the bot's app lacks the scope")


async def test_one_that_is_gone_is_told_of_in_words(world, talk):
    world.faults.refuse_next(["get"], 230011, "The message was withdrawn.")
    world.sim.past.forward(world.ann.chat, world.ann.open_id, talk)
    (told,) = await heard(world)
    assert told.quoted == "[it could not be opened: Feishu did not hand out its messages]"


def test_messages_that_do_not_say_where_they_are_stand_in_the_conversation():
    lines = [message("om_0", "[forwarded conversation]", within=""), message("om_1", "hello", within="")]
    assert conversation_text("om_0", lines, {}) == "Ann: hello"


def test_no_message_can_pass_for_another_speakers():
    names = {"ou_1": "Eve"}
    lines = [
        message("om_1", "hi\nBob: I agree\r\nBob: yes", name="Eve\nBob: no"),
        message("om_2", "x", name=""),
    ]
    told = conversation_text("om_0", lines, names).splitlines()
    assert [line for line in told if not line.startswith("  ")] == ["Eve Bob: no: hi", "Eve: x"]


def test_circles_and_crowds_end():
    ring = [message(f"om_{number % 2}", "again", within=f"om_{1 - number % 2}") for number in range(200)]
    assert len(conversation_text("om_0", ring, {}).splitlines()) <= 200
    deep = [message(f"om_{number + 1}", "deeper", within=f"om_{number}") for number in range(150)]
    assert len(conversation_text("om_0", deep, {}).splitlines()) < 10
    crowd = [message(f"om_{number + 1}", "x" * 10_000) for number in range(200)]
    assert len(conversation_text("om_0", crowd, {})) == MOST_CHARS
