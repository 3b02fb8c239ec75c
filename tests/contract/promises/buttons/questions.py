"""What an interrupted run asks, with buttons to answer it."""

from __future__ import annotations

from parley.core.model.questions import Option, Question, QuestionKind
from tests.contract.driver import Place, Shown
from tests.contract.harness.scene import Scene
from tests.contract.harness.scripted_agent import asking
from tests.contract.promise import given, needs

_YES, _NO = "Ship it", "Not now"
_DEPLOY = Question(
    "deploy",
    "",
    (Option("ship", _YES), Option("wait", _NO)),
    kind=QuestionKind.APPROVAL,
    action="deploy",
    arguments='{"to": "production"}',
)
_COLOUR = Question(
    "colour", "Which colour?", (Option("red", "Red"), Option("blue", "Blue")), may_respond=False
)
_SIZE = Question("size", "Which size?", (Option("large", "Large"),), may_respond=False)
_CITY, _STREET = Question("city", "Which city?"), Question("street", "Which street?")


@needs("buttons")
async def promise_options_are_buttons(scene: Scene) -> None:
    """A question is shown completely, after the agent's text, with its options as buttons in their order."""
    place = await scene.driver.private()
    await _asked(scene, place)
    said, question = await scene.shown(place)
    assert said.text == "I have a plan."
    assert not said.buttons
    assert question.buttons == (_YES, _NO)
    assert "deploy" in question.text
    assert "production" in question.text
    assert _YES not in question.text


@needs("buttons")
async def promise_a_press_decides(scene: Scene) -> None:
    """A button press is the answer: the run continues with it once, and so does the conversation."""
    place = await scene.driver.private()
    await _asked(scene, place)
    await scene.driver.press(place, _NO)
    await scene.until_done(place, 2)
    assert (await scene.answers(place))[-1] == "I was given: deploy wait"
    assert (await scene.ask(place, "and now?", 3))[-1] == "you said and now?"
    assert scene.agent.given == [("wait",)]
    assert len(scene.agent.requests) == 3


@needs("buttons")
async def promise_a_decision_is_seen(scene: Scene) -> None:
    """The message of a decided question says who decided what, has no buttons, and is the only one."""
    place = await scene.driver.private()
    question = await _asked(scene, place)
    await scene.driver.press(place, _YES)
    text = await scene.until_settled(place, question)
    assert _YES in text
    assert place.owner.name in text
    assert "production" in text
    await scene.until_done(place, 2)
    assert await scene.answers(place) == ["I have a plan.", text, "I was given: deploy ship"]


@needs("buttons", "tells")
async def promise_a_decision_stays_seen(scene: Scene) -> None:
    """What the message of a decided question says stands also when the press was answered."""
    place = await scene.driver.private()
    question = await _asked(scene, place)
    await scene.driver.press(place, _YES)
    text = await scene.until_settled(place, question)
    await scene.until(lambda: scene.driver.told(place), "the press to be answered")
    assert await scene.until_settled(place, question) == text
    # What the run says next may have a stop button.
    assert not [each for each in await scene.driver.look(place) if {_YES, _NO} & set(each.buttons)]


@needs("buttons")
@given(deciders=frozenset({"anyone"}))
async def promise_presses_at_once_decide_once(scene: Scene) -> None:
    """Of several presses at once, by one person or two, one decides, and the message names only that one."""
    groups = scene.driver.traits.groups
    place = await (scene.driver.group() if groups else scene.driver.private())
    bob = await scene.driver.newcomer(place, "Bob") if groups else place.owner
    question = await _asked(scene, place)
    scene.journal.holding.clear()
    await scene.driver.press(place, _YES)
    await scene.driver.press(place, _YES)
    await scene.driver.press(place, _NO, by=bob)
    await scene.until(lambda: scene.journal.attempts, "a press to be heard")
    scene.journal.holding.set()
    text = await scene.until_settled(place, question)
    await _answered_once(scene, place)
    assert (_YES in text) == (scene.agent.given == [("ship",)])
    assert (_YES in text) != (_NO in text)


@needs("buttons", "repeats")
async def promise_a_press_delivered_twice_decides_once(scene: Scene) -> None:
    """A press that the platform delivers twice decides once and does not affect later questions."""
    place = await scene.driver.private()
    question = await _asked(scene, place)
    await scene.driver.press(place, _YES)
    await scene.until_settled(place, question)
    await scene.until_done(place, 2)
    await scene.driver.say(place, scene.to_bot("ask again"))
    await scene.until_done(place, 3)
    later = await scene.until_buttons(place, (_YES, _NO))
    await scene.driver.redeliver()
    await scene.driver.press(place, _NO)
    await scene.until_settled(place, later)
    await scene.until_done(place, 4)
    assert scene.agent.given == [("ship",), ("wait",)]


