"""Commands are answered at once, in the person's language, and do what they say."""

import asyncio
import string
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.commands.context import CommandContext
from parley.core.commands.help_status import status
from parley.core.model.address import Conversation, User
from parley.core.model.command_syntax import parse_command
from parley.core.model.errors import ChannelUnavailable
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunProgress, RunRef, RunRequest, RunStarted
from parley.core.ports.health import WAITING, Health, HealthReport
from parley.core.texts import CATALOGUE, Sentence, language_of
from tests.kit.doubles.core import RecordingChannel, ScriptedAgent, core, default_options, message


async def until_cancelled(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
    yield RunStarted(RunRef(request.thread, "run"))
    yield RunProgress("half", ())
    await agent.cancel_seen.wait()
    yield RunEnded(Outcome.CANCELLED, "half")


async def test_stop_ends_the_run_and_keeps_what_was_said(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(until_cancelled)) as parley:
        await parley.say("long")
        await parley.agent.until_asked()
        await parley.say("/stop")
        assert sorted(await parley.channel.until_finals(2)) == ["Stopping.", "half\n\n⏹ Stopped."]
        assert [run.run_id for run in parley.agent.cancelled] == ["run"]
        await parley.say("/stop")
        assert "Nothing is running" in (await parley.channel.until_finals(3))[2]


async def test_new_begins_a_fresh_thread_and_drops_what_waits(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(until_cancelled)) as parley:
        await parley.say("long")
        await parley.agent.until_asked()
        await parley.say("waiting")
        await parley.say("/new")
        texts = await parley.channel.until_finals(2)
        assert any("dropped: 1" in text for text in texts)
        await parley.say("afresh")
        await parley.channel.until_finals(3)
        first, second = parley.agent.requests
        assert first.thread != second.thread
        assert second.text == "afresh"


async def test_models_and_agents_are_listed_and_switched(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        for text in ("/models", "/models Large", "/agents writer", "/agents nobody", "hi"):
            await parley.say(text)
            await parley.channel.until_finals(len(parley.channel.finals) + 1)
        listed, switched, agent, unknown, _ = parley.channel.texts
        assert "- `small`\n- `large`" in listed
        assert "**large**" in switched
        assert "**writer**" in agent
        assert "no agent called “nobody”" in unknown
        session = parley.agent.requests[0].session
        assert (session.assistant, session.context) == ("writer", {"model_name": "large"})


async def test_status_whoami_and_help_say_where_one_is(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        for text in ("/status", "/whoami", "/help", "/hlep"):
            await parley.say(text)
        status, whoami, listing, meant = await parley.channel.until_finals(4)
        assert "Now: idle." in status
        assert "Load: 0 of 2000 turns under way here; 0 conversations wait (the oldest 0 s)" in status
        assert "id `ann`" in whoami
        assert "`/new`" in listing
        assert "Did you mean `/help`" in meant
        assert not parley.agent.requests


async def test_administrators_read_what_waits_for_channels_that_are_not_on(tmp_path: Path) -> None:
    report = HealthReport(WAITING, Health.OFF, "support (2)", 0.0)
    async with core(tmp_path) as parley:
        services, channel = parley.services, default_options().channels["test"]
        for admins, told in ((frozenset({"ann"}), True), (frozenset({"bob"}), False)):
            options = replace(services.options, channels={"test": replace(channel, admins=admins)})
            seen = replace(services, options=options, reports=lambda: [report])
            context = CommandContext(seen, message("/status"), 1, lambda place: asyncio.sleep(0, False))
            assert ("For administrators: support (2)" in await status(context, "")) is told


class OpenChannel(RecordingChannel):
    """Has something to say about a place, unless its platform is away."""

    away = False

    async def remarks(self, conversation: Conversation) -> tuple[Sentence, ...]:
        if self.away:
            raise ChannelUnavailable("the platform is away")
        return (Sentence.HEARS_ADDRESSED,)


@pytest.mark.parametrize("away", [False, True])
async def test_whoami_tells_what_the_channel_knows_of_the_place(tmp_path: Path, away: bool) -> None:
    channel = OpenChannel()
    channel.away = away
    async with core(tmp_path, channel=channel) as parley:
        await parley.say("/whoami")
        (answer,) = await parley.channel.until_finals(1)
        assert "id `ann`" in answer
        assert ("addressed to me" in answer) is not away


async def test_a_chinese_speaker_is_answered_in_chinese(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await parley.say("/stop", sender=User("test", "ann", "安", language="zh-Hans"))
        assert await parley.channel.until_finals(1) == ["这里没有正在进行的回答。"]


@pytest.mark.parametrize(
    "text", ["/etc/hosts", "//new", "new", "/ new", "/", "/frobnicate", "a /new", "/2024"]
)
def test_talk_is_not_a_command(text: str) -> None:
    assert parse_command(text) is None


@pytest.mark.parametrize(("text", "parsed"), [(" /NEW ", ("new", "")), ("/models a b", ("models", "a b"))])
def test_commands_are_known_by_their_first_word(text: str, parsed: tuple[str, str]) -> None:
    assert parse_command(text) == parsed


def test_every_sentence_is_in_every_language_with_the_same_places() -> None:
    def places(text: str) -> set[str | None]:
        return {place for _, place, _, _ in string.Formatter().parse(text)} - {None}

    for sentence in Sentence:
        assert len({frozenset(places(texts[sentence])) for texts in CATALOGUE.values()}) == 1, sentence
    assert language_of("", "zh_CN") == "zh"
    assert language_of("fr") == "en"
