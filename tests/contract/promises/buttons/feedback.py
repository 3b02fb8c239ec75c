"""What people think of answers, with thumbs under them."""

from __future__ import annotations

from parley.core.model.feedback import Feedback, FeedbackChoice
from parley.core.state.feedback import PROMPT_PREFIX, list_feedback
from parley.core.texts import Sentence, say
from tests.contract.driver import Place
from tests.contract.harness.scene import Scene
from tests.contract.promise import given, needs

UP, DOWN = FeedbackChoice.UP, FeedbackChoice.DOWN


@needs("buttons")
@given(feedback=True)
async def promise_thumbs_stand_under_an_answer(scene: Scene) -> None:
    """Where feedback is on, two thumbs stand under an answer, once, and under nothing of Parley's own."""
    place = await scene.driver.private()
    assert await scene.ask(place, "hello") == ["you said hello"]
    (answer,) = await scene.shown(place)
    assert answer.buttons == scene.driver.thumbs
    await scene.driver.say(place, scene.to_bot("/usage"))
    await scene.until(lambda: _count(scene, place, 2), "the command's answer")
    assert (await scene.shown(place))[-1].buttons == ()


@needs("buttons")
@given(feedback=True)
async def promise_a_thumb_is_kept_with_its_run(scene: Scene) -> None:
    """A thumb is kept with the person, the turn and the run; another thumb of that person takes its place."""
    place = await scene.driver.private()
    await scene.ask(place, "hello")
    up, down = scene.driver.thumbs
    await scene.driver.press(place, up)
    await _until(scene, place, UP)
    await scene.driver.redeliver()
    await scene.driver.press(place, down)
    await _until(scene, place, DOWN)
    (said,) = await list_feedback(scene.journal)
    assert said.account == f"{place.conversation.channel}:{place.owner.id}"
    assert said.conversation == place.conversation.key
    assert said.thread == scene.agent.requests[0].thread
    assert said.run_id
    assert said.turn == scene.agent.requests[0].turn_id
    assert len(scene.agent.requests) == 1


@needs("buttons", "groups")
@given(feedback=True)
async def promise_each_person_rates_for_themselves(scene: Scene) -> None:
    """In a group each person has a thumb of their own, and no message is posted because of it."""
    place = await scene.driver.group()
    other = await scene.driver.newcomer(place, "Bob")
    await scene.driver.say(place, scene.to_bot("hello"))
    await scene.until_done(place)
    up, down = scene.driver.thumbs
    await scene.driver.press(place, up)
    await _until(scene, place, UP)
    before = await scene.answers(place)
    await scene.driver.press(place, down, other)
    await scene.until(lambda: _rated_by(scene, 2), "two people's thumbs")
    assert sorted(each.choice for each in await list_feedback(scene.journal)) == [DOWN, UP]
    assert await scene.answers(place) == before


@needs("buttons")
@given(feedback=True)
async def promise_a_thumb_after_a_crash_counts(scene: Scene) -> None:
    """A thumb under an answer from before a crash counts like any other."""
    place = await scene.driver.private()
    await scene.ask(place, "hello")
    await scene.restart()
    await scene.listening()
    await scene.driver.press(place, scene.driver.thumbs[0])
    await _until(scene, place, UP)


@given(feedback=True)
async def promise_words_about_an_answer_are_not_for_the_agent(scene: Scene) -> None:
    """`/feedback bad` and what was wrong rates the last answer; the agent is not asked again."""
    place = await scene.driver.private()
    await scene.ask(place, "hello")
    await scene.driver.say(place, "/feedback bad the year is wrong")
    await _until(scene, place, DOWN)
    (said,) = await list_feedback(scene.journal)
    assert said.comment == "the year is wrong"
    await scene.until_shows(place, say("en", Sentence.FEEDBACK_NOTED))
    assert len(scene.agent.requests) == 1


@needs("buttons", "quotes")
@given(feedback=True)
async def promise_a_reply_says_what_was_wrong(scene: Scene) -> None:
    """In a private chat a thumb down is asked about in one message; a reply to that is kept as the reason."""
    place = await scene.driver.private()
    await scene.ask(place, "hello")
    await scene.driver.press(place, scene.driver.thumbs[1])
    question = say("en", Sentence.FEEDBACK_ASK)
    await scene.until_shows(place, question)
    asked = [each for each in await scene.shown(place) if question in each.text]
    await scene.until(lambda: scene.journal.list(PROMPT_PREFIX, 1), "it is noted what was asked")
    await scene.driver.say(place, "the year is wrong", reply_to=asked[0].id)

    async def comments() -> bool:
        return [each.comment for each in await list_feedback(scene.journal)] == ["the year is wrong"]

    await scene.until(comments, "the reply to be kept")
    assert len([each for each in await scene.answers(place) if question in each]) == 1
    assert len(scene.agent.requests) == 1


async def _count(scene: Scene, place: Place, count: int) -> bool:
    return len(await scene.shown(place)) >= count


async def _rated_by(scene: Scene, count: int) -> bool:
    return len(await list_feedback(scene.journal)) == count


async def _until(scene: Scene, place: Place, choice: FeedbackChoice) -> None:
    """Wait until somebody's choice about the place's answer is this one."""

    async def said() -> list[Feedback]:
        found = await list_feedback(scene.journal)
        return [each for each in found if each.choice is choice]

    await scene.until(said, f"a thumb {choice} in {place.conversation.key}")
