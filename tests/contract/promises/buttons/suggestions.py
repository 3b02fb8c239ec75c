"""What an answer suggests to ask next, as buttons under it."""

from __future__ import annotations

from tests.contract.driver import Place
from tests.contract.harness.scene import Scene
from tests.contract.harness.scripted_agent import suggesting
from tests.contract.promise import given, needs

_NEXT = ("And what about tomorrow?", "为什么？", "Show me all 3 of the *longest* ones")
_FIRST, _WHY, _ = _NEXT


@needs("buttons")
async def promise_suggestions_stand_under_an_answer(scene: Scene) -> None:
    """What an answer suggests stands under it as buttons, once and in its order, after a crash too."""
    scene.agent.script = suggesting("hello", *_NEXT)
    place = await scene.driver.private()
    assert await scene.ask(place, "hello") == ["you said hello"]
    (answer,) = await scene.shown(place)
    assert answer.buttons == _NEXT
    await scene.restart()
    await scene.listening()
    assert [each.buttons for each in await scene.shown(place)] == [_NEXT]


@needs("buttons")
@given(feedback=True)
async def promise_suggestions_stand_beside_thumbs(scene: Scene) -> None:
    """Thumbs and suggestions stand under one answer, and each is taken for what it is."""
    scene.agent.script = suggesting("hello", _FIRST, _WHY)
    place = await scene.driver.private()
    await scene.ask(place, "hello")
    (answer,) = await scene.shown(place)
    assert set(answer.buttons) == {*scene.driver.thumbs, _FIRST, _WHY}
    await scene.driver.press(place, _WHY)
    await scene.until_done(place, 2)
    assert scene.agent.texts == ["hello", _WHY]


@needs("buttons")
async def promise_a_pressed_suggestion_is_asked(scene: Scene) -> None:
    """A press asks what is suggested, in the person's name and once; their chat shows what was asked."""
    scene.agent.script = suggesting("hello", *_NEXT)
    place = await scene.driver.private()
    await scene.ask(place, "hello")
    await scene.driver.press(place, _WHY)
    await scene.until_done(place, 2)
    await scene.driver.redeliver()
    assert (await scene.ask(place, "and now?", 3))[-1] == "you said and now?"
    assert scene.agent.texts == ["hello", _WHY, "and now?"]
    assert scene.agent.requests[1].person.id == place.owner.id
    assert scene.agent.requests[1].thread == scene.agent.requests[0].thread
    assert any(_WHY in each.text for each in await scene.driver.look(place) if each.text != "you said hello")


@needs("buttons")
async def promise_a_suggestion_from_before_a_crash_is_asked(scene: Scene) -> None:
    """A suggestion under an answer from before a crash can be pressed like any other."""
    scene.agent.script = suggesting("hello", *_NEXT)
    place = await scene.driver.private()
    await scene.ask(place, "hello")
    await scene.restart()
    await scene.listening()
    await scene.driver.press(place, _FIRST)
    await _until_asked(scene, place, _FIRST)


@needs("buttons", "groups")
async def promise_everybody_in_a_group_may_press_a_suggestion(scene: Scene) -> None:
    """In a group each person asks for themselves, and the answer names who did."""
    scene.agent.script = suggesting("hello", *_NEXT)
    place = await scene.driver.group()
    other = await scene.driver.newcomer(place, "Bob")
    await scene.driver.say(place, scene.to_bot("hello"))
    await scene.until_done(place)
    await scene.driver.press(place, _FIRST, other)
    await scene.until_done(place, 2)
    await scene.driver.press(place, _WHY)
    await scene.until_done(place, 3)
    assert [each.person.id for each in scene.agent.requests] == [place.owner.id, other.id, place.owner.id]
    *_, bobs, anns = await scene.answers(place)
    assert (f"{other.name}: {_FIRST}" in bobs, f"{place.owner.name}: {_WHY}" in anns) == (True, True)


@needs("buttons", "topics")
async def promise_a_pressed_suggestion_stays_in_its_topic(scene: Scene) -> None:
    """What is suggested in a topic is asked and answered there."""
    scene.agent.script = suggesting("hello", *_NEXT)
    _, place, *_ = await scene.driver.topics(2)
    await scene.driver.say(place, scene.to_bot("hello"))
    await scene.until_done(place)
    await scene.driver.press(place, _FIRST)
    await _until_asked(scene, place, _FIRST)
    await scene.until_shows(place, f"you said {_FIRST}")


async def _until_asked(scene: Scene, place: Place, text: str) -> None:
    await scene.until(lambda: scene.agent.texts[-1:] == [text], "the agent to be asked")
    assert scene.agent.requests[-1].thread == scene.agent.requests[0].thread
