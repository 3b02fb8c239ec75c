"""Hearing what people say."""

from __future__ import annotations

import time

from parley.core.model.types import Outcome
from tests.contract.driver import Person
from tests.contract.harness.scene import Scene
from tests.contract.harness.scripted_agent import Told, by_text
from tests.contract.promise import given, needs

STRANGER_FREE = frozenset({"nobody-of-this-id"})


async def promise_heard_as_said(scene: Scene) -> None:
    """A message reaches the agent once, with its text, sender, chat and time."""
    place, began = await scene.driver.private(), time.time()
    assert await scene.ask(place, "hello there") == ["you said hello there"]
    (message,) = scene.watch.heard
    assert message.text == "hello there"
    assert message.conversation == place.conversation
    assert (message.sender.channel, message.sender.id) == (scene.driver.section, place.owner.id)
    assert message.sender.name == place.owner.name
    assert message.private
    assert message.addressed
    assert message.id
    assert int(began) <= message.sent_at <= time.time()  # some platforms know whole seconds only
    assert scene.agent.texts == ["hello there"]


async def promise_any_script(scene: Scene) -> None:
    """Text in any script, emoji and symbols reach the agent unchanged."""
    place = await scene.driver.private()
    said = "Grüße 👩‍👩‍👧‍👦 你好 مرحبا 𝒳 <b>no tag</b> & \\ *stars* _under_ `code` {x: 1}"
    await scene.ask(place, said)
    assert scene.agent.texts == [said]


async def promise_one_after_the_other(scene: Scene) -> None:
    """The messages of one person in one conversation are read and answered in order."""
    place = await scene.driver.private()
    said = [f"message {number}" for number in range(8)]
    for text in said:
        await scene.driver.say(place, text)
    await scene.until_done(place, len(said))
    assert scene.agent.texts == said
    assert await scene.answers(place) == [f"you said {text}" for text in said]


@needs("repeats")
async def promise_delivered_twice_heard_once(scene: Scene) -> None:
    """A message that the platform delivers twice is one turn."""
    place = await scene.driver.private()
    await scene.ask(place, "only once")
    await scene.driver.redeliver()
    answers = await scene.ask(place, "after that", 2)
    assert scene.agent.texts == ["only once", "after that"]
    assert answers == ["you said only once", "you said after that"]


@needs("redelivers")
async def promise_durable_before_acknowledged(scene: Scene) -> None:
    """While the store is away nothing is acknowledged; messages from that time are read later, in order."""
    place = await scene.driver.private()
    scene.journal.refusals = 2
    said = ["first", "second", "third"]
    for text in said:
        await scene.driver.say(place, text)
    await scene.until_done(place, len(said))
    assert scene.agent.texts == said
    assert scene.journal.refusals == 0


@needs("strangers")
@given(allowed=STRANGER_FREE)
async def promise_strangers_are_told_so(scene: Scene) -> None:
    """A person who may not talk is told so in private, with their id, and never reaches the agent."""
    place = await scene.driver.private("Eve")
    await scene.driver.say(place, "let me in")
    await scene.until_shows(place, place.owner.id)
    assert not scene.agent.requests


@needs("bots")
async def promise_deaf_to_bots(scene: Scene) -> None:
    """Messages from bots, including our own, are never answered."""
    place = await scene.driver.group()
    await scene.driver.bot_says(place, "I am a bot")
    await scene.ask(place, scene.to_bot("I am not"))
    assert scene.agent.texts == ["I am not"]


@needs("groups")
async def promise_writers_are_told_apart(scene: Scene) -> None:
    """In a group each message is attributed to its own sender."""
    place = await scene.driver.group()
    bob: Person = await scene.driver.newcomer(place, "Bob")
    await scene.driver.say(place, scene.to_bot("I am Ann"))
    await scene.driver.say(place, scene.to_bot("I am Bob"), by=bob)
    await scene.until_done(place, 2)
    heard = [(message.sender.id, message.sender.name, message.text) for message in scene.watch.heard]
    assert heard == [(place.owner.id, "Ann", "I am Ann"), (bob.id, "Bob", "I am Bob")]


@needs("opens")
async def promise_each_beginning_is_a_conversation(scene: Scene) -> None:
    """Where people begin conversations with the bot by writing, each has its own memory and its answers."""
    place = await scene.driver.private()
    places = [await scene.driver.begin(place, f"begin {number}") for number in range(2)]
    for begun in places:
        await scene.until_done(begun)
    await scene.driver.say(places[0], "go on")
    await scene.until_done(places[0], 2)
    assert [len(await scene.answers(begun)) for begun in places] == [2, 1]
    threads = {request.text: request.thread for request in scene.agent.requests}
    assert threads["go on"] == threads["begin 0"] != threads["begin 1"]


@needs("rewrites")
@given(reruns=True)
async def promise_an_edit_is_answered_anew(scene: Scene) -> None:
    """After an edit the last message is answered again, once, as if it had been written that way."""
    place = await scene.driver.private()
    await scene.ask(place, "first")
    said = await scene.driver.say(place, "tow")
    await scene.until_shows(place, "you said tow")
    await scene.driver.edit(place, said, "two")
    await scene.until_shows(place, "you said two")
    await scene.driver.edit(place, said, "three")
    await scene.until_shows(place, "you said three")
    await scene.driver.say(place, "last")
    await scene.until_shows(place, "you said last")
    assert scene.agent.texts == ["first", "tow", "two", "three", "last"]
    _, tow, two, three, _ = scene.agent.requests
    assert tow.message_id == two.message_id == three.message_id
    assert [request.retried for request in (tow, two, three)] == [False, True, True]


@needs("rewrites")
@given(reruns=True)
async def promise_an_edit_stops_the_answer_to_what_it_changes(scene: Scene) -> None:
    """An edit of a message that is being answered stops that answer and is answered next."""
    place, told = await scene.driver.private(), Told()
    scene.agent.script = by_text({"tow": told})
    said = await scene.driver.say(place, "tow")
    told.says("the first half")
    await scene.until_shows(place, "the first half")
    await scene.driver.edit(place, said, "two")
    await scene.until(lambda: scene.agent.cancelled, "the run to be cancelled")
    told.ends("the first half", Outcome.CANCELLED)
    await scene.until_shows(place, "you said two")
    assert scene.agent.texts == ["tow", "two"]


@needs("rewrites")
async def promise_edits_are_left_alone(scene: Scene) -> None:
    """When edits are switched off, an edit of the last message changes nothing."""
    place = await scene.driver.private()
    said = await scene.driver.say(place, "tow")
    await scene.until_shows(place, "you said tow")
    await scene.driver.edit(place, said, "two")
    await scene.driver.say(place, "last")
    await scene.until_shows(place, "you said last")
    assert scene.agent.texts == ["tow", "last"]
