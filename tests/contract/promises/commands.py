"""Commands, which never wait for a run."""

from __future__ import annotations

from functools import partial

from parley.core.model.types import Outcome
from parley.core.texts import Sentence, say
from tests.contract.harness.scene import Scene
from tests.contract.harness.scripted_agent import Told
from tests.contract.promise import needs


async def promise_commands_pass_a_run(scene: Scene) -> None:
    """A command is answered while a run of its conversation is still in progress."""
    place, told = await scene.driver.private(), Told()
    scene.agent.script = told
    await scene.driver.say(place, "think long")
    await scene.until_asked()
    await scene.driver.say(place, "/whoami")
    await scene.until_shows(place, place.conversation.chat)
    assert scene.journal.finished[place.conversation.key] == 0
    told.ends("thought")
    await scene.until_done(place)
    assert "thought" in await scene.answers(place)
    assert scene.agent.texts == ["think long"]


async def promise_stop_keeps_what_was_said(scene: Scene) -> None:
    """`/stop` ends the run at once and keeps the text so far."""
    place, told = await scene.driver.private(), Told()
    scene.agent.script = told
    await scene.driver.say(place, "talk")
    told.says("the first half")
    await scene.until_shows(place, "the first half")
    await scene.driver.say(place, "/stop")
    await scene.until(lambda: scene.agent.cancelled, "the run to be cancelled")
    told.ends("the first half", Outcome.CANCELLED)
    await scene.until_done(place)
    kept = [answer for answer in await scene.answers(place) if answer.startswith("the first half")]
    assert len(kept) == 1
    scene.agent.script = Told()


@needs("stops")
async def promise_the_stop_button_keeps_what_was_said(scene: Scene) -> None:
    """The platform's own stop button ends the turn, keeps the text so far, and adds no message."""
    place, told = await scene.driver.private(), Told()
    scene.agent.script = told
    await scene.driver.say(place, "talk")
    told.says("the first half")
    await scene.until_shows(place, "the first half")
    await scene.driver.press_stop(place)
    await scene.until(lambda: scene.agent.cancelled, "the run to be cancelled")
    told.ends("the first half", Outcome.CANCELLED)
    await scene.until_done(place)
    (kept,) = await scene.answers(place)
    assert kept.startswith("the first half")
    labels = {say(language, Sentence.STOP_BUTTON) for language in ("en", "zh")}
    left = [label for shown in await scene.driver.look(place) for label in shown.buttons if label in labels]
    assert not left, "a stop button stands under an answer that is over"


@needs("groups")
async def promise_commands_in_groups(scene: Scene) -> None:
    """In a group a command with our name is handled; a command with another bot's name is not."""
    place = await scene.driver.group()
    await scene.driver.say(place, "/help@some_other_bot")
    await scene.driver.say(place, f"/whoami{scene.driver.mention}")
    await scene.until_shows(place, place.owner.id)
    assert len(await scene.answers(place)) == 1
    assert [message.text for message in scene.watch.heard] == ["/whoami"]
    assert not scene.agent.requests


@needs("menu")
async def promise_commands_are_in_the_menu(scene: Scene) -> None:
    """The platform's own menu lists every command."""
    await scene.until(scene.driver.menu, "a menu")
    assert {"new", "stop", "status", "help"} <= set(scene.driver.menu())


@needs("slashes", "groups")
async def promise_a_platforms_own_command_is_answered_to_its_writer(scene: Scene) -> None:
    """A command given by the platform's own means, in a group too, is answered to nobody but its writer."""
    for place in (await scene.driver.private(), await scene.driver.group()):
        before = await scene.driver.look(place)
        await scene.driver.command(place, "help")
        await scene.until(partial(scene.driver.answered_privately, place), "it is answered")
        (answer,) = scene.driver.answered_privately(place)
        assert "/memory" in answer
        assert await scene.driver.look(place) == before
    assert scene.agent.requests == []
