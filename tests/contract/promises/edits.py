"""What people change after they sent it, where `on_edit: rerun` is set."""

from __future__ import annotations

from parley.core.model.types import Outcome
from tests.contract.harness.scene import Scene
from tests.contract.harness.scripted_agent import Told, by_text
from tests.contract.promise import given, needs


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