@needs("buttons", "groups")
async def promise_a_strangers_press_decides_nothing(scene: Scene) -> None:
    """In a group a press by somebody who may not decide changes nothing; the decider can still decide."""
    place = await scene.driver.group()
    eve = await scene.driver.newcomer(place, "Eve")
    question = await _asked(scene, place)
    await scene.driver.press(place, _YES, by=eve)
    if scene.driver.traits.tells:
        await scene.until(lambda: scene.driver.told(place, eve), "Eve to be told")
    await scene.driver.press(place, _NO)
    text = await scene.until_settled(place, question)
    await _answered_once(scene, place)
    assert scene.agent.given == [("wait",)]
    assert "Eve" not in text
    assert place.owner.name in text


@needs("buttons", "tells")
async def promise_who_presses_is_told(scene: Scene) -> None:
    """Only the person who presses a button is told its result; if it is too late, what was decided."""
    place = await scene.driver.private()
    await _asked(scene, place)
    scene.journal.holding.clear()
    for label in (_YES, _NO):
        await scene.driver.press(place, label)
    await scene.until(lambda: scene.journal.attempts, "a press to be heard")
    scene.journal.holding.set()

    async def both_told() -> bool:
        return len(await scene.driver.told(place)) == 2

    await scene.until(both_told, "two presses to be answered")
    assert all(text.strip() for text in await scene.driver.told(place))
    await scene.until_done(place, 2)
    assert len(await scene.answers(place)) == 3


@needs("buttons")
async def promise_words_beside_buttons(scene: Scene) -> None:
    """A question with buttons can also be answered in words; its message then loses its buttons as well."""
    place = await scene.driver.private()
    question = await _asked(scene, place)
    await scene.driver.say(place, scene.to_bot(_NO.lower()))
    text = await scene.until_settled(place, question)
    assert _NO in text
    await _answered_once(scene, place)
    assert scene.agent.given == [("wait",)]


@needs("buttons")
async def promise_each_question_has_its_own_buttons(scene: Scene) -> None:
    """Each of several questions is decided by its own buttons; after the last one the run continues."""
    place = await scene.driver.private()
    scene.agent.script = asking(_DEPLOY, _COLOUR)
    await scene.driver.say(place, "ask")
    first = await scene.until_buttons(place, (_YES, _NO))
    second = await scene.until_buttons(place, ("Red", "Blue"))
    await scene.driver.press(place, "Blue")
    assert "Blue" in await scene.until_settled(place, second)
    assert not scene.agent.given
    await scene.driver.press(place, _YES)
    assert _YES in await scene.until_settled(place, first)
    await scene.until_done(place, 2)
    assert scene.agent.given == [("ship", "blue")]


async def promise_questions_of_a_turn_keep_their_order(scene: Scene) -> None:
    """Several questions of one turn appear in the order in which the agent asks them."""
    place = await scene.driver.private()
    await _several(scene, place, _CITY, _COLOUR, _STREET)
    texts = [shown.text for shown in (await scene.shown(place))[1:]]
    assert [text.split()[0] for text in texts] == ["1/3", "2/3", "3/3"]
    for text, question in zip(texts, (_CITY, _COLOUR, _STREET), strict=True):
        assert question.prompt in text


async def promise_words_answer_the_newest_question(scene: Scene) -> None:
    """Words answer the newest open question that takes words; an option is taken by its own question only."""
    place = await scene.driver.private()
    await _several(scene, place, _COLOUR, _CITY, _SIZE)
    for number, words in enumerate(("Paris", "blue", "large"), start=2):
        assert not scene.agent.given
        await scene.driver.say(place, scene.to_bot(words))
        await scene.until_done(place, number)
    assert scene.agent.given == [("blue", "Paris", "large")]


@needs("quotes")
async def promise_a_reply_answers_its_question(scene: Scene) -> None:
    """A reply to the message of a question answers that question, whatever was asked after it."""
    place = await scene.driver.private()
    await _several(scene, place, _CITY, _STREET)
    city = (await scene.shown(place))[1]
    await scene.driver.say(place, scene.to_bot("Paris"), reply_to=city.id)
    await scene.until_done(place, 2)
    await scene.driver.say(place, scene.to_bot("Main Street"))
    await scene.until_done(place, 3)
    assert scene.agent.given == [("Paris", "Main Street")]


