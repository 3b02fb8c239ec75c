"""Questions of interrupted runs: asked, decided once by whom policy allows, and settled for all to see."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from parley.core.hitl.records import QuestionRecord
from parley.core.hitl.render import localise_question as named
from parley.core.hitl.render import render_outcome
from parley.core.model.address import User
from parley.core.model.options import CoreOptions, DecisionRules, QuestionOptions
from parley.core.model.questions import EDIT, Decision, Option, Question, QuestionKind
from tests.kit.doubles.core import Core, ScriptedAgent, core, default_options
from tests.kit.samples.questions import (
    ANN,
    BOB,
    EVE,
    MAIL,
    YES_NO,
    asking,
    click,
    entries,
    keys,
    with_buttons,
)


def ruled(**changes: object) -> CoreOptions:
    return default_options(questions=QuestionOptions(DecisionRules(**changes)))  # type: ignore[arg-type]


async def test_without_buttons_a_number_decides(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(MAIL))) as parley:
        await parley.say("ask")
        said, asked = await parley.channel.until_finals(2)
        assert said == "I wrote a mail."
        assert "run `send_mail`" in asked
        assert "**To:** `bob`" in asked
        assert "1. Approve send_mail\n2. Refuse" in asked
        await parley.say("2")
        assert (await parley.channel.until_finals(3))[2] == "given i1=reject"
        assert not parley.channel.settled


async def test_buttons_decide_and_the_message_then_says_who_did(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(MAIL)), channel=with_buttons()) as parley:
        await parley.say("ask")
        _, asked = await parley.channel.until_finals(2)
        assert "1. Approve" not in asked
        (key,) = keys(parley)
        assert len(key) <= 48
        assert await parley.clicks.submit(click(key, "approve")) == "Noted."
        assert (await parley.channel.until_finals(3))[2] == "given i1=approve"
        await parley.channel.until(lambda: bool(parley.channel.settled))
        ((handle, settled),) = parley.channel.settled
        assert handle == f"handle of {key}"
        assert "run `send_mail`" in settled.text
        assert "✅ Ann: Approve send_mail · 20" in settled.text
        assert settled.question is None
        assert "✅ Ann: Approve" in await parley.clicks.submit(click(key, "reject"))
        await parley.say("hello")
        await parley.channel.until_finals(4)
        assert [kind for kind, *_ in await entries(parley)] == ["asked", "decided", "ended"]


async def test_of_a_hundred_clicks_at_once_one_decides(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(MAIL)), channel=with_buttons()) as parley:
        await parley.say("ask")
        await parley.channel.until_finals(2)
        (key,) = keys(parley)
        clicks = [click(key, ("approve", "reject")[n % 2], number=n) for n in range(100)]
        await asyncio.gather(*map(parley.clicks.submit, clicks))
        given = (await parley.channel.until_finals(3))[2]
        await parley.say("hello")
        assert (await parley.channel.until_finals(4))[3] == "you said hello"
        assert sum(kind == "decided" for kind, *_ in await entries(parley)) == 1
        ((_, settled),) = parley.channel.settled
        assert ("Approve" in settled.text) == ("approve" in given)


async def test_several_questions_are_decided_one_by_one_and_resumed_once(tmp_path: Path) -> None:
    two = (replace(MAIL, id="i1#1"), replace(MAIL, id="i1#2", action="delete"))
    async with core(tmp_path, agent=ScriptedAgent(asking(*two)), channel=with_buttons()) as parley:
        await parley.say("ask")
        texts = await parley.channel.until_finals(3)
        assert [text.split("\n")[0] for text in texts[1:]] == ["**1/2**", "**2/2**"]
        first, second = sorted(keys(parley))
        await parley.clicks.submit(click(second, "reject"))
        await parley.channel.until(lambda: bool(parley.channel.settled))
        await parley.say("approve")
        assert (await parley.channel.until_finals(4))[3] == "given i1#1=approve; i1#2=reject"
        assert len(parley.agent.requests) == 2
        assert first != second


async def test_by_text_the_next_question_follows(tmp_path: Path) -> None:
    two = (MAIL, Question("i2", "Which city?"))
    async with core(tmp_path, agent=ScriptedAgent(asking(*two))) as parley:
        await parley.say("ask")
        await parley.channel.until_finals(3)
        await parley.say("Rome")
        noted = (await parley.channel.until_finals(4))[3]
        assert noted.startswith("Noted. Decisions still open: 1.")
        assert "send_mail" in noted
        await parley.say("yes")
        assert (await parley.channel.until_finals(5))[4] == "given i1=approve; i2=Rome"


@pytest.mark.parametrize(
    ("rules", "who", "may"),
    [
        (DecisionRules(), ANN, True),
        (DecisionRules(), BOB, False),
        (DecisionRules(deciders=("anyone",)), BOB, True),
        (DecisionRules(deciders=("anyone",), four_eyes=True), ANN, False),
        (DecisionRules(deciders=("test:bob",)), BOB, True),
        (DecisionRules(deciders=("test:bob",)), ANN, False),
        (DecisionRules(deciders=("admins",)), BOB, True),
        (DecisionRules(deciders=("admins",)), ANN, False),
        (DecisionRules(deciders=("anyone",)), EVE, False),
    ],
)
async def test_only_those_decide_whom_the_rules_name(
    tmp_path: Path, rules: DecisionRules, who: User, may: bool
) -> None:
    options = default_options(questions=QuestionOptions(DecisionRules(), {"send_*": rules}))
    channels = {name: replace(each, admins=frozenset({"bob"})) for name, each in options.channels.items()}
    options = replace(options, channels=channels)
    agent, channel = ScriptedAgent(asking(MAIL)), with_buttons()
    async with core(tmp_path, agent=agent, channel=channel, options=options) as parley:
        await parley.say("ask")
        await parley.channel.until_finals(2)
        (key,) = keys(parley)
        told = await parley.clicks.submit(click(key, "approve", who))
        assert (told == "Noted.") == may
        if may:
            assert (await parley.channel.until_finals(3))[2] == "given i1=approve"
        else:
            assert "is waiting for Ann" in told
            assert not await parley.journal.dead()
            assert [kind for kind, *_ in await entries(parley)] == ["asked"]


async def test_others_are_told_whom_the_conversation_waits_for(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(MAIL))) as parley:
        await parley.say("ask")
        await parley.channel.until_finals(2)
        await parley.say("1", sender=BOB)
        assert "waiting for Ann" in (await parley.channel.until_finals(3))[2]
        assert len(parley.agent.requests) == 1


async def test_arguments_are_edited_by_button_or_by_text(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(MAIL)), channel=with_buttons()) as parley:
        for number, way in enumerate(("click", "text"), start=1):
            await parley.say(f"ask {number}")
            await parley.channel.until_finals(3 * number - 1)
            key = keys(parley)[-1]
            assert "cannot be read" in await parley.clicks.submit(click(key, EDIT, text="{bad"))
            if way == "click":
                await parley.clicks.submit(click(key, EDIT, text='{"to": "eve"}'))
            else:
                await parley.say('edit {"to": "eve"}')
            assert (await parley.channel.until_finals(3 * number))[-1] == 'given i1=edit {"to": "eve"}'


async def test_arguments_that_cannot_be_read_decide_nothing(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(MAIL))) as parley:
        await parley.say("ask")
        await parley.channel.until_finals(2)
        await parley.say("修改 {to: eve}")
        assert "cannot be read" in (await parley.channel.until_finals(3))[2]
        await parley.say("批准")
        assert (await parley.channel.until_finals(4))[3] == "given i1=approve"


async def test_time_decides_when_nobody_does(tmp_path: Path) -> None:
    agent, channel = ScriptedAgent(asking(MAIL)), with_buttons()
    options = ruled(expires_after=0.05, remind_after=0.01)
    async with core(tmp_path, agent=agent, channel=channel, options=options) as parley:
        await parley.say("ask")
        texts = await parley.channel.until_finals(4)
        assert any("still waiting" in text for text in texts)
        assert "given i1=reject" in texts
        await parley.channel.until(lambda: bool(parley.channel.settled))
        assert "⌛ Nobody decided in time: Refuse" in parley.channel.settled[0][1].text
        assert ("expired", "", "reject") in await entries(parley)


async def test_a_question_without_that_option_expires_with_words(tmp_path: Path) -> None:
    agent = ScriptedAgent(asking(Question("i1", "Which city?")))
    async with core(tmp_path, agent=agent, options=ruled(expires_after=0.05)) as parley:
        await parley.say("ask")
        assert (await parley.channel.until_finals(3))[2] == "given i1=No answer was given in time."


async def test_a_new_conversation_closes_open_questions(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(MAIL)), channel=with_buttons()) as parley:
        await parley.say("ask")
        await parley.channel.until_finals(2)
        (key,) = keys(parley)
        await parley.say("/new")
        await parley.channel.until_finals(3)
        await parley.channel.until(lambda: bool(parley.channel.settled))
        assert "no decision is needed" in parley.channel.settled[0][1].text
        assert "no decision is needed" in await parley.clicks.submit(click(key, "approve"))
        assert await parley.clicks.submit(click("nobody-1", "approve")) == "This question is no longer open."
        await parley.say("hello")
        assert (await parley.channel.until_finals(4))[3] == "you said hello"


async def test_it_can_be_asked_in_another_chat(tmp_path: Path) -> None:
    agent, channel = ScriptedAgent(asking(MAIL)), with_buttons()
    options = ruled(ask="test:ops", deciders=("anyone",))
    async with core(tmp_path, agent=agent, channel=channel, options=options) as parley:
        await parley.say("ask")
        await parley.channel.until_finals(2)
        asked = next(final for final in parley.channel.finals if final.question)
        assert (asked.conversation.key, asked.reply_to) == ("test:ops", "")
        assert asked.question is not None
        press = click(asked.question.id, "approve", BOB)
        await parley.clicks.submit(replace(press, conversation=asked.conversation))
        await parley.channel.until_finals(3)
        assert parley.channel.finals[2].conversation.key == "test:chat"
        assert parley.channel.finals[2].text == "given i1=approve"


async def test_long_arguments_come_as_a_file(tmp_path: Path) -> None:
    long = replace(MAIL, arguments=json.dumps({"body": "x" * 5000}))
    async with core(tmp_path, agent=ScriptedAgent(asking(long)), channel=with_buttons()) as parley:
        await parley.say("ask")
        texts = await parley.channel.until_finals(2)
        assert "(The full text is in the file.)" in texts[1]
        (file,) = parley.channel.finals[1].attachments
        assert await asyncio.to_thread(Path(file.path).read_text) == long.arguments


async def test_a_pause_that_is_refused_stays(tmp_path: Path) -> None:
    pause = Question("breakpoint", "", YES_NO, kind=QuestionKind.PAUSE, action="tools")
    async with core(tmp_path, agent=ScriptedAgent(asking(pause)), channel=with_buttons()) as parley:
        await parley.say("ask")
        assert "paused before: tools" in (await parley.channel.until_finals(2))[1]
        await parley.clicks.submit(click(keys(parley)[0], "reject"))
        assert (await parley.channel.until_finals(3))[2] == "⏹ Stopped."
        await parley.say("hello")
        assert (await parley.channel.until_finals(4))[3] == "you said hello"
        assert len(parley.agent.requests) == 2


async def test_what_was_said_after_a_click_is_answered_after_it(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(MAIL)), channel=with_buttons()) as parley:
        await parley.say("ask")
        await parley.channel.until_finals(2)
        (key,) = keys(parley)
    async with core(tmp_path, agent=parley.agent, working=False) as parley:
        # Said before the click is worked, and read after it: it decides nothing, and is not lost.
        await parley.say("what a day")
        await _decide_unseen(parley, key)
    async with core(tmp_path, agent=parley.agent, channel=with_buttons()) as parley:
        assert await parley.channel.until_finals(2) == ["given i1=approve", "you said what a day"]


async def _decide_unseen(parley: Core, key: str) -> None:
    from parley.core.hitl.records import question_document, questions_of_turn
    from parley.core.model.questions import Decision

    for record, document in await questions_of_turn(parley.journal, key.rpartition("-")[0]):
        decision = Decision("approve", "", ANN, 0.0, "a click")
        await parley.journal.set(question_document(document, replace(record, decision=decision)))


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("", "2026-11-23 23:30 UTC"),
        ("Asia/Shanghai", "2026-11-24 07:30 Asia/Shanghai"),
        ("Nowhere/Land", "2026-11-23 23:30 UTC"),
        ("../etc/passwd", "2026-11-23 23:30 UTC"),
    ],
)
def test_a_time_is_that_of_who_asked_and_says_where(zone: str, shown: str) -> None:
    at = datetime(2026, 11, 23, 23, 30, tzinfo=UTC).timestamp()
    asker = replace(ANN, zone=zone)
    record = QuestionRecord(
        MAIL, "i1", "t", "th", "test:chat", "test:chat", asker, True, "m", "en", at, DecisionRules()
    )
    decided = replace(record, decision=Decision("reject", "", ANN, at))
    assert render_outcome(decided) == f"❌ Ann: Refuse · {shown}"
    edited = replace(record, decision=Decision(EDIT, '{"to": "eve"}', ANN, at))
    assert render_outcome(edited) == f"✏️ Ann: other arguments · {shown}\n\n**To:** `eve`"


def test_a_button_says_what_it_does() -> None:
    def labels(question: Question) -> list[str]:
        return [option.label for option in named("en", question).options]

    assert labels(MAIL) == ["Approve send_mail", "Refuse"]
    assert labels(replace(MAIL, action="x" * 100)) == ["Approve", "Refuse"]
    assert labels(replace(MAIL, kind=QuestionKind.PAUSE)) == ["Continue", "Stop here"]
    own = replace(MAIL, kind=QuestionKind.INPUT, options=(Option("approve", "Yes, do"),))
    assert labels(own) == ["Yes, do"]
