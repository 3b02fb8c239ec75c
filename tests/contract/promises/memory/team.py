"""The memory that a chat has of its own."""

from __future__ import annotations

from parley.core.texts import MemorySentence, say
from tests.contract.harness.scene import Scene
from tests.contract.promise import given, needs

_RELEASE = "The release is on Friday"
_NUTS = "I am allergic to nuts"


@needs("groups")
@given(remembers=True)
async def promise_a_team_remembers(scene: Scene) -> None:
    """What somebody tells a group's own memory is known in that group only, and all in it may remove it; a
    person's own memory is not in it.
    """
    place, alone = await scene.driver.group(), await scene.driver.private()
    command = scene.to_bot("/memory team")
    await scene.driver.say(place, f"{command} on")
    await scene.until_shows(place, "undo")
    await scene.driver.say(place, f"{command} add {_RELEASE}")
    await scene.until_shows(place, f"{_RELEASE} (")
    await scene.driver.say(alone, f"/memory add {_NUTS}")
    await scene.until_shows(alone, _NUTS)
    await scene.ask(place, scene.to_bot("when is the release?"))
    await scene.ask(alone, "when is the release?")
    other = await scene.driver.newcomer(place, "Bob")
    await scene.driver.say(place, f"{command} forget {_RELEASE}", by=other)
    await scene.until_shows(place, "/new")
    await scene.ask(place, scene.to_bot("and now?"), 2)
    known = [(_RELEASE in request.memory, _NUTS in request.memory) for request in scene.agent.requests]
    assert known == [(True, False), (False, True), (False, False)]


@given(remembers=True)
async def promise_a_private_chat_has_no_team(scene: Scene) -> None:
    """In a private chat `/memory team` says that it belongs to groups, and keeps nothing."""
    place = await scene.driver.private()
    await scene.driver.say(place, f"/memory team add {_RELEASE}")
    await scene.until(lambda: scene.answers(place), "an answer")
    (answer,) = await scene.answers(place)
    said = [say(language, MemorySentence.TEAM_GROUP_ONLY) for language in ("en", "zh")]
    assert any(text.split("。")[0].split(":")[0] in answer for text in said), answer
    await scene.ask(place, "when is the release?")
    (request,) = scene.agent.requests
    assert _RELEASE not in request.memory
