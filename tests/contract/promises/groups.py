"""Groups, mentions, replies, topics and albums."""

from __future__ import annotations

from parley.core.model.options import MentionPolicy
from parley.core.model.types import RunMode
from tests.contract.driver import Upload
from tests.contract.harness.scene import Scene
from tests.contract.harness.scripted_agent import Told, silent
from tests.contract.promise import given, needs
from tests.kit.doubles.core import echo
from tests.kit.machine import patience


@needs("groups")
async def promise_mention_removed(scene: Scene) -> None:
    """In a group our own mention is removed from the text, wherever it is; others stay."""
    place = await scene.driver.group()
    await scene.ask(place, f"👍👍 {scene.driver.mention} ask @carol_w about @bob_smith, please")
    await scene.ask(place, f"what now, {scene.driver.mention}?", 2)
    assert scene.agent.texts == ["👍👍 ask @carol_w about @bob_smith, please", "what now, ?"]


@needs("groups")
async def promise_talk_of_others_is_theirs(scene: Scene) -> None:
    """Messages between people in a group are not answered, and not stored where mentions bring none."""
    place = await scene.driver.group()
    await scene.driver.say(place, "lunch, anybody?")
    await scene.driver.say(place, "@bob_smith are you in?")
    await scene.ask(place, scene.to_bot("who is in?"))
    assert scene.agent.texts == ["who is in?"]
    assert [message.text for message in scene.watch.heard] == ["who is in?"]


@needs("groups", "quotes")
async def promise_a_reply_to_us_is_for_us(scene: Scene) -> None:
    """A reply to a message of the bot needs no mention and stays in its conversation, with its quote."""
    place = await scene.driver.group()
    await scene.ask(place, scene.to_bot("begin"))
    (answer,) = await scene.shown(place)
    await scene.driver.say(place, "go on", reply_to=answer.id)
    await scene.until_done(place, 2)
    first, second = scene.agent.requests
    assert second.thread == first.thread
    assert "go on" in second.text
    assert "you said begin" in second.text


@needs("groups", "quotes")
async def promise_answers_name_their_question(scene: Scene) -> None:
    """In a group the answer is shown as a reply to the message that it answers."""
    place = await scene.driver.group()
    question = await scene.driver.say(place, scene.to_bot("whose turn?"))
    await scene.driver.say(place, "nobody's")
    await scene.until_done(place)
    (answer,) = await scene.shown(place)
    assert answer.reply_to == question


@needs("topics")
async def promise_topics_are_apart(scene: Scene) -> None:
    """Each topic, and the chat around it, is a separate conversation and is answered in its place."""
    places = await scene.driver.topics(2)
    for number, place in enumerate(places):
        await scene.driver.say(place, scene.to_bot(f"question {number}"))
    for number, place in enumerate(places):
        await scene.until_done(place)
        assert await scene.answers(place) == [f"you said question {number}"]
    assert len({request.thread for request in scene.agent.requests}) == len(places)


@needs("groups", "topics")
@given(mention=MentionPolicy.THREAD)
async def promise_a_topic_is_ours_at_once(scene: Scene) -> None:
    """With `mention: thread` what follows a mention in its topic needs none, also before the answer and after
    a crash.
    """
    place, other = (await scene.driver.topics(2))[-2:]
    scene.agent.script = silent
    await scene.driver.say(other, "lunch, anybody?")
    await scene.driver.say(place, scene.to_bot("look"))
    await scene.until(lambda: len(scene.watch.heard) == 1, "the mention to be accepted")
    await scene.driver.say(place, "at this")
    await scene.until(lambda: len(scene.watch.heard) == 2, "what follows it to be accepted")
    await scene.crash()
    scene.agent.script = silent
    await scene.start()
    await scene.driver.say(place, "and this")
    await scene.until(lambda: len(scene.watch.heard) == 3, "what follows a crash to be accepted")
    await scene.crash()
    scene.agent.script = echo
    await scene.start()
    await scene.until_done(place, 3)
    assert [message.text for message in scene.watch.heard] == ["look", "at this", "and this"]
    assert [len(await scene.answers(where)) for where in (place, other)] == [3, 0]


@needs("albums")
@given(burst_window=patience(0.2))
async def promise_an_album_is_one_turn(scene: Scene) -> None:
    """Files that are sent together are one turn with all files and their text."""
    place = await scene.driver.private()
    files = [Upload(f"page {number}.txt", f"page {number}".encode(), "text/plain") for number in range(3)]
    await scene.driver.attach(place, files, "read these")
    await scene.until_done(place)
    (request,) = scene.agent.requests
    assert "read these" in request.text
    assert [file.name for file in request.files] == [file.name for file in files]
    assert len(await scene.answers(place)) == 1


