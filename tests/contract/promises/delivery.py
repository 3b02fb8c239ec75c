"""Answers on a wire that fails."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from tests.contract.driver import Place, Trouble
from tests.contract.harness.scene import Scene
from tests.contract.harness.scripted_agent import Told, by_text, taking_time
from tests.contract.promise import needs
from tests.kit.machine import patience

_QUESTION = "what is the answer?"
_TEXT = "The answer is forty-two, and that is all there is to say about it."


@needs(Trouble.RATE_LIMITED)
async def promise_waits_as_long_as_asked(scene: Scene) -> None:
    """After a rate limit the next attempt is not earlier than asked, and the final answer is not lost."""
    place, told = await _asked(scene)
    scene.driver.trouble(Trouble.RATE_LIMITED, seconds=1.0)
    await _answered(scene, place, told)
    assert await scene.answers(place) == [_TEXT]
    attempts = scene.driver.attempts(place)
    waits = [
        later.at - earlier.at
        for earlier, later in pairwise(attempts)
        if earlier.refused and later.preview >= earlier.preview
    ]
    assert waits
    # By the platform's notes, which it makes before it answers: a slow machine only makes waits longer.
    assert min(waits) >= 0.95


@needs(Trouble.RATE_LIMITED)
async def promise_limits_while_growing_lose_nothing(scene: Scene) -> None:
    """Refused updates while the answer grows delay only snapshots."""
    place, told = await scene.driver.private(), Told()
    scene.agent.script = told
    scene.driver.trouble(Trouble.RATE_LIMITED, seconds=1.0)
    await scene.driver.say(place, "go")
    told.says("The answer")
    await scene.until(lambda: any(each.refused for each in scene.driver.attempts(place)), "a refusal")
    await scene.driver.plug()
    told.ends(_TEXT)
    await scene.until_done(place)
    assert await scene.answers(place) == [_TEXT]


@needs("previews")
async def promise_a_refused_snapshot_delays_no_final(scene: Scene) -> None:
    """A final answer does not wait for a refusal of its snapshots, where the platform counts them apart."""
    place, told = await scene.driver.previewed(), Told()
    scene.agent.script = told
    await scene.driver.say(place, scene.to_bot("go"))
    told.says("The answer")
    await scene.until(lambda: scene.driver.attempts(place), "an attempt")
    told.says("The answer is")
    await scene.until(lambda: any(each.refused for each in scene.driver.attempts(place)), "a refusal")
    told.ends(_TEXT)
    await scene.until_done(place)
    assert await scene.answers(place) == [_TEXT]


@needs("topics", Trouble.RATE_LIMITED)
async def promise_answers_share_what_is_allowed(scene: Scene) -> None:
    """Answers that grow at once in one place share the platform's limits: no call is one too many."""
    *_, first, second, third = await scene.driver.topics(3)
    places = (first, second, third)
    words = [f"word{number}" for number in range(80)]
    scene.agent.script = taking_time(words)
    told = await asyncio.gather(*(scene.ask(place, scene.to_bot("count")) for place in places))
    assert told == [[" ".join(words)]] * 3
    assert not any(each.refused for place in places for each in scene.driver.attempts(place))


@needs(Trouble.UNAVAILABLE)
async def promise_server_errors_are_outlasted(scene: Scene) -> None:
    """Server errors delay the final answer and never lose or duplicate it."""
    place, told = await _asked(scene)
    scene.driver.trouble(Trouble.UNAVAILABLE)
    await _answered(scene, place, told)
    assert await scene.answers(place) == [_TEXT]


@needs(Trouble.DENIED)
async def promise_a_success_that_is_none_is_no_delivery(scene: Scene) -> None:
    """A response that reports failure with a status of success is not taken for a delivery."""
    place, told = await _asked(scene)
    scene.driver.trouble(Trouble.DENIED)
    await _answered(scene, place, told)
    assert await scene.answers(place) == [_TEXT]