@needs("buttons", "splits")
async def promise_a_long_question_has_buttons_once(scene: Scene) -> None:
    """A question too long for one message has its buttons under the last part only and loses no text."""
    place, most = await scene.driver.private(), scene.driver.traits.max_part
    words = [f"word{number}" for number in range(most // 6)]
    question = Question("long", " ".join(words), _DEPLOY.options)
    scene.agent.script = asking(question)
    await scene.driver.say(place, "ask")
    last = await scene.until_buttons(place, (_YES, _NO))
    parts = (await scene.shown(place))[1:]
    assert len(parts) > 1
    assert [part.id for part in parts if part.buttons] == [parts[-1].id] == [last.id]
    assert " ".join(part.text for part in parts).split()[: len(words)] == words
    await scene.driver.press(place, _YES)
    await scene.until_settled(place, last)
    await scene.until_done(place, 2)
    settled = (await scene.shown(place))[1:-1]
    assert " ".join(part.text for part in settled).split()[: len(words)] == words


@needs("buttons")
async def promise_a_press_after_a_crash_decides(scene: Scene) -> None:
    """Buttons work after a crash, and their message is updated: the question stays open."""
    place = await scene.driver.private()
    question = await _asked(scene, place)
    await scene.until(lambda: scene.journal.shown, "the question to be noted as shown")
    await scene.restart()
    await scene.listening()
    await scene.driver.press(place, _YES)
    assert _YES in await scene.until_settled(place, question)
    await scene.until_done(place)
    assert scene.agent.given == [("ship",)]


@needs("buttons")
async def promise_a_crash_while_asking_asks_once(scene: Scene) -> None:
    """A question that was shown before a crash, but not recorded as shown, is not shown again."""
    place = await scene.driver.private()
    scene.watch.after_asking = True
    scene.agent.script = asking(_DEPLOY)
    await scene.driver.say(place, "ask")
    await scene.until(lambda: scene.watch.stopped, "the question to be shown")
    await scene.crash()
    scene.watch.after_asking = False
    finals = scene.watch.finals
    await scene.start()
    await scene.until(lambda: scene.watch.finals > finals, "the question to be delivered again")
    question = await scene.until_buttons(place, (_YES, _NO))
    await scene.listening()
    assert len(await scene.shown(place)) == 2
    await scene.driver.press(place, _YES)
    await scene.until_settled(place, question)
    await scene.until_done(place)
    assert not [each for each in await scene.shown(place) if {_YES, _NO} & set(each.buttons)]


@needs("buttons")
async def promise_a_crash_while_settling_settles(scene: Scene) -> None:
    """After a crash before or after a decision was shown, it is shown, and the run continues once."""
    place = await scene.driver.private()
    question = await _asked(scene, place)
    scene.watch.before_settling = True
    await scene.driver.press(place, _NO)
    await scene.until(lambda: scene.watch.stopped, "the decision to be taken")
    scene.watch.after_settling, scene.watch.before_settling = True, False
    await scene.restart()
    await scene.until(lambda: scene.watch.stopped == 2, "the decision to be shown")
    scene.watch.after_settling = False
    await scene.restart()
    assert _NO in await scene.until_settled(place, question)
    await scene.until_shows(place, "I was given: deploy wait")

    async def grown() -> bool:
        return not any(shown.growing for shown in await scene.driver.look(place))

    await scene.until(grown, "the answer to be whole")
    assert len(await scene.shown(place)) == 3
    assert set(scene.agent.given) == {("wait",)}


@needs("buttons", "insists")
async def promise_a_press_waits_for_the_store(scene: Scene) -> None:
    """While the store is away a press is not acknowledged and not lost; it decides later."""
    place = await scene.driver.private()
    question = await _asked(scene, place)
    scene.journal.refusals = 2
    await scene.driver.press(place, _YES)
    assert _YES in await scene.until_settled(place, question)
    await scene.until_done(place, 2)
    assert scene.journal.refusals == 0
    assert scene.agent.given == [("ship",)]


async def _asked(scene: Scene, place: Place) -> Shown:
    """The message of a question that somebody's words led to, with its buttons."""
    scene.agent.script = asking(_DEPLOY)
    await scene.driver.say(place, "ask" if place.private else scene.to_bot("ask"))
    await scene.until_done(place)
    scene.journal.attempts = 0
    return await scene.until_buttons(place, (_YES, _NO))


async def _several(scene: Scene, place: Place, *questions: Question) -> None:
    """Let somebody's words lead to several questions, and wait until all are shown."""
    scene.agent.script = asking(*questions)
    await scene.driver.say(place, scene.to_bot("ask"))
    await scene.until_done(place)

    async def all_shown() -> bool:
        texts = [shown.text for shown in (await scene.shown(place))[1:]]
        return len(texts) == len(questions) and all(
            any(question.prompt in text for text in texts) for question in questions
        )

    await scene.until(all_shown, "the questions to be shown")
    await scene.until(lambda: scene.journal.shown == len(questions), "the questions to be noted as shown")


async def _answered_once(scene: Scene, place: Place) -> None:
    """The run went on, once: what is said afterwards comes right after it."""
    await scene.until_done(place, 2)
    await scene.driver.say(place, scene.to_bot("and now?"))
    await scene.until_done(place, 3)
    assert len(scene.agent.given) == 1
    assert len(scene.agent.requests) == 3
    assert (await scene.answers(place))[-1] == "you said and now?"
