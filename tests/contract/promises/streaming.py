"""An answer that grows while it is made."""

from __future__ import annotations

from parley.core.model.types import Outcome
from tests.contract.driver import Trouble
from tests.contract.harness.scene import Scene
from tests.contract.harness.scripted_agent import Told, answering, hurrying, stepping
from tests.contract.promise import needs
from tests.kit.machine import patience

_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


async def promise_grows_and_is_whole(scene: Scene) -> None:
    """An answer is shown while it grows, never gets shorter, and is complete at the end, once."""
    place, told = await scene.driver.private(), Told()
    scene.agent.script = told
    await scene.driver.say(place, "count")
    for number in (3, 6, 9):
        told.says(" ".join(_WORDS[:number]))
        await scene.until_shows(place, _WORDS[number - 1])
    told.ends(" ".join(_WORDS))
    await scene.until_done(place)
    assert await scene.answers(place) == [" ".join(_WORDS)]
    # What says by an ellipsis that it is only begun does not count.
    whole = [text for text in scene.driver.growth(place) if not text.rstrip().endswith("…")]
    assert whole == sorted(whole, key=len), whole
    assert all(text == " ".join(_WORDS)[: len(text)] for text in whole), whole


async def promise_grows_in_a_group_too(scene: Scene) -> None:
    """In a group the growing answer becomes the final answer; no other message remains."""
    place = (await scene.driver.topics(1))[-1] if scene.driver.traits.topics else await scene.driver.group()
    told = Told()
    scene.agent.script = told
    await scene.driver.say(place, scene.to_bot("count"))
    told.says("one two three")
    await scene.until_shows(place, "three")
    told.ends("four five six")
    await scene.until_done(place)
    assert await scene.answers(place) == ["four five six"]


async def promise_steps_are_not_the_answer(scene: Scene) -> None:
    """The agent's steps may be shown while it works, but do not remain in the final answer."""
    place = await scene.driver.private()
    scene.agent.script = stepping("look it up", "It is forty-two.")
    assert await scene.ask(place, "what is it?") == ["It is forty-two."]


@needs(Trouble.SLOW)
async def promise_a_slow_platform_misses_only_snapshots(scene: Scene) -> None:
    """A slow platform neither slows the agent nor loses the final answer; it only shows fewer snapshots."""
    place, words = await scene.driver.private(), [f"word{number}" for number in range(200)]
    scene.agent.script = hurrying(words)
    scene.driver.trouble(Trouble.SLOW, times=12, seconds=patience(0.05))
    assert await scene.ask(place, "count") == [" ".join(words)]
    assert len(scene.driver.growth(place)) < len(words) / 2


async def promise_an_unfinished_answer_is_kept(scene: Scene) -> None:
    """A run that fails midway keeps its text and says that the answer is incomplete."""
    place = await scene.driver.private()
    scene.agent.script = answering("the first half", outcome=Outcome.FAILED)
    (answer,) = await scene.ask(place, "tell me")
    assert answer.startswith("the first half")
    assert len(answer) > len("the first half") + 20


@needs("ponders")
async def promise_that_it_thinks_is_shown_until_it_answers(scene: Scene) -> None:
    """While there is nothing to show, a line says that the bot thinks. It is gone with the answer."""
    place, told = await scene.driver.private(), Told()
    scene.agent.script = told
    await scene.driver.say(place, "think about it")
    await scene.until(lambda: scene.driver.pondering(place), "it is shown that the bot thinks")
    told.ends("I have.")
    await scene.until_done(place)
    assert await scene.answers(place) == ["I have."]
    assert scene.driver.pondering(place) == ""