@needs(Trouble.STALE)
async def promise_a_stale_token_is_renewed(scene: Scene) -> None:
    """An access token that ends before its time is renewed, and the final answer is not lost."""
    place, told = await _asked(scene)
    scene.driver.trouble(Trouble.STALE)
    await _answered(scene, place, told)
    assert await scene.answers(place) == [_TEXT]


@needs(Trouble.RESET_BEFORE)
async def promise_broken_connections_are_outlasted(scene: Scene) -> None:
    """A connection that breaks before the platform acts loses nothing."""
    place, told = await _asked(scene)
    scene.driver.trouble(Trouble.RESET_BEFORE)
    await _answered(scene, place, told)
    assert await scene.answers(place) == [_TEXT]


@needs(Trouble.RESET_AFTER)
async def promise_a_lost_answer_doubles_nothing(scene: Scene) -> None:
    """When only the response to a send is lost, the text appears once, or the doubt is recorded."""
    place, told = await _asked(scene)
    scene.driver.trouble(Trouble.RESET_AFTER)
    await _answered(scene, place, told)
    await assert_once(scene, place, _TEXT)


@needs(Trouble.GARBLED)
async def promise_a_senseless_answer_doubles_nothing(scene: Scene) -> None:
    """When the platform answers a send with an invalid response, the text is shown once."""
    place, told = await _asked(scene)
    scene.driver.trouble(Trouble.GARBLED)
    await _answered(scene, place, told)
    await assert_once(scene, place, _TEXT)


async def promise_an_outage_is_outlasted(scene: Scene) -> None:
    """While the platform is away the final answer and new messages wait."""
    place, told = await _asked(scene)
    scene.driver.outage(patience(0.5))
    await scene.driver.say(place, "are you there?")
    await _answered(scene, place, told, turns=2)
    answers = await scene.answers(place)
    assert answers.count(_TEXT) == 1
    assert answers[-1] == "you said are you there?"


@needs("expels")
async def promise_a_lost_place_holds_up_nobody(scene: Scene) -> None:
    """An answer that the platform will never accept becomes a dead letter; other answers continue."""
    gone, place, told = await scene.driver.private("Ann"), await scene.driver.private("Bob"), Told()
    scene.agent.script = by_text({"go": told})
    await scene.driver.say(gone, "go")
    await scene.until_asked()
    scene.driver.expel(gone)
    told.ends(_TEXT)
    await scene.until_done(gone)
    assert len(await scene.journal.dead()) == 1
    assert await scene.ask(place, "and me?") == ["you said and me?"]


async def assert_once(scene: Scene, place: Place, text: str) -> None:
    """The text stands there once. A platform that cannot know may show it twice, if the receipt says so;
    what else a broken send left behind is openly unfinished."""
    answers = await scene.answers(place)
    doubtful = any(receipt.doubtful for receipt in scene.watch.receipts)
    most = 2 if doubtful and scene.driver.traits.doubles else 1
    assert 1 <= answers.count(text) <= most, answers
    unfinished = [answer for answer in answers if answer != text]
    assert all(answer.rstrip().endswith("…") for answer in unfinished), answers


def without_doubled(scene: Scene, answers: list[str]) -> list[str]:
    """The answers without those that stand there twice in a row, where receipts say so of as many."""
    doubtful = sum(receipt.doubtful for receipt in scene.watch.receipts)
    left = doubtful if scene.driver.traits.doubles else 0
    once: list[str] = []
    for answer in answers:
        if once and once[-1] == answer and left:
            left -= 1
        else:
            once.append(answer)
    return once


async def _asked(scene: Scene) -> tuple[Place, Told]:
    """Somebody has asked, and sees how the answer begins; other questions are echoed."""
    place, told = await scene.driver.private(), Told()
    scene.agent.script = by_text({_QUESTION: told})
    await scene.driver.say(place, _QUESTION)
    told.says("The answer")
    await scene.until_shows(place, "The answer")
    return place, told


async def _answered(scene: Scene, place: Place, told: Told, turns: int = 1) -> None:
    told.ends(_TEXT)
    await scene.until_done(place, turns)
