"""What a question's message says right after a press."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from parley.app.supervision.channel_names import connect_core
from parley.core.hitl.clicks import outcome_text
from parley.core.model.address import Conversation
from parley.core.ports.channel import ChannelServices
from parley.core.texts import Sentence, say
from tests.kit.doubles.core import ScriptedAgent, core, default_options
from tests.kit.samples.questions import EVE, MAIL, asking, click, keys, with_buttons
from tests.kit.waiting import until


async def test_a_message_says_what_a_press_will_decide_before_that_is_worked(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(MAIL)), channel=with_buttons()) as parley:
        await parley.say("ask")
        await until(lambda: keys(parley), "a question is asked")
        (key,) = keys(parley)
        first, late, foreign = click(key, "approve"), click(key, "reject"), click(key, "approve", EVE)
        assert await outcome_text(parley.journal, first, 4000) == "", "nothing was pressed yet"
        await parley.crash()
        again = replace(first, id="a second press")
        told = [await parley.clicks.submit(each) for each in (first, late, again)]
        taken = say("en", Sentence.QUESTION_TAKEN)
        assert [told[0], told[2]] == [taken, taken]
        assert "Ann: Approve" in told[1], "the press that decides nothing is told what was decided"
        text = await outcome_text(parley.journal, first, 4000)
        assert "Ann" in text
        assert "send_mail" in text
        platforms = replace(first, conversation=replace(first.conversation, channel="platform"))
        own = connect_core(ChannelServices(parley.journal, tmp_path, (), name="test"), parley.journal)
        assert await own.outcome(platforms, 4000) == text, "an app of its own name asks about its own chats"
        assert await outcome_text(parley.journal, late, 4000) == "", "another press was first"
        assert await outcome_text(parley.journal, foreign, 4000) == ""
        assert await outcome_text(parley.journal, click("t9-9", "approve"), 4000) == ""


@pytest.mark.parametrize("place", [Conversation("other", "chat"), Conversation("test", "another chat")])
async def test_a_press_from_another_chat_or_app_decides_nothing_and_reads_nothing(
    tmp_path: Path, place: Conversation
) -> None:
    options = default_options()
    options = replace(options, channels={**options.channels, "other": options.channels["test"]})
    agent = ScriptedAgent(asking(MAIL))
    async with core(tmp_path, agent=agent, channel=with_buttons(), options=options) as parley:
        await parley.say("ask")
        await until(lambda: keys(parley), "a question is asked")
        (key,) = keys(parley)
        forged = replace(click(key, "approve"), conversation=place)
        stale = say("en", Sentence.QUESTION_STALE)
        assert await parley.clicks.submit(forged) == stale
        assert await parley.clicks.submit(click(key, "reject")) != stale
        await until(lambda: parley.agent.requests[-1].answer, "the decision is given")
        assert await parley.clicks.submit(forged) == stale, "who decided is told to who may see it"
        assert await outcome_text(parley.journal, forged, 4000) == ""
        given = parley.agent.requests[-1].answer
        assert given is not None
        assert [each.text for each in given.given] == ["reject"]


async def test_a_press_on_what_was_decided_before_is_told_by_whom(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(MAIL)), channel=with_buttons()) as parley:
        await parley.say("ask")
        await until(lambda: keys(parley), "a question is asked")
        (key,) = keys(parley)
        await parley.clicks.submit(click(key, "approve"))
        await until(lambda: parley.agent.requests[-1].answer, "the decision is given")
        assert "Ann" in await outcome_text(parley.journal, click(key, "reject", number=1), 4000)
