"""What an agent reaches with its memory tools, which it calls over MCP while it answers."""

from __future__ import annotations

from typing import Any

from tests.contract.driver import Person, Place
from tests.contract.harness.scene import Scene
from tests.contract.harness.tool_agent import ToolAgent, tool_agent
from tests.contract.promise import given, needs

NUTS = "I am allergic to nuts"
_LISBON = "My flat is in Lisbon"
_PORTO = "My flat is in Porto now"
_YES_NO = ("Approve forget", "Refuse")
_OF_PEOPLE = ("memory/", "past-turn/", "past-turn-in/", "memory-told/")
"""What the keys of all documents of memory begin with."""


async def _tell(scene: Scene, agent: ToolAgent, place: Place) -> Any:  # noqa: ANN401 - JSON
    """Let the owner of a private chat tell a fact and something else; returns the fact as a tool has it."""
    await scene.driver.say(place, f"/memory add {NUTS}")
    await scene.until_shows(place, NUTS)
    await agent.call(place, _LISBON, "memory_search", query="Lisbon")
    (fact,) = (await agent.call(place, "what about food?", "memory_search", query="nuts"))["facts"]
    return fact


async def _reached(agent: ToolAgent, place: Place, said: str, by: Person | None = None) -> tuple[bool, bool]:
    """Return whether the fact is reached there, and whether the talk is."""
    facts = await agent.call(place, said, "memory_search", by, query="nuts")
    turns = await agent.call(place, said, "conversation_search", by, query="Lisbon")
    return NUTS in str(facts), _LISBON in str(turns)


@needs("groups")
@given(remembers=True)
async def promise_tools_reach_nothing_private_from_a_group(scene: Scene) -> None:
    """In a group an agent's memory tools find no fact and no talk of a private chat; in that chat they find
    both.
    """
    alone, place = await scene.driver.private(), await scene.driver.group()
    async with tool_agent(scene) as agent:
        await _tell(scene, agent, alone)
        assert await _reached(agent, alone, "what do you know?") == (True, True)
        await scene.driver.join(place, alone.owner)
        there = await _reached(agent, place, scene.to_bot("what do you know?"), alone.owner)
        assert there == (False, False)


@needs("groups")
@given(remembers=True)
async def promise_tools_reach_nobody_else(scene: Scene) -> None:
    """An agent's memory tools read, change and forget nothing of another person, in a group neither."""
    alone, place, other = (
        await scene.driver.private(),
        await scene.driver.group("Bob"),
        await scene.driver.private("Bob"),
    )
    async with tool_agent(scene) as agent:
        fact = await _tell(scene, agent, alone)
        assert await _reached(agent, other, "what do you know?") == (False, False)
        assert await _reached(agent, place, scene.to_bot("what do you know?")) == (False, False)
        milk = "I am allergic to milk"
        changed = await agent.call(other, milk, "memory_update", fact_id=fact["id"], content=milk)
        gone = await agent.call(other, milk, "memory_delete", fact_id=fact["id"])
        assert all("no fact of this id" in str(found) for found in (changed, gone))
        assert await _reached(agent, alone, "and now?") == (True, True)


@given(remembers=True)
async def promise_a_tool_forgets_only_what_its_person_says_to(scene: Scene) -> None:
    """What an agent wants forgotten stays until the person, who is asked below the answer, says so."""
    place = await scene.driver.private()
    async with tool_agent(scene) as agent:
        fact = await _tell(scene, agent, place)
        asked = await agent.call(place, "forget that", "memory_delete", fact_id=fact["id"])
        assert "Nothing is forgotten yet" in asked["note"]
        await scene.until_shows(place, NUTS)
        assert (await _reached(agent, place, "and now?"))[0]
        await scene.driver.say(place, f"/memory forget {fact['id']}")
        await scene.until(lambda: _is_gone(scene, NUTS), "the fact to be forgotten")
        assert not (await _reached(agent, place, "and now?"))[0]


@needs("buttons")
@given(remembers=True)
async def promise_a_press_lets_a_tool_forget(scene: Scene) -> None:
    """What an agent wants forgotten is asked with buttons below its answer: a press forgets it, and nothing
    waits for that.
    """
    place = await scene.driver.private()
    async with tool_agent(scene) as agent:
        fact = await _tell(scene, agent, place)
        await agent.call(place, "forget that", "memory_delete", fact_id=fact["id"])
        question = await scene.until_buttons(place, _YES_NO)
        assert NUTS in question.text
        assert (await _reached(agent, place, "and now?"))[0]
        await scene.driver.press(place, _YES_NO[0])
        await scene.until(lambda: _is_gone(scene, NUTS), "the fact to be forgotten")
        assert place.owner.name in await scene.until_settled(place, question)
        assert not (await _reached(agent, place, "and now?"))[0]


@needs("groups")
@given(remembers=True)
async def promise_past_talk_is_its_persons(scene: Scene) -> None:
    """`/memory recall` finds what a person said, for them alone and in private; cleared, it finds only
    what is said after that.
    """
    alone, place, other = (
        await scene.driver.private(),
        await scene.driver.group("Bob"),
        await scene.driver.private("Bob"),
    )
    await scene.ask(alone, _LISBON, 1)
    recall = "/memory recall flat"
    await scene.driver.say(alone, recall)
    await scene.until_shows(alone, f"“{_LISBON}”")
    await scene.driver.say(place, scene.to_bot(recall))
    await scene.until_shows(place, "use this command in a private chat")
    await scene.driver.say(other, recall)
    await scene.until_shows(other, "I found nothing")
    await scene.driver.say(alone, "/memory clear yes")
    await scene.until(lambda: _is_gone(scene, _LISBON), "the talk to be gone")
    await scene.until_shows(alone, "is forgotten")
    await scene.ask(alone, _PORTO, 2)
    await scene.driver.say(alone, recall)
    await scene.until_shows(alone, f"“{_PORTO}”")


@given(remembers=True)
async def promise_an_erased_memory_leaves_nothing(scene: Scene) -> None:
    """After `/memory clear yes` no tool finds what was remembered or said, and nothing of it is kept."""
    place = await scene.driver.private()
    async with tool_agent(scene) as agent:
        await _tell(scene, agent, place)
        await scene.driver.say(place, "/memory clear yes")
        await scene.until(lambda: _is_gone(scene, NUTS), "the memory to be cleared")
        assert await _reached(agent, place, "what do you know?") == (False, False)
        assert await _is_gone(scene, _LISBON)


async def _is_gone(scene: Scene, words: str) -> bool:
    """Return whether no document of memory has these words."""
    kept = [each for prefix in _OF_PEOPLE for each in await scene.journal.list(prefix)]
    return not [each.key for each in kept if words in each.body]