async def promise_conversations_do_not_mix(scene: Scene) -> None:
    """Two conversations that are answered at the same time stay separate."""
    from_ann, from_bob = await scene.driver.private("Ann"), await scene.driver.private("Bob")
    for round_ in range(1, 4):
        await scene.driver.say(from_ann, f"apples {round_}")
        await scene.driver.say(from_bob, f"bananas {round_}")
        await scene.until_done(from_ann, round_)
        await scene.until_done(from_bob, round_)
    assert await scene.answers(from_ann) == [f"you said apples {number}" for number in (1, 2, 3)]
    assert await scene.answers(from_bob) == [f"you said bananas {number}" for number in (1, 2, 3)]
    assert not any("bananas" in text for text in scene.driver.growth(from_ann))
    assert not any("apples" in text for text in scene.driver.growth(from_bob))


@needs("groups")
@given(routed=True)
async def promise_chats_have_their_own_rules(scene: Scene) -> None:
    """A group with an entry of its own has the agent, the mode and the mention rule that the entry names."""
    place = await scene.driver.group()
    await scene.driver.say(place, "who is on call?")
    await scene.until_done(place)
    (request,) = scene.agent.requests
    assert (request.session.assistant, request.mode) == ("group-agent", RunMode.WAIT)
    private = await scene.driver.private("Eve")
    await scene.ask(private, "and here?")
    usual = "group-agent" if scene.driver.group_pattern == "*" else "agent"
    assert scene.agent.requests[-1].session.assistant == usual


@needs("groups")
@given(wakes="sev1")
async def promise_a_rule_needs_no_mention(scene: Scene) -> None:
    """A message that fits a rule is answered without a mention, where it stands; others are not."""
    place = await scene.driver.group()
    await scene.driver.say(place, "all quiet")
    await scene.ask(place, "a sev1 alert")
    assert scene.agent.texts == ["a sev1 alert"]


@needs("groups", "bots")
@given(bots=frozenset({"*"}))
async def promise_listed_bots_are_answered(scene: Scene) -> None:
    """A bot on the list is answered where it spoke, and is no person; what we said ourselves never is."""
    place = await scene.driver.group()
    await scene.driver.bot_says(place, "disk full")
    await scene.until_done(place)
    await scene.ask(place, scene.to_bot("thanks"), 2)
    ours = [text for text in await scene.answers(place) if text.startswith("you said")]
    assert ours == ["you said disk full", "you said thanks"]
    assert [bool(message.sender.bot) for message in scene.watch.heard] == [True, False]


@needs("groups", "bots")
@given(bots=frozenset({"*"}))
async def promise_bots_do_not_go_on_for_ever(scene: Scene) -> None:
    """Bots cause a few turns in a row in one conversation, and no more until a person speaks there."""
    place = await scene.driver.group()
    for number in range(4):
        await scene.driver.bot_says(place, f"alert {number}")
    await scene.until_done(place, 4)
    await scene.ask(place, scene.to_bot("enough"), 5)
    await scene.driver.bot_says(place, "alert again")
    await scene.until_done(place, 6)
    assert scene.agent.texts == ["alert 0", "alert 1", "enough", "alert again"]


@needs("guests")
async def promise_a_guest_answers_where_it_was_called(scene: Scene) -> None:
    """Called in a chat that it is no member of, the bot answers there, in a conversation of its own."""
    places = [await scene.driver.call_as_guest(f"question {number}") for number in range(2)]
    for number, place in enumerate(places):
        await scene.until_done(place)
        assert await scene.answers(place) == [f"you said question {number}"]
    assert sorted(scene.agent.texts) == ["question 0", "question 1"]
    assert len({request.thread for request in scene.agent.requests}) == len(places)


@needs("guests")
async def promise_a_guest_goes_on_after_a_crash(scene: Scene) -> None:
    """After a crash the message of an answer that grew where the bot is a guest becomes the final one."""
    scene.agent.script = told = Told()
    place = await scene.driver.call_as_guest("what is up?")
    await scene.until_asked()
    told.says("Not much")
    await scene.until_shows(place, "Not much")
    await scene.restart()
    await scene.until_asked(2)
    told.ends("Not much here.")
    await scene.until_done(place)
    assert await scene.answers(place) == ["Not much here."]
