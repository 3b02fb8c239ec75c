"""The built-in agent asks back, with options, and goes on with the answer."""

from __future__ import annotations

from pathlib import Path

from parley.server.options import DefaultAgentOptions
from tests.unit.server.default_agent.conversation import conversation
from tests.unit.server.default_agent.scripted_model import calls, offered, repeats_result, streams

COLOUR = calls("ask_person", question="Which colour?", options=["Red", "Blue", "Red", " "])


async def test_an_option_and_words_of_ones_own_are_answers(tmp_path: Path) -> None:
    async with conversation(tmp_path, DefaultAgentOptions(clarification=True)) as talk:
        await talk.say("Paint it", COLOUR, repeats_result)
        await talk.until_asked("Which colour?\n")
        (asked,) = [final.text for final in talk.core.channel.finals if "Which colour?" in final.text]
        assert asked.count("Red") == asked.count("Blue") == 1
        assert (await talk.say("2")).text == "The person answers: Blue"

        await talk.say("And the door", COLOUR, repeats_result)
        await talk.core.channel.until(lambda: sum("Which" in each for each in talk.core.channel.texts) == 2)
        assert (await talk.say("as the sky at noon")).text == "The person answers: as the sky at noon"


async def test_without_the_setting_there_is_no_such_tool(tmp_path: Path) -> None:
    async with conversation(tmp_path, DefaultAgentOptions()) as talk:
        await talk.say("Go", streams(content="ok"))
        assert offered(talk.model.asked[0]) == []
